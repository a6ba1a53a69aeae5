package rest

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"strings"
	"testing"
	"time"

	"earshot"
)

// giving returns a handler whose only route, GET /x, returns v and err.
func giving[R any](o Options, v R, err error) http.Handler {
	return New(o, []Route{Handle("GET", "/x", Public, func(context.Context, *earshot.Caller, none) (R, error) { return v, err })})
}

type pageResponse struct {
	URL    string  `json:"url"`
	Items  []int   `json:"items"`
	Status Success `json:"status"`
}

type waitingResponse struct {
	Page pageResponse `json:"page"`
}

func (waitingResponse) HTTPStatus() int         { return http.StatusAccepted }
func (waitingResponse) HTTPHeader() http.Header { return http.Header{"x-stream-cursor": {"7"}} }

func TestResponses(t *testing.T) {
	page := pageResponse{URL: "http://é.com/?a=1&b=<2>", Items: []int{}}
	const pageJSON = `{"url":"http://é.com/?a=1&b=<2>","items":[],"status":"success"}`

	w := request(giving(Options{}, page, nil), "GET", "/x", "", "X-Request-Id", "r1")
	check(t, w, 200, pageJSON)
	want := http.Header{
		"Content-Type":           {"application/json;charset=UTF-8"},
		"Content-Length":         {fmt.Sprint(len(pageJSON))},
		"X-Content-Type-Options": {"nosniff"},
		"Cache-Control":          {"no-store"},
		"X-Request-Id":           {"r1"},
	}
	checkHeader(t, w.Header(), want)

	w = request(giving(Options{}, waitingResponse{page}, nil), "GET", "/x", "")
	check(t, w, 202, `{"page":`+pageJSON+`}`)
	if got := w.Header().Get("X-Stream-Cursor"); got != "7" {
		t.Errorf("got cursor %q, want 7", got)
	}

	check(t, request(giving(Options{}, Created[pageResponse]{page}, nil), "GET", "/x", ""), 201, pageJSON)

	w = request(giving(Options{}, NoContent{}, nil), "GET", "/x", "", "X-Request-Id", "r1")
	check(t, w, 204, "")
	checkHeader(t, w.Header(), http.Header{
		"X-Content-Type-Options": {"nosniff"}, "Cache-Control": {"no-store"}, "X-Request-Id": {"r1"},
	})
}

func checkHeader(t *testing.T, got, want http.Header) {
	t.Helper()
	equal := func(a, b []string) bool { return strings.Join(a, "|") == strings.Join(b, "|") }
	if !maps.EqualFunc(got, want, equal) {
		t.Errorf("got headers  %v\nwant headers %v", got, want)
	}
}

func TestResponseEncodingError(t *testing.T) {
	for range 3 { // buffers are reused
		check(t, request(giving(Options{}, []any{"half", func() {}}, nil), "GET", "/x", ""), 500, failureBody("Internal error"))
		check(t, request(giving(Options{}, "whole", nil), "GET", "/x", ""), 200, `"whole"`)
	}
}

func TestErrors(t *testing.T) {
	f := func(err error, status int, message string, headers http.Header) {
		t.Helper()
		w := request(giving(Options{}, none{}, err), "GET", "/x", "", "X-Request-Id", "r1")
		check(t, w, status, failureBody(message))
		want := http.Header{
			"Content-Type":           {"application/json;charset=UTF-8"},
			"Content-Length":         {fmt.Sprint(w.Body.Len())},
			"X-Content-Type-Options": {"nosniff"},
			"Cache-Control":          {"no-store"},
			"X-Request-Id":           {"r1"},
		}
		maps.Copy(want, headers)
		checkHeader(t, w.Header(), want)
	}
	kind := func(k earshot.Kind) error { return earshot.Errorf(k, "<why> & é") }
	f(kind(earshot.Invalid), 400, "<why> & é", nil)
	f(kind(earshot.Unauthenticated), 401, "<why> & é", http.Header{"Www-Authenticate": {"Bearer"}})
	f(kind(earshot.Forbidden), 403, "<why> & é", nil)
	f(kind(earshot.NotFound), 404, "<why> & é", nil)
	f(kind(earshot.TooLarge), 413, "<why> & é", nil)
	f(kind(earshot.OverLimit), 429, "<why> & é", nil)
	f(kind(earshot.Conflict), 409, "<why> & é", nil)
	f(kind(earshot.Unavailable), 503, "<why> & é", nil)
	f(kind(earshot.StorageFull), 507, "<why> & é", nil)
	f(fmt.Errorf("store: %w", kind(earshot.NotFound)), 404, "<why> & é", nil)
	f(&earshot.Error{Kind: earshot.Unavailable, Message: "later", RetryAfter: 1500 * time.Millisecond, Err: errors.New("cause")},
		503, "later", http.Header{"Retry-After": {"2"}})
	f(&earshot.Error{Message: "no kind"}, 500, "Internal error", nil)
	f(errors.New("disk on fire"), 500, "Internal error", nil)
	f(context.DeadlineExceeded, 500, "Internal error", nil)
	f(context.Canceled, 500, "Internal error", nil) // the client is still connected
}
