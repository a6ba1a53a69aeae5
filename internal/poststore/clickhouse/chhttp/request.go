package chhttp

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"mime/multipart"
	"net/http"
	"net/url"
	"time"
)

// maxURL is the maximum total length of parameters that are sent in the URL. The server accepts 1 MiB,
// but proxies in front of it may accept as little as 8 KiB. More is sent as a form.
const maxURL = 4 << 10

// errTimeout is the cause of a statement that took longer than [Options.Timeout].
var errTimeout = fmt.Errorf("clickhouse: the statement took too long: %w", context.DeadlineExceeded)

// A request is a statement to send.
type request struct {
	kind string // as in [Observation]
	sql  string
	args *Args
	body *body // rows of an INSERT statement
	rows int   // in body
}

// run sends a request, passes its successful response to read, and reports it to [Options.Observe].
func (c *Client) run(ctx context.Context, r request, read func(*response) error) error {
	start, rows := time.Now(), r.rows
	err := c.send(ctx, r, func(resp *response) error {
		err := read(resp)
		rows += resp.rows
		return err
	})
	if c.options.Observe != nil {
		c.options.Observe(Observation{Kind: r.kind, Code: codeOf(err), Duration: time.Since(start), Rows: rows})
	}
	return err
}

// codeOf returns the code of an error as in [Observation].
func codeOf(err error) int {
	if err == nil {
		return 0
	}
	if e, ok := errors.AsType[*Error](err); ok && e.Code != 0 {
		return e.Code
	}
	return -1
}

// send sends a request and passes its successful response to read.
func (c *Client) send(ctx context.Context, r request, read func(*response) error) error {
	req, err := c.newRequest(ctx, r)
	if err != nil {
		return err
	}
	resp, err := c.http.Do(req)
	if err != nil {
		return networkFailure(ctx, err)
	}
	defer resp.Body.Close()
	c.heard(resp)
	if resp.StatusCode != http.StatusOK || resp.Header.Get("X-ClickHouse-Exception-Code") != "" {
		text, _ := io.ReadAll(io.LimitReader(resp.Body, maxErrorText)) // a part of the text is better than none
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		return newError(resp.StatusCode, resp.Header, string(text))
	}
	if resp.ContentLength < 0 && resp.ProtoMajor == 1 && len(resp.TransferEncoding) == 0 {
		return errors.New("clickhouse: the response has neither a length nor chunks, so its end cannot be recognized")
	}
	err = read(newResponse(resp))
	if _, network := errors.AsType[*networkError](err); network && ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return err
}

// newRequest returns the HTTP request of a statement.
func (c *Client) newRequest(ctx context.Context, r request) (*http.Request, error) {
	query := url.Values{}
	if c.options.Database != "" {
		query.Set("database", c.options.Database)
	}
	body, contentType := []byte(r.sql), "text/plain; charset=UTF-8"
	switch {
	case r.body != nil:
		query.Set("query", r.sql)
		body, contentType = nil, "application/octet-stream"
	case r.args != nil && r.args.size > maxURL:
		var err error
		if body, contentType, err = form(r); err != nil {
			return nil, err
		}
	case r.args != nil:
		for i, v := range r.args.values {
			query.Set("param_"+argName(i), v)
		}
	}
	u := *c.url
	u.RawQuery = query.Encode()
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, u.String(), bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	if r.body != nil {
		req.Body, req.ContentLength = r.body.open(), r.body.size
		req.GetBody = func() (io.ReadCloser, error) { return r.body.open(), nil }
	}
	req.Header.Set("Content-Type", contentType)
	req.Header.Set("User-Agent", "Earshot")
	if c.options.User != "" {
		req.Header.Set("X-ClickHouse-User", c.options.User)
	}
	if c.options.Password != "" {
		req.Header.Set("X-ClickHouse-Key", c.options.Password)
	}
	if r.kind != "exec" {
		// It is harmless to repeat these requests. The header is not sent, but because of it, net/http
		// repeats them if the server has just closed the idle connection.
		req.Header["Idempotency-Key"] = nil
	}
	return req, nil
}

// form returns a statement and its parameters as a form.
func form(r request) (body []byte, contentType string, err error) {
	var b bytes.Buffer
	w := multipart.NewWriter(&b)
	err = w.WriteField("query", r.sql)
	for i, v := range r.args.values {
		err = errors.Join(err, w.WriteField("param_"+argName(i), v))
	}
	err = errors.Join(err, w.Close())
	return b.Bytes(), w.FormDataContentType(), err
}

// networkFailure returns the error of a request without response. It omits the URL, which contains the
// values of the statement.
func networkFailure(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	if u, ok := errors.AsType[*url.Error](err); ok {
		err = u.Err
	}
	return &networkError{err: err}
}
