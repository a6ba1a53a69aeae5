package connector

import (
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// maxRetryAfter bounds how long a server can stop a source. A day is the longest period of a quota.
const maxRetryAfter = 24 * time.Hour

// ResponseError returns nil for a response with a status below 400. Otherwise it returns an error
// that a Connector can return from Run: a [RetryError] if the server says to wait, an error that
// wraps [ErrAttention] if it denies access, and a plain error for everything else. It does not close
// the body.
func ResponseError(resp *http.Response, now time.Time) error {
	if resp.StatusCode < 400 {
		return nil
	}
	host := resp.Request.URL.Host
	err := fmt.Errorf("%s returned %s", host, resp.Status)
	after, ok := RetryAfter(resp.Header, now)
	switch {
	case resp.StatusCode == http.StatusTooManyRequests:
		if !ok {
			after = time.Minute
		}
		return &RetryError{after, fmt.Errorf("%s is limiting requests", host)}
	case ok:
		return &RetryError{after, err}
	case resp.StatusCode == http.StatusUnauthorized, resp.StatusCode == http.StatusForbidden, resp.StatusCode == http.StatusUnavailableForLegalReasons:
		return fmt.Errorf("%w: %w", ErrAttention, err)
	}
	return err
}

// RetryAfter returns how long a response says to wait: seconds or a date in Retry-After, or the date
// in X-RateLimit-Reset if no requests remain. It reports whether the response says to wait.
func RetryAfter(h http.Header, now time.Time) (time.Duration, bool) {
	value := strings.TrimSpace(h.Get("Retry-After"))
	if value == "" && h.Get("X-RateLimit-Remaining") == "0" {
		value = strings.TrimSpace(h.Get("X-RateLimit-Reset"))
		if t, err := time.Parse(time.RFC3339, value); err == nil {
			return clampWait(t.Sub(now)), true
		}
		return 0, false
	}
	if seconds, err := strconv.ParseInt(value, 10, 64); err == nil {
		if seconds > int64(maxRetryAfter/time.Second) {
			return maxRetryAfter, true
		}
		return clampWait(time.Duration(seconds) * time.Second), true
	}
	if t, err := http.ParseTime(value); err == nil {
		return clampWait(t.Sub(now)), true
	}
	return 0, false
}

// clampWait returns a wait of at least a second, because clocks differ, and at most maxRetryAfter.
func clampWait(d time.Duration) time.Duration { return min(max(d, time.Second), maxRetryAfter) }
