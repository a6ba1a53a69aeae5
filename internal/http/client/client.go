// Package client calls a running Earshot server over HTTP: the management API under /manage/v1 and
// the few public endpoints that manage resources. It handles requests, paging, errors and retries.
// The caller decides what to request and how to display the response.
package client

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"
)

// A Client calls one server on behalf of one user. It is safe for concurrent use.
type Client struct {
	Server string       // for example http://127.0.0.1:8080
	Token  string       // empty: anonymous, which is enough to sign in
	HTTP   *http.Client // nil: http.DefaultClient; see NewHTTP

	// Wait waits for d, or until ctx is canceled, and then returns ctx's error. If Wait is nil, the
	// client uses a timer.
	Wait func(ctx context.Context, d time.Duration) error
}

// responseTimeout is how long a server may take to start its response.
const responseTimeout = 5 * time.Minute

// maxResponseBytes bounds the memory that a response may use.
const maxResponseBytes = 64 << 20

// NewHTTP returns an HTTP client that gives up on servers that do not respond within
// responseTimeout.
func NewHTTP() *http.Client {
	transport := http.DefaultTransport.(*http.Transport).Clone()
	transport.ResponseHeaderTimeout = responseTimeout
	return &http.Client{Transport: transport}
}

// A Request is one API call. Body is encoded as JSON; a [json.RawMessage] is sent unchanged, and
// nil sends no body.
type Request struct {
	Method string
	Path   string // escaped; see Path
	Query  url.Values
	Body   any
}

// Path joins the parts of a path and escapes each of them.
func Path(parts ...string) string {
	var b strings.Builder
	for _, part := range parts {
		b.WriteByte('/')
		b.WriteString(url.PathEscape(part))
	}
	return b.String()
}

// Call returns the JSON of the response, or nil if the response is empty. If the server responds
// with an error, the error is an [*Error].
func (c *Client) Call(ctx context.Context, r Request) (json.RawMessage, error) {
	header := http.Header{}
	var body []byte
	if r.Body != nil {
		header.Set("Content-Type", "application/json")
		var err error
		if body, err = encode(r.Body); err != nil {
			return nil, err
		}
	}
	return c.send(ctx, r, header, body)
}

// encode returns the JSON of body. It returns a json.RawMessage unchanged.
func encode(body any) ([]byte, error) {
	if raw, ok := body.(json.RawMessage); ok {
		return raw, nil
	}
	return json.Marshal(body)
}

// Send sends a body that is not JSON, and returns the JSON of the response like [Client.Call].
func (c *Client) Send(ctx context.Context, r Request, contentType string, body []byte) (json.RawMessage, error) {
	return c.send(ctx, r, http.Header{"Content-Type": {contentType}}, body)
}

func (c *Client) send(ctx context.Context, r Request, header http.Header, body []byte) (json.RawMessage, error) {
	header.Set("Accept", "application/json")
	resp, err := c.do(ctx, r, header, body)
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close()
	return readResponse(resp)
}

// Download returns the body of a response that is not JSON. The caller must close it. If the server
// responds with an error, the error is an [*Error]. If the connection breaks later, Read returns an
// error.
func (c *Client) Download(ctx context.Context, r Request) (io.ReadCloser, error) {
	resp, err := c.do(ctx, r, http.Header{}, nil)
	if err != nil {
		return nil, err
	}
	if resp.StatusCode >= 300 {
		defer resp.Body.Close()
		_, err := readResponse(resp)
		return nil, err
	}
	return resp.Body, nil
}

func (c *Client) do(ctx context.Context, r Request, header http.Header, body []byte) (*http.Response, error) {
	address, err := c.address(r)
	if err != nil {
		return nil, err
	}
	req, err := http.NewRequestWithContext(ctx, r.Method, address, bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	req.Header = header
	if c.Token != "" {
		req.Header.Set("Authorization", "Bearer "+c.Token)
	}
	resp, err := cmp.Or(c.HTTP, http.DefaultClient).Do(req)
	if err != nil {
		return nil, unreachable(c.Server, err)
	}
	return resp, nil
}

func (c *Client) address(r Request) (string, error) {
	u, err := url.Parse(c.Server)
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		return "", fmt.Errorf("server address %q must look like http://127.0.0.1:8080", c.Server)
	}
	address := strings.TrimSuffix(c.Server, "/") + r.Path
	if len(r.Query) > 0 {
		address += "?" + r.Query.Encode()
	}
	return address, nil
}

// unreachable returns an error that names only the server, because the path does not matter.
func unreachable(server string, err error) error {
	var cause *url.Error
	if errors.As(err, &cause) {
		err = cause.Err
	}
	return fmt.Errorf("call %s: %w", server, err)
}

func readResponse(resp *http.Response) (json.RawMessage, error) {
	body, err := io.ReadAll(io.LimitReader(resp.Body, maxResponseBytes+1))
	switch {
	case resp.StatusCode >= 300:
		return nil, newError(resp, body)
	case err != nil:
		return nil, fmt.Errorf("read response: %w", err)
	case len(body) > maxResponseBytes:
		return nil, fmt.Errorf("the response is longer than %d bytes", maxResponseBytes)
	case len(bytes.TrimSpace(body)) == 0:
		return nil, nil
	case !json.Valid(body):
		return nil, fmt.Errorf("the response is not JSON; is %s an Earshot server?", resp.Request.URL.Host)
	}
	return body, nil
}
