package clustertest

import (
	"io"
	"net"
	"sync"
	"testing"
	"time"
)

// A linkState is what a link does with its connections.
type linkState int

const (
	open   linkState = iota // forwards everything
	frozen                  // forwards nothing, as if all packets were lost; connections stay open
	closed                  // closes its connections, and refuses new ones
)

// A link is a TCP proxy that carries what one node connects to another for. A frozen link that is
// opened again forwards what it has held back, as TCP does after a network recovers.
type link struct {
	listener net.Listener
	target   string

	mu      sync.Mutex
	changed *sync.Cond            // guarded by mu; state or conns changed
	state   linkState             // guarded by mu
	delay   time.Duration         // guarded by mu; of each chunk
	conns   map[net.Conn]struct{} // guarded by mu
	ended   bool                  // guarded by mu
	running sync.WaitGroup
}

// newLink returns a link to an address. The end of the test closes it.
func newLink(t testing.TB, target string) *link {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	l := &link{listener: listener, target: target, conns: map[net.Conn]struct{}{}}
	l.changed = sync.NewCond(&l.mu)
	l.running.Go(l.accept)
	t.Cleanup(func() {
		l.mu.Lock()
		l.ended = true
		l.mu.Unlock()
		listener.Close()
		l.set(closed, 0)
		l.running.Wait()
	})
	return l
}

// address returns what to connect to.
func (l *link) address() string { return l.listener.Addr().String() }

// set changes what the link does, also with its open connections.
func (l *link) set(state linkState, delay time.Duration) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.state, l.delay = state, delay
	if state == closed {
		for c := range l.conns {
			c.Close()
		}
	}
	l.changed.Broadcast()
}

func (l *link) accept() {
	for {
		from, err := l.listener.Accept()
		if err != nil {
			return
		}
		l.running.Go(func() { l.serve(from) })
	}
}

// serve carries one connection.
func (l *link) serve(from net.Conn) {
	defer from.Close()
	if !l.add(from) {
		return
	}
	defer l.remove(from)
	if l.await() == closed {
		return
	}
	to, err := net.Dial("tcp", l.target)
	if err != nil {
		return
	}
	defer to.Close()
	if !l.add(to) {
		return
	}
	defer l.remove(to)
	var both sync.WaitGroup
	for _, way := range [][2]net.Conn{{from, to}, {to, from}} {
		both.Go(func() {
			l.carry(way[0], way[1])
			from.Close()
			to.Close()
		})
	}
	both.Wait()
}

// add records a connection, unless the link is closed.
func (l *link) add(c net.Conn) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.state == closed || l.ended {
		return false
	}
	l.conns[c] = struct{}{}
	return true
}

func (l *link) remove(c net.Conn) {
	l.mu.Lock()
	defer l.mu.Unlock()
	delete(l.conns, c)
}

// await waits while the link is frozen, and returns its state.
func (l *link) await() linkState {
	l.mu.Lock()
	defer l.mu.Unlock()
	for l.state == frozen && !l.ended {
		l.changed.Wait()
	}
	if l.ended {
		return closed
	}
	return l.state
}

// A chunk is data that is due at a time.
type chunk struct {
	data []byte
	due  time.Time
}

// carry copies data in one direction.
func (l *link) carry(from io.Reader, to io.Writer) {
	chunks := make(chan chunk, 256)
	l.running.Go(func() {
		defer close(chunks)
		for {
			data := make([]byte, 32<<10)
			n, err := from.Read(data)
			if n > 0 {
				l.mu.Lock()
				delay := l.delay
				l.mu.Unlock()
				chunks <- chunk{data[:n], time.Now().Add(delay)}
			}
			if err != nil {
				return
			}
		}
	})
	failed := false
	for c := range chunks { // to the end, so that the reader ends
		if failed {
			continue
		}
		if wait := time.Until(c.due); wait > 0 {
			<-time.After(wait)
		}
		if l.await() == closed {
			failed = true
			continue
		}
		_, err := to.Write(c.data)
		failed = err != nil
	}
}

// TestLink checks that links do what the tests of clusters rely on.
func TestLink(t *testing.T) {
	echo, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { echo.Close() })
	go func() {
		for {
			c, err := echo.Accept()
			if err != nil {
				return
			}
			go func() {
				defer c.Close()
				io.Copy(c, c)
			}()
		}
	}()
	l := newLink(t, echo.Addr().String())
	c, err := net.Dial("tcp", l.address())
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	send := func(text string) {
		t.Helper()
		if _, err := c.Write([]byte(text)); err != nil {
			t.Fatal(err)
		}
	}
	receive := func(want string) {
		t.Helper()
		got := make([]byte, len(want))
		if _, err := io.ReadFull(c, got); err != nil || string(got) != want {
			t.Fatalf("received %q, %v, want %q", got, err, want)
		}
	}
	send("open")
	receive("open")

	l.set(frozen, 0)
	send("frozen")
	c.SetReadDeadline(time.Now().Add(20 * time.Millisecond))
	if n, err := c.Read(make([]byte, 1)); n > 0 {
		t.Fatalf("received %d bytes through a frozen link, %v", n, err)
	}
	c.SetReadDeadline(time.Time{})
	l.set(open, 30*time.Millisecond)
	receive("frozen")
	began := time.Now()
	send("delayed")
	receive("delayed")
	if took := time.Since(began); took < 60*time.Millisecond {
		t.Errorf("a round trip took %v, want at least twice the delay of 30 ms", took)
	}

	l.set(closed, 0)
	if _, err := io.ReadAll(c); err != nil {
		t.Logf("the connection ended with %v", err)
	}
	if again, err := net.Dial("tcp", l.address()); err == nil {
		if n, _ := again.Read(make([]byte, 1)); n > 0 {
			t.Error("a closed link accepted a connection")
		}
		again.Close()
	}
}
