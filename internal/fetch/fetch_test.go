package fetch

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"testing"
	"time"
)

// server starts a local server, and a client that may connect to it but to no other local address.
func server(t *testing.T, opts Options, handler http.HandlerFunc) (*Client, string) {
	t.Helper()
	s := httptest.NewServer(handler)
	t.Cleanup(s.Close)
	own := netip.MustParseAddrPort(s.Listener.Addr().String())
	opts.Allow = func(to netip.AddrPort) bool { return to == own }
	c := New(opts)
	t.Cleanup(c.http.CloseIdleConnections)
	return c, s.URL
}

func TestGet(t *testing.T) {
	c, url := server(t, Options{}, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/plain")
		fmt.Fprintf(w, "%s %s %q %q", r.Method, r.URL, r.UserAgent(), r.Header.Get("Referer"))
	})
	body, kind, err := c.Get(t.Context(), url+"/a?b=c#d")
	if err != nil {
		t.Fatal(err)
	}
	if want := `GET /a?b=c "earshot" ""`; string(body) != want || kind != "text/plain" {
		t.Errorf("got %q of type %q, want %q of type text/plain", body, kind, want)
	}
}

// TestRefused lists URLs that are never requested. The URL alone is enough to reject them, so the
// test waits for neither DNS nor connections.
func TestRefused(t *testing.T) {
	c := New(Options{})
	for _, address := range []string{
		"http://127.0.0.1/", "http://127.0.0.1:80/x.png", "https://[::1]/", "http://[::ffff:127.0.0.1]/", "http://0.0.0.0/",
		"http://169.254.169.254/latest/meta-data/", "http://[fd00:ec2::254]/", "http://10.1.2.3/", "http://192.168.0.1/",
		"http://[64:ff9b::a9fe:a9fe]/", "http://[fe80::1%25eth0]/", "http://127.0.0.1./",
		"http://example.com:22/", "http://example.com:8080/", "http://1.1.1.1:6379/", "https://example.com:99999/", "http://example.com:0/",
		"ftp://example.com/", "file:///etc/passwd", "gopher://example.com/", "data:text/plain,x", "javascript:alert(1)", "example.com/x", "//example.com/x",
		"http://user:secret@example.com/", "http:///x", "http://", "", "http://exa mple.com/", "http://[::1", "\x00", "http://example.com/" + strings.Repeat("x", 9000),
	} {
		if _, _, err := c.Get(t.Context(), address); !errors.Is(err, ErrRefused) {
			t.Errorf("%.60q: got %v, want ErrRefused", address, err)
		}
	}
}

func TestDialChecksResolvedAddresses(t *testing.T) {
	// localhost is a name like any other. Only resolution shows that it is this machine.
	_, _, err := New(Options{}).Get(t.Context(), "http://localhost/")
	if !errors.Is(err, ErrRefused) {
		t.Errorf("got %v, want ErrRefused", err)
	}
	c := New(Options{})
	for address, want := range map[string]bool{
		"93.184.215.14:443": true, "93.184.215.14:8443": false, "127.0.0.1:80": false, "[::1]:443": false,
		"[::ffff:10.0.0.1]:80": false, "[fe80::1%lo]:80": false, "nonsense": false,
	} {
		if err := c.checkDial("tcp", address, nil); (err == nil) != want {
			t.Errorf("%s: got %v, want allowed %v", address, err, want)
		}
	}
}

func TestNoProxyFromTheEnvironment(t *testing.T) {
	if New(Options{}).transport().Proxy != nil {
		t.Error("got a proxy, want none")
	}
}

