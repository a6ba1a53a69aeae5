package limit

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"syscall"
	"testing"
	"time"
)

// A site is a server behind a listener. Its path /wait responds when release is closed.
type site struct {
	*testing.T
	listener *Listener
	started  chan struct{} // gets a value when a request for /wait arrives
	release  chan struct{}
}

func newSite(t *testing.T, c Connections, grace time.Duration) *site {
	t.Helper()
	inner, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	s := &site{T: t, listener: c.Listen(inner), started: make(chan struct{}, 100), release: make(chan struct{})}
	s.listener.grace = grace
	server := &http.Server{ConnState: s.listener.ConnState, Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/wait" {
			s.started <- struct{}{}
			<-s.release
		}
		io.Copy(io.Discard, r.Body)
		fmt.Fprint(w, r.URL.Path)
	})}
	served := make(chan error, 1)
	go func() { served <- server.Serve(s.listener) }()
	t.Cleanup(func() {
		close(s.release)
		server.Shutdown(context.Background())
		if err := <-served; !errors.Is(err, http.ErrServerClosed) {
			t.Errorf("Serve returned %v", err)
		}
		if n := s.listener.Open(); n != 0 {
			t.Errorf("%d connections are counted after the end", n)
		}
	})
	return s
}

// dial connects from an address such as 127.0.0.2.
func (s *site) dial(from string) net.Conn {
	s.Helper()
	d := net.Dialer{LocalAddr: &net.TCPAddr{IP: net.ParseIP(from)}, Timeout: time.Minute}
	conn, err := d.Dial("tcp", s.listener.Addr().String())
	if err != nil {
		s.Fatal(err)
	}
	conn.SetDeadline(time.Now().Add(time.Minute))
	s.Cleanup(func() { conn.Close() })
	return conn
}

// get sends a request and returns the status and body, or "closed".
func (s *site) get(conn net.Conn, request string) string {
	s.Helper()
	if _, err := io.WriteString(conn, request); err != nil {
		return "closed"
	}
	response, err := http.ReadResponse(bufio.NewReader(conn), nil)
	if err != nil {
		if !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) && !errors.Is(err, syscall.ECONNRESET) {
			s.Errorf("got %v, want a response or the end of the connection", err)
		}
		return "closed"
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	if err != nil {
		s.Error(err)
	}
	return fmt.Sprintf("%d %s", response.StatusCode, body)
}

func requestLine(path string) string { return "GET " + path + " HTTP/1.1\r\nHost: x\r\n\r\n" }

// occupy sends a request that the server does not answer before the end. It tries again while the
// server has not noticed yet that another connection is idle.
func (s *site) occupy(from string) {
	s.Helper()
	for deadline := time.Now().Add(time.Minute); time.Now().Before(deadline); {
		conn, refused := s.dial(from), make(chan struct{})
		io.WriteString(conn, requestLine("/wait"))
		go func() {
			conn.Read(make([]byte, 1))
			close(refused)
		}()
		select {
		case <-s.started:
			return
		case <-refused:
		}
	}
	s.Fatalf("no connection from %s within a minute", from)
}

// awaitOK sends requests until one succeeds.
func (s *site) awaitOK(from string) {
	s.Helper()
	for deadline := time.Now().Add(time.Minute); time.Now().Before(deadline); {
		if s.get(s.dial(from), requestLine("/a")) == "200 /a" {
			return
		}
	}
	s.Fatalf("no response to requests from %s within a minute", from)
}

const tooMany = `503 {"message":"Too many connections. Please close some and try again","status":"error"}`

func TestBusyConnectionsAreLimited(t *testing.T) {
	s := newSite(t, Connections{Max: 4, PerAddress: 3, Probes: 2}, 0)
	f := func(from, path, want string) {
		t.Helper()
		if got := s.get(s.dial(from), requestLine(path)); got != want {
			t.Errorf("%s from %s: got %s, want %s", path, from, got, want)
		}
	}
	f("127.0.0.1", "/a", "200 /a")
	for range 3 {
		s.occupy("127.0.0.1")
	}
	f("127.0.0.1", "/a", tooMany)
	s.awaitOK("127.0.0.2")
	s.occupy("127.0.0.2")
	f("127.0.0.2", "/a", tooMany)
	for _, from := range []string{"127.0.0.1", "127.0.0.3"} {
		for range 3 {
			f(from, "/healthz", "200 /healthz")
			f(from, "/readyz", "200 /readyz")
			f(from, "/healthzz", tooMany)
		}
	}
	if n := s.listener.Open(); n != 4 {
		t.Errorf("got %d connections, want 4", n)
	}
}

