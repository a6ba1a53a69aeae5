package fetch

import (
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"testing"
)

func TestHTTP(t *testing.T) {
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/away" {
			http.Redirect(w, r, "http://127.0.0.1:1/", http.StatusFound)
			return
		}
		_, _ = w.Write([]byte(r.UserAgent()))
	}))
	defer s.Close()
	own := netip.MustParseAddrPort(s.Listener.Addr().String())
	c := HTTP(Options{UserAgent: "Earshot/1 (+mailto:a@example.com)", Allow: func(to netip.AddrPort) bool { return to == own }})
	defer c.CloseIdleConnections()

	resp, err := c.Get(s.URL)
	if err != nil {
		t.Fatal(err)
	}
	body, err := ReadAll(resp, 100)
	if want := "Earshot/1 (+mailto:a@example.com)"; err != nil || string(body) != want {
		t.Errorf("got %q %v, want %q", body, err, want)
	}
	if resp, err = c.Get(s.URL); err != nil {
		t.Fatal(err)
	}
	if _, err := ReadAll(resp, 3); !errors.Is(err, ErrTooLarge) {
		t.Errorf("got %v, want ErrTooLarge", err)
	}
	if _, err := c.Get(s.URL + "/away"); !errors.Is(err, ErrRefused) {
		t.Errorf("redirect: got %v, want ErrRefused", err)
	}
	if _, err := HTTP(Options{}).Get(s.URL); !errors.Is(err, ErrRefused) || !strings.Contains(err.Error(), "port") {
		t.Errorf("without permission: got %v, want ErrRefused", err)
	}
	if _, err := HTTP(Options{}).Get("http://localhost/"); !errors.Is(err, ErrRefused) || strings.Contains(err.Error(), "127.0.0.1") || strings.Contains(err.Error(), "::1") {
		t.Errorf("a name: got %v, want ErrRefused without the address", err)
	}
}

// TestNamesInsideTheNetwork checks that errors do not tell names that do not exist from names with
// private addresses.
func TestNamesInsideTheNetwork(t *testing.T) {
	get := func(fail error) error {
		c := &http.Client{Transport: &checkedTransport{client: &Client{opts: Options{Ports: []uint16{443}}}, next: failing{fail}}}
		_, err := c.Get("https://intranet.example/")
		return err
	}
	private := get(fmt.Errorf("dial: %w: 10.0.0.1 is not public", ErrRefused))
	unknown := get(&net.DNSError{Err: "no such host", Name: "intranet.example", IsNotFound: true})
	if private.Error() != unknown.Error() || !strings.Contains(private.Error(), "intranet.example has no public address") {
		t.Errorf("got %q and %q", private, unknown)
	}
	if !errors.Is(private, ErrRefused) || errors.Is(unknown, ErrRefused) {
		t.Errorf("a retry can help only if the name does not exist: got %v and %v", errors.Is(private, ErrRefused), errors.Is(unknown, ErrRefused))
	}
}

// failing is a transport that fails.
type failing struct{ err error }

func (f failing) RoundTrip(*http.Request) (*http.Response, error) { return nil, f.err }
