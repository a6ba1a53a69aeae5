package app

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"earshot/internal/state/natsnode/natstest"
)

// An outage is a TCP proxy that can refuse connections, or accept them and hang.
type outage struct {
	target, address string

	mu       sync.Mutex
	listener net.Listener      // guarded by mu; nil: connections are refused
	conns    map[net.Conn]bool // guarded by mu
	resumed  chan struct{}     // guarded by mu; closed unless the proxy hangs
}

func newOutage(t *testing.T, target string) *outage {
	o := &outage{target: target, address: "127.0.0.1:0", conns: map[net.Conn]bool{}, resumed: make(chan struct{})}
	close(o.resumed)
	o.listen(t)
	t.Cleanup(o.refuse)
	return o
}

// listen accepts connections.
func (o *outage) listen(t *testing.T) {
	var l net.Listener
	natstest.WaitFor(t, "the port to be free", func() bool {
		var err error
		l, err = net.Listen("tcp", o.address)
		return err == nil
	})
	o.mu.Lock()
	defer o.mu.Unlock()
	o.listener, o.address = l, l.Addr().String()
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			go o.serve(c)
		}
	}()
}

// refuse closes all connections, and refuses new ones.
func (o *outage) refuse() {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.listener != nil {
		o.listener.Close()
		o.listener = nil
	}
	for c := range o.conns {
		c.Close()
	}
}

// hang stops forwarding. The returned function continues: it forwards what was held back.
func (o *outage) hang() (resume func()) {
	o.mu.Lock()
	defer o.mu.Unlock()
	resumed := make(chan struct{})
	o.resumed = resumed
	return func() { close(resumed) }
}

func (o *outage) serve(from net.Conn) {
	defer from.Close()
	to, err := net.Dial("tcp", o.target)
	if err != nil {
		return
	}
	defer to.Close()
	o.mu.Lock()
	accepted := o.listener != nil
	o.conns[from] = true
	o.mu.Unlock()
	if !accepted {
		return
	}
	go func() {
		o.carry(from, to)
		from.Close()
	}()
	o.carry(to, from)
	o.mu.Lock()
	delete(o.conns, from)
	o.mu.Unlock()
}

func (o *outage) carry(to io.Writer, from io.Reader) {
	data := make([]byte, 32<<10)
	for {
		n, err := from.Read(data)
		o.mu.Lock()
		resumed := o.resumed
		o.mu.Unlock()
		<-resumed
		if _, failed := to.Write(data[:n]); failed != nil || err != nil {
			return
		}
	}
}

// TestClickHouseOutage stops ClickHouse in two ways. Queries and /readyz say so, uploads are accepted,
// and everything works when it is back. No post is lost or counted twice.
func TestClickHouseOutage(t *testing.T) {
	cfg := clickHouseConfig(t)
	before, rest, _ := strings.Cut(cfg.Store, "@")
	server, database, _ := strings.Cut(rest, "/")
	proxy := newOutage(t, server)
	cfg.Store = before + "@" + proxy.address + "/" + database
	o := testOptions(io.Discard)
	o.StoreProbe = 20 * time.Millisecond
	a, err := Open(context.Background(), cfg, o)
	if err != nil {
		t.Fatal(err)
	}
	defer a.Close()
	ready(t, a)
	f := newFixture(t, a)
	tok := token(t, a)
	posts := func() *httptest.ResponseRecorder {
		w := httptest.NewRecorder()
		url := fmt.Sprintf("/api/monitor/posts?auth=%s&id=%d&start=2026-03-02&end=2026-03-03", tok, f.monitor.ID)
		a.Handler().ServeHTTP(w, httptest.NewRequest("GET", url, nil))
		return w
	}
	uploads := 0
	upload := func() {
		uploads++
		f.upload(t, a, fmt.Sprint(uploads))
	}
	works := func() {
		t.Helper()
		natstest.WaitFor(t, "the node to be ready", func() bool { code, _ := get(t, a, "/readyz"); return code == 200 })
		natstest.WaitFor(t, "all posts", func() bool { return f.volume(t, a) == fmt.Sprint(uploads) })
		natstest.WaitFor(t, "the list of posts", func() bool {
			w := posts()
			return w.Code == 200 && strings.Count(w.Body.String(), `"contents":`) == uploads
		})
	}
	fails := func(how string) {
		t.Helper()
		w := posts()
		if w.Code != 503 || w.Header().Get("Retry-After") != "5" || !strings.Contains(w.Body.String(), "ClickHouse is not available") {
			t.Errorf("a query %s: got %d %q %s", how, w.Code, w.Header(), w.Body)
		}
	}
	down := func() {
		t.Helper()
		fails("during an outage")
		natstest.WaitFor(t, "the node not to be ready", func() bool {
			code, body := get(t, a, "/readyz")
			return code == 503 && strings.Contains(body, "clickhouse: the server has not answered")
		})
		upload()
		fails("after an upload")
	}
	upload()
	works()

	proxy.refuse()
	down()
	proxy.listen(t)
	works()

	resume := proxy.hang()
	down()
	resume()
	works()

	upload()
	resume = proxy.hang()
	fails("while a post is being stored")
	resume()
	works()
}