func TestHealthChecksPassIdleProbes(t *testing.T) {
	s := newSite(t, Connections{Max: 1, PerAddress: 1, Probes: 2}, 0)
	s.occupy("127.0.0.1")
	for _, start := range []string{"", "GET /he", "GET /healthz HTTP/1.1\r\n"} {
		for range 5 {
			io.WriteString(s.dial("127.0.0.1"), start)
		}
		if got := s.get(s.dial("127.0.0.1"), requestLine("/healthz")); got != "200 /healthz" {
			t.Errorf("after connections with %q: got %s", start, got)
		}
	}
	probe := s.dial("127.0.0.1")
	s.get(probe, requestLine("/healthz"))
	if got := s.get(probe, requestLine("/a")); got != "closed" {
		t.Errorf("a second request after a health check: got %s, want a closed connection", got)
	}
}

// TestNewConnectionsReplaceIdleOnes fills all slots with connections that wait.
func TestNewConnectionsReplaceIdleOnes(t *testing.T) {
	s := newSite(t, Connections{Max: 4, PerAddress: 4, Probes: 2}, 0)
	kept := s.dial("127.0.0.1")
	if got := s.get(kept, requestLine("/first")); got != "200 /first" {
		t.Fatalf("got %s", got)
	}
	s.dial("127.0.0.1")                                        // sends nothing
	io.WriteString(s.dial("127.0.0.1"), "GET / HTTP/1.1\r\nX") // sends an incomplete request
	s.occupy("127.0.0.1")
	for range 10 {
		s.awaitOK("127.0.0.2")
	}
	if got := s.get(kept, requestLine("/again")); got != "closed" {
		t.Errorf("the oldest idle connection: got %s, want closed", got)
	}
}

func TestFreshConnectionsAreNotReplaced(t *testing.T) {
	s := newSite(t, Connections{Max: 2, PerAddress: 2, Probes: 2}, time.Hour)
	first := s.dial("127.0.0.1")
	if got := s.get(first, requestLine("/a")); got != "200 /a" {
		t.Fatal(got)
	}
	s.occupy("127.0.0.1")
	if got := s.get(s.dial("127.0.0.1"), requestLine("/a")); got != tooMany {
		t.Errorf("got %s, want 503", got)
	}
	if got := s.get(first, requestLine("/b")); got != "200 /b" {
		t.Errorf("got %s on a connection in use", got)
	}
}

func TestHeaderFieldsAreLimited(t *testing.T) {
	s := newSite(t, Connections{Max: 4, PerAddress: 4, Probes: 2}, time.Hour)
	head := func(fields int) string {
		return "POST /a HTTP/1.1\r\nHost: x\r\nContent-Length: 1000\r\n" + strings.Repeat("a:\n", fields-2) + "\r\n"
	}
	body := strings.Repeat("\n", 1000)
	conn := s.dial("127.0.0.1")
	for range 3 {
		if got := s.get(conn, head(MaxFields)+body); got != "200 /a" {
			t.Fatalf("%d fields: got %s", MaxFields, got)
		}
	}
	const want = `431 {"message":"The request has too many header fields","status":"error"}`
	if got := s.get(conn, head(MaxFields+1)); got != want {
		t.Errorf("%d fields: got %s, want %s", MaxFields+1, got, want)
	}
	if got := s.get(s.dial("127.0.0.1"), "GET / HTTP/1.1\r\n"+strings.Repeat("a:\n", MaxFields+1)); got != want {
		t.Errorf("an unfinished head: got %s, want %s", got, want)
	}

	// Two requests in one piece: the second head arrives while the first request is served.
	conn = s.dial("127.0.0.1")
	io.WriteString(conn, head(3)+body+head(3))
	reader := bufio.NewReader(conn)
	for i := range 2 {
		response, err := http.ReadResponse(reader, nil)
		if err != nil {
			t.Fatalf("response %d: %v", i, err)
		}
		io.Copy(io.Discard, response.Body)
		if i == 0 {
			io.WriteString(conn, body)
		}
	}
}

func FuzzHead(f *testing.F) {
	f.Add("GET / HTTP/1.1\r\nA: b\r\n\r\nbody\n\n\n", 3)
	f.Fuzz(func(t *testing.T, text string, at int) {
		at = min(max(at, 0), len(text))
		var whole, parts head
		got, want := parts.scan([]byte(text[:at])) && parts.scan([]byte(text[at:])), whole.scan([]byte(text))
		if got != want || parts.done.Load() != whole.done.Load() {
			t.Errorf("in two parts: got %v, %v, want %v, %v", got, parts.done.Load(), want, whole.done.Load())
		}
	})
}
