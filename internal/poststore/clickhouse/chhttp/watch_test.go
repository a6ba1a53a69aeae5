package chhttp

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/ClickHouse/ch-go/proto"

	"earshot"
)

// watch lets a client probe its server until the test ends.
func watch(t *testing.T, c *Client) {
	ctx, stop := context.WithCancel(context.Background())
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		c.Watch(ctx, time.Millisecond)
	}()
	t.Cleanup(func() {
		stop()
		<-ended
	})
}

// insert inserts a row.
func insert(ctx context.Context, c *Client) error {
	column := proto.ColUInt64{1}
	return c.Insert(ctx, "t", "token", proto.Input{{Name: "n", Data: &column}})
}

// isProbe reads a request, and reports whether it is a probe.
func isProbe(r *http.Request) bool {
	body, _ := io.ReadAll(r.Body) // without it, the server does not notice that the client is gone
	return strings.HasPrefix(string(body), "SELECT 1 ")
}

// TestServerThatIsNotAvailable checks that queries end with a message for the client, and that inserts
// end with an error after which they are repeated.
func TestServerThatIsNotAvailable(t *testing.T) {
	f := func(name string, c *Client) {
		t.Run(name, func(t *testing.T) {
			watch(t, c)
			_, err := numbers(t.Context(), c)
			e, ok := errors.AsType[*earshot.Error](err)
			if !ok || e.Kind != earshot.Unavailable || e.RetryAfter != 5*time.Second || !strings.Contains(e.Message, "ClickHouse is not available") {
				t.Errorf("got %#v", err)
			}
			if err := insert(t.Context(), c); err == nil || !retryable(err) {
				t.Errorf("got %v, want an error after which an insert is repeated", err)
			}
		})
	}
	f("it hangs", newFake(t, Options{}, func(_ http.ResponseWriter, r *http.Request) {
		isProbe(r)
		<-r.Context().Done()
	}))
	f("it hangs within a response", newFake(t, Options{}, func(w http.ResponseWriter, r *http.Request) {
		if !isProbe(r) {
			_, _ = w.Write(block(1))
			_ = http.NewResponseController(w).Flush()
		}
		<-r.Context().Done()
	}))
	f("it closes connections", newFake(t, Options{}, func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }))
	f("a proxy reports that it is down", newFake(t, Options{}, func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(502) }))
	f("it has no free connection", newFake(t, Options{}, func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(500)
		_, _ = io.WriteString(w, "Code: 202. DB::Exception: too many queries. (TOO_MANY_SIMULTANEOUS_QUERIES)")
	}))
	closed, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	closed.Close()
	c, err := New(Options{URL: "http://" + closed.Addr().String(), RetryWaits: []time.Duration{}})
	if err != nil {
		t.Fatal(err)
	}
	f("it is not there", c)
}

// TestServerThatRecovers checks that a client uses a server again as soon as it answers.
func TestServerThatRecovers(t *testing.T) {
	var hangs atomic.Bool
	hangs.Store(true)
	resumed := make(chan struct{})
	c := newFake(t, Options{}, func(w http.ResponseWriter, r *http.Request) {
		isProbe(r)
		if hangs.Load() {
			select {
			case <-resumed:
			case <-r.Context().Done():
				return
			}
		}
		_, _ = w.Write(block(1))
	})
	watch(t, c)
	if _, err := numbers(t.Context(), c); !earshot.IsKind(err, earshot.Unavailable) {
		t.Fatalf("while it hangs: got %v", err)
	}
	if c.Err() == nil {
		t.Error("while it hangs, Err returns nil")
	}
	hangs.Store(false)
	close(resumed)
	for deadline := time.Now().Add(time.Minute); ; {
		got, err := numbers(t.Context(), c)
		if err == nil && len(got) == 1 {
			break
		}
		if time.Now().After(deadline) {
			t.Fatalf("afterward: got %v, %v", got, err)
		}
	}
	for deadline := time.Now().Add(time.Minute); c.Err() != nil; {
		if time.Now().After(deadline) {
			t.Fatalf("afterward: %v", c.Err())
		}
	}
}

// TestLongStatementsAreNotInterrupted checks that a server may take as long as it needs while it
// answers probes, also if each answer takes longer than the client waits for a silent server.
func TestLongStatementsAreNotInterrupted(t *testing.T) {
	var probes atomic.Int32
	enough := make(chan struct{})
	c := newFake(t, Options{}, func(w http.ResponseWriter, r *http.Request) {
		if isProbe(r) {
			if probes.Add(1) == 10*silentProbes {
				close(enough)
			}
			w.WriteHeader(500) // any answer will do
			return
		}
		<-enough
		_, _ = w.Write(block(1, 2))
	})
	c.health.answered()
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	go func() { // as Watch does, but it waits for each answer, so that a slow machine does not fail the test
		for range 10 * silentProbes {
			c.health.probed()
			c.probe(ctx, http.DefaultTransport, time.Minute)
		}
	}()
	if got, err := numbers(t.Context(), c); err != nil || len(got) != 2 {
		t.Errorf("got %v, %v", got, err)
	}
}

// TestHealth checks how many probes without an answer it takes.
func TestHealth(t *testing.T) {
	h := newHealth()
	c := &Client{health: h}
	f := func(what string, slow, silent bool) {
		t.Helper()
		_, up := h.get()
		if got := c.Err() != nil; got != slow {
			t.Errorf("%s: slow is %v", what, got)
		}
		if got := up.Err() != nil; got != silent {
			t.Errorf("%s: silent is %v", what, got)
		}
	}
	probe := func(n int) {
		for range n {
			h.probed()
		}
	}
	f("at first", false, false)
	probe(slowProbes - 1)
	f("a moment without an answer", false, false)
	probe(1)
	f("2 seconds without an answer", true, false)
	probe(silentProbes - slowProbes - 1)
	f("almost 4 seconds without an answer", true, false)
	h.answered()
	f("an answer", false, false)
	probe(silentProbes - 1)
	f("again", true, false)
	probe(1)
	f("4 seconds without an answer", true, true)
	probe(1)
	f("still", true, true)
	h.answered()
	f("another answer", false, false)
	if slow, silent := slowProbes*ProbeInterval, silentProbes*ProbeInterval; slow >= 3*time.Second || silent >= 5*time.Second {
		t.Errorf("a server is slow after %v and silent after %v, want less than 3 s and 5 s", slow, silent)
	}
}
