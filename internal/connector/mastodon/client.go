package mastodon

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"earshot"
	"earshot/internal/connector"
	"earshot/internal/fetch"
)

const timeout = 30 * time.Second // of a request

// retryWaits is how long to wait after each failed attempt of a request. The attempt after the last
// wait is final.
var retryWaits = []time.Duration{time.Second, 3 * time.Second}

// A client sends requests to a server, one after the other.
type client struct {
	connector.Env
	config
	count func(connector.Counters)
	limit limit
}

func newClient(e connector.Env, cfg config, count func(connector.Counters)) *client {
	return &client{Env: e, config: cfg, count: count}
}

// A statusError is an error response that the caller may know how to handle.
type statusError struct {
	code      int
	explained bool // the body is the error object of Mastodon's interface
	error
}

func (e *statusError) Unwrap() error { return e.error }

func isStatus(err error, codes ...int) bool {
	var status *statusError
	if !errors.As(err, &status) {
		return false
	}
	for _, code := range codes {
		if status.code == code {
			return true
		}
	}
	return false
}

// get returns the body of a response. It stays within the limits of the server, and retries
// after temporary errors.
func (c *client) get(ctx context.Context, path string, query url.Values, size int64) ([]byte, error) {
	address := c.base + path
	if len(query) > 0 {
		address += "?" + query.Encode()
	}
	for attempt := 0; ; attempt++ {
		if err := c.limit.wait(ctx, &c.Env); err != nil {
			return nil, err
		}
		body, err := c.try(ctx, address, size)
		var retry *connector.RetryError
		var status *statusError
		final := errors.As(err, &retry) || errors.As(err, &status) && status.code < 500 || errors.Is(err, fetch.ErrRefused) || errors.Is(err, fetch.ErrTooLarge)
		if err == nil || final || ctx.Err() != nil || attempt == len(retryWaits) {
			return body, err
		}
		c.count(connector.Counters{Reconnects: 1})
		if err := c.Wait(ctx, retryWaits[attempt]); err != nil {
			return nil, err
		}
	}
}

func (c *client) try(ctx context.Context, address string, size int64) ([]byte, error) {
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	resp, err := c.open(ctx, address)
	if err != nil {
		return nil, err
	}
	c.limit.update(resp.Header, c.Now())
	if err := c.responseError(resp); err != nil {
		return nil, err
	}
	body, err := fetch.ReadAll(resp, size)
	c.count(connector.Counters{Bytes: int64(len(body))})
	return body, err
}

// open sends a request with the access token.
func (c *client) open(ctx context.Context, address string) (*http.Response, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return nil, err
	}
	if c.Secret != "" {
		req.Header.Set("Authorization", "Bearer "+c.Secret)
	}
	return c.HTTP.Do(req)
}

// responseError returns nil for a response with a body to read. Otherwise it closes the body.
func (c *client) responseError(resp *http.Response) error {
	err := connector.ResponseError(resp, c.Now())
	if err == nil {
		return nil
	}
	message := c.message(resp)
	var retry *connector.RetryError
	switch code := resp.StatusCode; {
	case errors.As(err, &retry):
		return err
	case code == http.StatusUnauthorized && c.Secret != "":
		err = fmt.Errorf("%w: %s rejected the access token%s; create a new one with the scope read:statuses", connector.ErrAttention, c.base, message)
	case code == http.StatusUnauthorized, code == http.StatusForbidden, code == http.StatusUnprocessableEntity, code == http.StatusUnavailableForLegalReasons:
		err = fmt.Errorf("%w: %s denied access%s", connector.ErrAttention, c.base, message)
	default:
		err = fmt.Errorf("%w%s", err, message)
	}
	return &statusError{resp.StatusCode, message != "", err}
}

// message returns the error message in a response, in parentheses, and closes its body.
func (c *client) message(resp *http.Response) string {
	body, err := fetch.ReadAll(resp, 4<<10)
	var answer struct {
		Error string `json:"error"`
	}
	if err != nil || json.Unmarshal(body, &answer) != nil || answer.Error == "" {
		return ""
	}
	text := earshot.Clip(strings.Join(strings.Fields(answer.Error), " "), 200)
	if c.Secret != "" {
		text = strings.ReplaceAll(text, c.Secret, "…")
	}
	return " (" + text + ")"
}

// Servers allow 300 requests per five minutes for each account and each address. Other programs may
// share both, so the remaining number comes from the server's responses.
const (
	window      = 5 * time.Minute
	windowLimit = 250 // for servers that do not say
)

// limit keeps the client within the limits of the server. The zero limit is ready to use.
type limit struct {
	total     int       // requests in a period
	remaining int       // in the current period
	reset     time.Time // end of the current period; zero: before the first request
}

// update applies the limits stated in a response.
func (l *limit) update(h http.Header, now time.Time) {
	if !now.Before(l.reset) {
		*l = limit{windowLimit, windowLimit, now.Add(window)}
	}
	l.remaining--
	total, err1 := strconv.Atoi(h.Get("X-RateLimit-Limit"))
	remaining, err2 := strconv.Atoi(h.Get("X-RateLimit-Remaining"))
	reset, err3 := time.Parse(time.RFC3339, h.Get("X-RateLimit-Reset"))
	if err1 != nil || err2 != nil || err3 != nil || !reset.After(now) {
		return
	}
	if end := now.Add(2 * window); reset.After(end) {
		reset = end // the clocks differ
	}
	*l = limit{total, remaining, reset}
}

// wait waits until another request is allowed. It reserves a tenth of the requests for a restart,
// after which the remaining number is unknown.
func (l *limit) wait(ctx context.Context, e *connector.Env) error {
	if d := l.reset.Sub(e.Now()); d > 0 && l.remaining <= l.total/10 {
		return e.Wait(ctx, d+time.Second)
	}
	return ctx.Err()
}

// spare returns how long to wait before a request that is not urgent: until half of the requests
// remain.
func (l *limit) spare(now time.Time) time.Duration {
	if l.remaining > l.total/2 {
		return 0
	}
	return max(l.reset.Sub(now), 0)
}
