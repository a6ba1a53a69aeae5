// Package fetch downloads files from untrusted URLs, such as the images of posts, and protects
// against server-side request forgery. It connects only to public addresses, regardless of names,
// redirects and DNS, and limits the size, time and number of downloads.
package fetch

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/netip"
	"slices"
	"strconv"
	"time"
)

// ErrRefused is wrapped by errors for URLs that are never requested. A retry is pointless.
var ErrRefused = errors.New("address refused")

// ErrTooLarge is wrapped by errors for files and images that exceed the limits.
var ErrTooLarge = errors.New("too large")

// A StatusError is the error for a response with a status other than 200.
type StatusError struct {
	Host       string
	Code       int
	RetryAfter time.Duration // how long the server asks to wait; 0: not stated
}

func (e *StatusError) Error() string { return fmt.Sprintf("get from %s: status %d", e.Host, e.Code) }

// Options limits a Client. The zero value of a field selects its default.
type Options struct {
	MaxBytes     int64         // maximum size of a decompressed body; default 5 MB
	Timeout      time.Duration // for a Get, including waiting and redirects; default 10 s
	MaxRedirects int           // default 3; negative: none
	MaxParallel  int           // maximum number of concurrent Gets; default 4
	Ports        []uint16      // default 80 and 443
	UserAgent    string        // default earshot

	// Allow permits addresses that are not public or have another port. It is for tests with a
	// local server; leave it nil otherwise.
	Allow func(netip.AddrPort) bool
}

// A Client downloads files. It is safe for concurrent use.
type Client struct {
	opts     Options
	http     *http.Client
	requests chan struct{} // semaphore for Gets
}

// New returns a Client.
func New(opts Options) *Client {
	opts.fill()
	c := &Client{opts: opts, requests: make(chan struct{}, opts.MaxParallel)}
	c.http = &http.Client{Transport: c.transport(), CheckRedirect: c.checkRedirect}
	return c
}

func (o *Options) fill() {
	if o.MaxBytes <= 0 {
		o.MaxBytes = 5 << 20
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

// Get returns the body at a URL and its content type, which may be empty or wrong. Any status
// except 200 is a [StatusError]. Errors wrap ErrRefused, ErrTooLarge or the error of ctx if one of
// these is the cause.
func (c *Client) Get(ctx context.Context, rawURL string) (body []byte, contentType string, err error) {
	u, err := c.parse(rawURL)
	if err != nil {
		return nil, "", err
	}
	ctx, cancel := context.WithTimeout(ctx, c.opts.Timeout)
	defer cancel()
	if err := acquire(ctx, c.requests); err != nil {
		return nil, "", fmt.Errorf("wait to get %s: %w", u.Host, err)
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
		return nil, "", &StatusError{u.Host, resp.StatusCode, retryAfter(resp.Header.Get("Retry-After"))}
	}
	body, err = readAll(resp, c.opts.MaxBytes)
	if err != nil {
		return nil, "", fmt.Errorf("get from %s: %w", u.Host, err)
	}
	return body, resp.Header.Get("Content-Type"), nil
}

// readAll returns the body of a response, which the transport has decompressed.
func readAll(resp *http.Response, limit int64) ([]byte, error) {
	if resp.ContentLength > limit {
		return nil, fmt.Errorf("%d bytes: %w", resp.ContentLength, ErrTooLarge)
	}
	body, err := io.ReadAll(io.LimitReader(resp.Body, limit+1))
	if err != nil {
		return nil, err
	}
	if int64(len(body)) > limit {
		return nil, fmt.Errorf("more than %d bytes: %w", limit, ErrTooLarge)
	}
	return body, nil
}

// acquire acquires a semaphore.
func acquire(ctx context.Context, sem chan struct{}) error {
	select {
	case sem <- struct{}{}:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// retryAfter parses the number of seconds in a Retry-After header. Dates are rare and ignored.
func retryAfter(value string) time.Duration {
	seconds, err := strconv.Atoi(value)
	if err != nil || seconds < 0 {
		return 0
	}
	return time.Duration(min(seconds, 24*60*60)) * time.Second
}
