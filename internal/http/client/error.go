package client

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// An Error is an error response. Message is the server's message.
type Error struct {
	Status     int
	Message    string
	RetryAfter time.Duration // 0: the server did not say
}

// Error returns the server's message.
func (e *Error) Error() string { return e.Message }

// Temporary reports whether the same request may succeed later.
func (e *Error) Temporary() bool {
	return e.Status == http.StatusTooManyRequests || e.Status == http.StatusServiceUnavailable
}

func newError(resp *http.Response, body []byte) *Error {
	e := &Error{Status: resp.StatusCode, RetryAfter: retryAfter(resp.Header, time.Now())}
	var reply struct{ Message string }
	if json.Unmarshal(body, &reply) == nil {
		e.Message = strings.TrimSpace(reply.Message)
	}
	if e.Message == "" { // not from Earshot but from a proxy or another program
		e.Message = fmt.Sprintf("the server responded with %d %s", resp.StatusCode, http.StatusText(resp.StatusCode))
	}
	return e
}

// retryAfter parses the Retry-After header, which contains seconds or a date.
func retryAfter(h http.Header, now time.Time) time.Duration {
	v := h.Get("Retry-After")
	if seconds, err := strconv.ParseInt(v, 10, 32); err == nil && seconds > 0 {
		return time.Duration(seconds) * time.Second
	}
	if at, err := http.ParseTime(v); err == nil && at.After(now) {
		return at.Sub(now)
	}
	return 0
}
