package feed

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"runtime"
	"strings"
	"time"

	"earshot/internal/connector"
	"earshot/internal/fetch"
)

// Limits on responses.
const (
	maxBody      = 10 << 20  // bytes of a feed
	smallBody    = 256 << 10 // bytes of a feed that does not need a slot for large ones
	maxRedirects = 5
	requestTime  = 45 * time.Second // for a response with its body
	largeFeeds   = 2                // in memory at the same time
	largePages   = 4
)

// A client sends requests, one at a time to each host.
type client struct {
	env   connector.Env
	http  *http.Client // does not follow redirects, because these may lead to another host
	queue *queue

	// Semaphores that bound the memory for responses. A worker may wait for a page while it holds a
	// feed, but not the other way around.
	feeds, pages chan struct{} // responses of more than smallBody
	decoders     chan struct{}
}

func newClient(env connector.Env) *client {
	direct := *env.HTTP
	direct.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	return &client{
		env: env, http: &direct, queue: newQueue(env.Now, env.Wait),
		feeds: make(chan struct{}, largeFeeds), pages: make(chan struct{}, largePages), decoders: make(chan struct{}, runtime.GOMAXPROCS(0)),
	}
}

// A response is an HTTP response with its body.
type response struct {
	*http.Response
	url  *url.URL      // that was requested
	body []byte        // of responses with the status 200
	slot chan struct{} // semaphore that a large response holds
}

// A request says what to request.
type request struct {
	url            *url.URL
	held           bool   // the caller has acquired the host
	etag, modified string // validators of the document that is known
	accept         string
	limit          int64         // bytes of the body
	truncate       bool          // truncate the body at the limit instead of failing
	slot           chan struct{} // semaphore for a large body
}

// hostOf returns the host whose limits a request counts against.
func hostOf(u *url.URL) string {
	host := strings.ToLower(u.Host)
	if name, port, err := net.SplitHostPort(host); err == nil && (port == "80" || port == "443") {
		return name
	}
	return host
}

// do sends a request, without following redirects. It waits for the host and releases it. Errors
// are user-facing.
func (c *client) do(ctx context.Context, r request) (*response, error) {
	host := hostOf(r.url)
	if !r.held {
		if err := c.queue.acquire(ctx, host); err != nil {
			return nil, err
		}
	}
	var until time.Time
	defer func() { c.queue.release(host, until) }()

	timed, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	limit := time.AfterFunc(requestTime, func() { cancel(context.DeadlineExceeded) })
	defer limit.Stop()
	req, err := http.NewRequestWithContext(timed, http.MethodGet, r.url.String(), nil)
	if err != nil {
		return nil, err
	}
	req.Header.Set("Accept", r.accept)
	if r.etag != "" {
		req.Header.Set("If-None-Match", r.etag)
	}
	if r.modified != "" {
		req.Header.Set("If-Modified-Since", r.modified)
	}
	resp, err := c.http.Do(req)
	if err != nil {
		return nil, explain(ctx, host, cmp.Or(context.Cause(timed), err))
	}
	defer resp.Body.Close()
	result := &response{Response: resp, url: r.url}
	if retry, ok := errors.AsType[*connector.RetryError](connector.ResponseError(resp, c.env.Now())); ok {
		until = c.env.Now().Add(retry.After)
	}
	if resp.StatusCode != http.StatusOK {
		io.CopyN(io.Discard, resp.Body, 4<<10) // so that the connection can be used again
		return result, nil
	}
	if err := read(ctx, result, r, limit); err != nil {
		free(result)
		return nil, explain(ctx, host, cmp.Or(context.Cause(timed), err))
	}
	return result, nil
}

// read reads the body. Beyond smallBody, it waits for one of the slots for large responses, so that
// many large feeds need no more memory than a few. The timeout of the response then starts again.
func read(ctx context.Context, resp *response, r request, limit *time.Timer) error {
	if resp.ContentLength > r.limit && !r.truncate {
		return fmt.Errorf("%d bytes: %w", resp.ContentLength, fetch.ErrTooLarge)
	}
	body, err := io.ReadAll(io.LimitReader(resp.Body, min(smallBody, r.limit)+1))
	if err == nil && len(body) > smallBody {
		limit.Stop()
		select {
		case r.slot <- struct{}{}:
			resp.slot = r.slot
		case <-ctx.Done():
			return ctx.Err()
		}
		limit.Reset(requestTime)
		var rest []byte
		rest, err = io.ReadAll(io.LimitReader(resp.Body, r.limit+1-int64(len(body))))
		body = append(body, rest...)
	}
	if int64(len(body)) > r.limit {
		if !r.truncate {
			return fmt.Errorf("more than %d bytes: %w", r.limit, fetch.ErrTooLarge)
		}
		body, err = body[:r.limit], nil
	}
	resp.body = body
	return err
}

// free releases the resources of a response. It may be called more than once.
func free(resp *response) {
	if resp != nil && resp.slot != nil {
		<-resp.slot
		resp.slot, resp.body = nil, nil
	}
}

// explain turns the error of a request into a user-facing one.
func explain(ctx context.Context, host string, err error) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	var timeout net.Error
	var name *fetch.NameError
	switch {
	case errors.Is(err, fetch.ErrTooLarge):
		return fmt.Errorf("%s sent more than %d MB", host, maxBody>>20)
	case errors.As(err, &name):
		return name
	case errors.Is(err, fetch.ErrRefused):
		return fmt.Errorf("%s is not a public address: %w", host, err)
	case errors.Is(err, context.DeadlineExceeded), errors.As(err, &timeout) && timeout.Timeout():
		return fmt.Errorf("%s did not respond in time", host)
	}
	var request *url.Error
	if errors.As(err, &request) {
		err = request.Err // without the address
	}
	return fmt.Errorf("%s cannot be read: %w", host, err)
}

// follow sends a request and follows redirects. moved is the address that the first one
// permanently redirects to, or nil.
func (c *client) follow(ctx context.Context, r request) (resp *response, moved *url.URL, err error) {
	permanent := true
	for range maxRedirects + 1 {
		resp, err = c.do(ctx, r)
		if err != nil {
			return nil, nil, err
		}
		switch resp.StatusCode {
		case http.StatusMovedPermanently, http.StatusPermanentRedirect:
		case http.StatusFound, http.StatusSeeOther, http.StatusTemporaryRedirect:
			permanent = false
		default:
			return resp, moved, nil
		}
		next, err := r.url.Parse(resp.Header.Get("Location"))
		if err != nil || resp.Header.Get("Location") == "" || next.Scheme != "http" && next.Scheme != "https" || next.User != nil || len(next.String()) > maxAddress {
			return nil, nil, fmt.Errorf("%s redirects to an invalid address", hostOf(r.url))
		}
		next.Fragment, next.RawFragment = "", ""
		if permanent {
			moved = next
		}
		r.url, r.held = next, false
	}
	return nil, nil, fmt.Errorf("%s redirects too many times", hostOf(r.url))
}
