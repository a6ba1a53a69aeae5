// Package fetch gets files from addresses that strangers have written, such as the
// images of posts, without becoming their hand inside our network: it speaks HTTP
// to public addresses only, whatever names, redirects and name servers say, and
// what it takes in is bounded in size, in time and in number.
package fetch

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/netip"
	"slices"
	"time"
)

// ErrRefused is the cause of errors about addresses that are never asked: trying
// again is pointless.
var ErrRefused = errors.New("address refused")

// ErrTooLarge is the cause of errors about files and images over the limits.
var ErrTooLarge = errors.New("too large")

// Options limit a Client. The zero value of a field stands for its default.
type Options struct {
	MaxBytes     int64         // of a body once decompressed; default 5 MB
	MaxPixels    int           // of an image; default 40 million
	Timeout      time.Duration // of a whole Get, waiting and redirects included; default 10 s
	MaxRedirects int           // how many are followed; default 3, negative: none
	MaxParallel  int           // Gets under way at once; default 4
	Ports        []uint16      // default 80 and 443
	UserAgent    string        // default earshot

	// Allow lets addresses through that are not public or have another port. It is
	// for tests with a server on the same machine; leave it nil elsewhere.
	Allow func(netip.AddrPort) bool
}

// A Client gets files. It is safe for parallel use.
type Client struct {
	opts     Options
	http     *http.Client
	requests chan struct{} // a Get holds one
	decoding chan struct{} // who decodes an image holds it
}

// New returns a Client.
func New(opts Options) *Client {
	opts.fill()
	c := &Client{opts: opts, requests: make(chan struct{}, opts.MaxParallel), decoding: make(chan struct{}, 1)}
	c.http = &http.Client{Transport: c.transport(), CheckRedirect: c.checkRedirect}
	return c
}

func (o *Options) fill() {
	if o.MaxBytes <= 0 {
		o.MaxBytes = 5 << 20
	}
	if o.MaxPixels <= 0 {
		o.MaxPixels = 40e6
	}
	if o.Timeout <= 0 {
		o.Timeout = 10 * time.Second
	}
	if o.MaxRedirects == 0 {
		o.MaxRedirects = 3
	}
	if o.MaxParallel <= 0 {
		o.MaxParallel = 4
	}
	if o.Ports == nil {
		o.Ports = []uint16{80, 443}
	}
	if o.UserAgent == "" {
		o.UserAgent = "earshot"
	}
	o.Ports = slices.Clone(o.Ports)
}

// Get returns the body at an address and the type that its server gives it, which
// may be empty or wrong. Anything but status 200 is an error. The cause of an error
// is ErrRefused, ErrTooLarge, or that of ctx, where it is one of these.
func (c *Client) Get(ctx context.Context, rawURL string) (body []byte, contentType string, err error) {
	u, err := c.parse(rawURL)
	if err != nil {
		return nil, "", err
	}
	ctx, cancel := context.WithTimeout(ctx, c.opts.Timeout)
	defer cancel()
	if err := acquire(ctx, c.requests); err != nil {
		return nil, "", fmt.Errorf("wait for a turn to get %s: %w", u.Host, err)
	}
	defer func() { <-c.requests }()

	req, err := http.NewRequestWithContext(ctx, http.MethodGet, u.String(), nil)
	if err != nil {
		return nil, "", err
	}
	req.Header.Set("User-Agent", c.opts.UserAgent)
	resp, err := c.http.Do(req)
	if err != nil {
		return nil, "", err
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		return nil, "", fmt.Errorf("get from %s: status %d", u.Host, resp.StatusCode)
	}
	body, err = c.read(resp)
	if err != nil {
		return nil, "", fmt.Errorf("get from %s: %w", u.Host, err)
	}
	return body, resp.Header.Get("Content-Type"), nil
}

// read returns the body of a response, which the transport has decompressed.
func (c *Client) read(resp *http.Response) ([]byte, error) {
	if resp.ContentLength > c.opts.MaxBytes {
		return nil, fmt.Errorf("%d bytes: %w", resp.ContentLength, ErrTooLarge)
	}
	body, err := io.ReadAll(io.LimitReader(resp.Body, c.opts.MaxBytes+1))
	if err != nil {
		return nil, err
	}
	if int64(len(body)) > c.opts.MaxBytes {
		return nil, fmt.Errorf("more than %d bytes: %w", c.opts.MaxBytes, ErrTooLarge)
	}
	return body, nil
}

// acquire waits for a place in slots.
func acquire(ctx context.Context, slots chan struct{}) error {
	select {
	case slots <- struct{}{}:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
