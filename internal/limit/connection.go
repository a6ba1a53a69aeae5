package limit

import (
	"cmp"
	"container/list"
	"errors"
	"net"
	"net/http"
	"net/netip"
	"sync"
	"time"
)

// The connections get the file descriptors that storage does not need: it keeps a quarter of them,
// and at least minStorageFiles. With more connections than maxDefaultConnections, their buffers
// alone would take hundreds of megabytes.
const (
	minStorageFiles       = 128
	maxDefaultConnections = 2048
	minConnections        = 16
)

// maxProbes is how many connections beyond the limit are kept for a moment, to find out whether they
// ask for the health of the service.
const maxProbes = 64

// Connections is the budget of connections.
type Connections struct {
	Max        int // open at the same time
	PerAddress int // of one address or IPv6 /64 network
	Probes     int // beyond Max, for health checks only, and as many again while they are answered
}

func newConnections(o Options) Connections {
	c := Connections{Max: cmp.Or(o.Connections, maxDefaultConnections), Probes: maxProbes}
	if files := o.System.Files; files > 0 {
		free := max(files-max(minStorageFiles, files/4), minConnections)
		c.Probes = min(maxProbes, free/8)
		c.Max = min(c.Max, free-2*c.Probes) // a probe may become a health check
	}
	c.PerAddress = min(cmp.Or(o.PerAddress, max(1, c.Max/2)), c.Max)
	return c
}

// idleGrace is how long a connection without a request is safe from being closed for a new one.
const idleGrace = time.Second

// A Listener limits the connections that it accepts.
//
// At the limit, a new connection replaces the one that has been without a complete request for the
// longest time: idle clients and clients that send a request very slowly cannot keep others out. If
// all connections are busy, the new one gets 503 and is closed, unless it asks for /healthz or
// /readyz.
//
// The server must report states to [Listener.ConnState].
type Listener struct {
	net.Listener
	limits   Connections
	grace    time.Duration
	accepted chan accepted
	closing  chan struct{}
	close    sync.Once

	mu       sync.Mutex // guards the fields below and those of Conn that say so
	open     int
	networks map[netip.Prefix]*network
	idle     *list.List // of *Conn without a complete request, longest first
	probes   *list.List // of *Conn beyond the limit, oldest first
	checks   int        // health checks beyond the limit that are being answered
}

// A network is the connections of one address or IPv6 /64 network.
type network struct {
	open int
	idle *list.List // like Listener.idle
}

type accepted struct {
	conn net.Conn
	err  error
}

// Listen limits the connections that inner accepts.
func (c Connections) Listen(inner net.Listener) *Listener {
	l := &Listener{
		Listener: inner,
		limits:   c,
		grace:    idleGrace,
		accepted: make(chan accepted),
		closing:  make(chan struct{}),
		networks: map[netip.Prefix]*network{},
		idle:     list.New(),
		probes:   list.New(),
	}
	go l.run()
	return l
}

// Accept implements [net.Listener].
func (l *Listener) Accept() (net.Conn, error) {
	select {
	case a := <-l.accepted:
		return a.conn, a.err
	case <-l.closing:
		return nil, net.ErrClosed
	}
}

// Close implements [net.Listener]. Open connections stay open.
func (l *Listener) Close() error {
	l.close.Do(func() { close(l.closing) })
	return l.Listener.Close()
}

// Open returns the number of open connections.
func (l *Listener) Open() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.open
}

// run accepts connections until the listener is closed.
func (l *Listener) run() {
	for {
		conn, err := l.Listener.Accept()
		switch {
		case errors.Is(err, net.ErrClosed):
			l.Close()
			return
		case err != nil:
			l.deliver(nil, err) // the server waits before it accepts again
		default:
			if admitted := l.admit(conn); admitted != nil {
				l.deliver(admitted, nil)
			} else {
				l.probe(conn)
			}
		}
	}
}

// deliver returns a connection from Accept.
func (l *Listener) deliver(conn net.Conn, err error) {
	select {
	case l.accepted <- accepted{conn, err}:
	case <-l.closing:
		if conn != nil {
			conn.Close()
		}
	}
}

