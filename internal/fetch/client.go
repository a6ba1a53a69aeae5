package fetch

import (
	"errors"
	"fmt"
	"net"
	"net/http"
)

// HTTP returns a client for requests to networks. It connects only to the addresses that the
// options allow, sets the User-Agent, and follows redirects within the limits. It limits neither the
// time nor the size of a response, because some never end: callers do, with a context and
// [ReadAll].
//
// A redirect to another host loses the headers of the request that carry secrets.
func HTTP(opts Options) *http.Client {
	opts.fill()
	c := &Client{opts: opts}
	return &http.Client{
		Transport:     &checkedTransport{client: c, next: c.transport()},
		CheckRedirect: c.checkRedirect,
	}
}

// A checkedTransport rejects URLs that are never requested, and sets the User-Agent.
type checkedTransport struct {
	client *Client
	next   http.RoundTripper
}

func (t *checkedTransport) RoundTrip(req *http.Request) (*http.Response, error) {
	if err := t.client.checkURL(req.URL); err != nil {
		return nil, err
	}
	req = req.Clone(req.Context())
	req.Header.Set("User-Agent", t.client.opts.UserAgent)
	resp, err := t.next.RoundTrip(req)
	var dns *net.DNSError
	if refused := errors.Is(err, ErrRefused); refused || errors.As(err, &dns) && dns.IsNotFound {
		err = &NameError{Host: req.URL.Hostname(), refused: refused}
	}
	return resp, err
}

// A NameError says that a name has no public address. It wraps [ErrRefused] if the name has other
// addresses, but the text does not say so: people who add sources must not learn which names exist in an
// internal network.
type NameError struct {
	Host    string
	refused bool
}

// Error implements error.
func (e *NameError) Error() string { return e.Host + " has no public address" }

// Is reports whether target is ErrRefused and the name has addresses that are not public.
func (e *NameError) Is(target error) bool { return e.refused && target == ErrRefused }

// CloseIdleConnections is called by [http.Client.CloseIdleConnections].
func (t *checkedTransport) CloseIdleConnections() {
	if c, ok := t.next.(*http.Transport); ok {
		c.CloseIdleConnections()
	}
}

// ReadAll returns the body of a response, or an error that wraps ErrTooLarge if it has more than
// limit bytes. It closes the body.
func ReadAll(resp *http.Response, limit int64) ([]byte, error) {
	defer resp.Body.Close()
	return readAll(resp, limit)
}

// UserAgent returns what identifies the program to networks. The version and the contact address may be
// empty.
func UserAgent(version, contact string) string {
	if version == "" {
		version = "dev"
	}
	if contact == "" {
		return "Earshot/" + version
	}
	return fmt.Sprintf("Earshot/%s (+%s)", version, contact)
}