func TestRedirects(t *testing.T) {
	handler := func(w http.ResponseWriter, r *http.Request) {
		var left int
		switch n, _ := fmt.Sscanf(r.URL.Path, "/%d", &left); {
		case r.URL.Path == "/inside":
			http.Redirect(w, r, "http://169.254.169.254/", http.StatusFound)
		case r.URL.Path == "/name":
			http.Redirect(w, r, "http://localhost/", http.StatusFound)
		case r.URL.Path == "/file":
			http.Redirect(w, r, "file:///etc/passwd", http.StatusFound)
		case r.URL.Path == "/cookie":
			http.SetCookie(w, &http.Cookie{Name: "a", Value: "b"})
			http.Redirect(w, r, "/0", http.StatusFound)
		case n == 1 && left > 0:
			http.Redirect(w, r, fmt.Sprint("/", left-1), http.StatusFound)
		default:
			fmt.Fprintf(w, "done %q %q", r.Header.Get("Referer"), r.Header.Get("Cookie"))
		}
	}
	c, url := server(t, Options{}, handler)
	for _, path := range []string{"/3", "/cookie"} {
		body, _, err := c.Get(t.Context(), url+path)
		if want := `done "" ""`; err != nil || string(body) != want {
			t.Errorf("%s: got %q, %v, want %q", path, body, err, want)
		}
	}
	if _, _, err := c.Get(t.Context(), url+"/4"); err == nil || !strings.Contains(err.Error(), "too many redirects") {
		t.Errorf("four redirects: got %v, want too many", err)
	}
	for _, path := range []string{"/inside", "/file", "/name"} {
		if _, _, err := c.Get(t.Context(), url+path); !errors.Is(err, ErrRefused) {
			t.Errorf("%s: got %v, want ErrRefused", path, err)
		}
	}
	strict, url := server(t, Options{MaxRedirects: -1}, handler)
	if _, _, err := strict.Get(t.Context(), url+"/1"); err == nil {
		t.Error("a redirect when none is followed: got no error")
	}
}

func TestSizes(t *testing.T) {
	c, url := server(t, Options{MaxBytes: 1000}, func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/fits":
			w.Write(make([]byte, 1000))
		case "/said":
			w.Header().Set("Content-Length", "1001")
			w.Write(make([]byte, 1001))
		case "/unsaid":
			for range 100 {
				w.Write(make([]byte, 100))
				w.(http.Flusher).Flush()
			}
		case "/bomb":
			w.Header().Set("Content-Encoding", "gzip")
			z := gzip.NewWriter(w)
			z.Write(bytes.Repeat([]byte{0}, 1<<20))
			z.Close()
		case "/missing":
			http.NotFound(w, r)
		}
	})
	if body, _, err := c.Get(t.Context(), url+"/fits"); err != nil || len(body) != 1000 {
		t.Errorf("a body that fits: got %d bytes, %v", len(body), err)
	}
	for _, path := range []string{"/said", "/unsaid", "/bomb"} {
		if _, _, err := c.Get(t.Context(), url+path); !errors.Is(err, ErrTooLarge) {
			t.Errorf("%s: got %v, want ErrTooLarge", path, err)
		}
	}
	if _, _, err := c.Get(t.Context(), url+"/missing"); err == nil || !strings.HasSuffix(err.Error(), "status 404") {
		t.Errorf("a missing file: got %v, want status 404", err)
	}
}

func TestTimeoutOfASlowBody(t *testing.T) {
	c, url := server(t, Options{Timeout: 50 * time.Millisecond}, func(w http.ResponseWriter, r *http.Request) {
		w.Write([]byte("x"))
		w.(http.Flusher).Flush()
		<-r.Context().Done()
	})
	if _, _, err := c.Get(t.Context(), url); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("got %v, want a deadline", err)
	}
}

func TestConcurrentGetsAreLimited(t *testing.T) {
	arrived, leave := make(chan struct{}), make(chan struct{})
	c, url := server(t, Options{MaxParallel: 1}, func(w http.ResponseWriter, r *http.Request) {
		arrived <- struct{}{}
		<-leave
	})
	first := make(chan error)
	go func() {
		_, _, err := c.Get(t.Context(), url)
		first <- err
	}()
	<-arrived
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, _, err := c.Get(ctx, url); !errors.Is(err, context.Canceled) || !strings.Contains(err.Error(), "wait to get") {
		t.Errorf("second: got %v, want an error from waiting", err)
	}
	close(leave)
	if err := <-first; err != nil {
		t.Errorf("first: got %v, want no error", err)
	}
}

func FuzzParse(f *testing.F) {
	f.Add("http://127.0.0.1:80/")
	f.Add("https://example.com/a?b#c")
	f.Add("http://[::ffff:7f00:1]/")
	c := New(Options{})
	f.Fuzz(func(t *testing.T, address string) {
		u, err := c.parse(address)
		if err != nil {
			if !errors.Is(err, ErrRefused) {
				t.Errorf("got %v, want ErrRefused", err)
			}
			return
		}
		if ip, err := netip.ParseAddr(u.Hostname()); err == nil && !IsPublic(ip) {
			t.Errorf("%q leads to %s", address, ip)
		}
	})
}