// admit counts a connection, or returns nil if it exceeds the limits.
func (l *Listener) admit(conn net.Conn) *Conn {
	at := remoteNetwork(conn)
	l.mu.Lock()
	defer l.mu.Unlock()
	n := l.networks[at]
	if n == nil {
		n = &network{idle: list.New()}
	}
	if n.open >= l.limits.PerAddress && !l.evict(n.idle) || l.open >= l.limits.Max && !l.evict(l.idle) {
		return nil
	}
	n.open++
	l.networks[at] = n // evict may have removed it
	l.open++
	c := &Conn{Conn: conn, listener: l, at: at, network: n}
	l.setIdle(c)
	return c
}

// evict closes the first connection of a list of idle ones, if it is idle for long enough. l.mu must
// be held.
func (l *Listener) evict(idle *list.List) bool {
	first := idle.Front()
	if first == nil {
		return false
	}
	c := first.Value.(*Conn)
	if time.Since(c.idleSince) < l.grace {
		return false
	}
	l.remove(c)
	c.Conn.Close() // does not block; the server notices it and calls c.Close, which then does nothing
	return true
}

// setIdle notes that c has no complete request. l.mu must be held.
func (l *Listener) setIdle(c *Conn) {
	if c.idle == nil && !c.removed {
		c.idleSince = time.Now()
		c.idle, c.idleInNetwork = l.idle.PushBack(c), c.network.idle.PushBack(c)
	}
}

// setBusy notes that c has a request. l.mu must be held.
func (l *Listener) setBusy(c *Conn) {
	if c.idle != nil {
		l.idle.Remove(c.idle)
		c.network.idle.Remove(c.idleInNetwork)
		c.idle, c.idleInNetwork = nil, nil
	}
}

// remove stops counting a connection. l.mu must be held.
func (l *Listener) remove(c *Conn) {
	if c.probe != nil {
		l.probes.Remove(c.probe) // does nothing if another one has replaced it
		if c.check {
			c.check = false
			l.checks--
		}
		return
	}
	if c.removed {
		return
	}
	c.removed = true
	l.setBusy(c)
	l.open--
	if c.network.open--; c.network.open == 0 {
		delete(l.networks, c.at)
	}
}

// ConnState is the hook for [http.Server.ConnState].
func (l *Listener) ConnState(conn net.Conn, state http.ConnState) {
	c, ok := conn.(*Conn)
	if !ok {
		return
	}
	switch state {
	case http.StateActive:
		c.head.end()
	case http.StateIdle:
		c.head.begin()
		if c.probe != nil { // admitted for one health check
			c.Close()
			return
		}
	default:
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if state == http.StateActive {
		l.setBusy(c)
	} else {
		l.setIdle(c)
	}
}

// A Conn is an accepted connection.
type Conn struct {
	net.Conn
	listener *Listener
	head     head
	prefix   []byte // was read by the listener; the server reads it first

	// Of a connection within the limits.
	at      netip.Prefix
	network *network

	probe *list.Element // of Listener.probes; nil if the connection is within the limits

	// Guarded by the listener's mu.
	idle, idleInNetwork *list.Element // nil unless idle
	idleSince           time.Time
	removed             bool // no longer counted
	check               bool // counted in Listener.checks
}

// Read implements [net.Conn]. It answers and ends a connection whose request has too many fields.
func (c *Conn) Read(p []byte) (n int, err error) {
	if len(c.prefix) > 0 {
		n = copy(p, c.prefix)
		c.prefix = c.prefix[n:]
	} else {
		n, err = c.Conn.Read(p)
	}
	if !c.head.scan(p[:n]) {
		refuse(c.Conn, "431 Request Header Fields Too Large", "", "The request has too many header fields")
		return 0, net.ErrClosed
	}
	return n, err
}

// Close implements [net.Conn].
func (c *Conn) Close() error {
	c.listener.mu.Lock()
	c.listener.remove(c)
	c.listener.mu.Unlock()
	return c.Conn.Close()
}

// remoteNetwork returns the network of the other end.
func remoteNetwork(conn net.Conn) netip.Prefix {
	addr, err := netip.ParseAddrPort(conn.RemoteAddr().String())
	if err != nil {
		return netip.Prefix{}
	}
	return Network(addr.Addr())
}
