package fetch

import (
	"errors"
	"fmt"
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
	if errors.Is(err, ErrRefused) { // people who add sources must not learn the addresses of an internal network
		err = fmt.Errorf("%w: %s is not at a public address", ErrRefused, req.URL.Hostname())
	}
	return resp, err
}

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
