package rest

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"earshot"
)

type largeParams struct {
	Body map[string]string `body:"json,large"`
}

func showLarge(_ context.Context, _ *earshot.Caller, p largeParams) (string, error) {
	return p.Body["name"], nil
}

// stallable returns a handler with a route for each kind of body: /public, /small and /large.
func stallable() http.Handler {
	return New(Options{Authenticate: authenticate}, []Route{
		Handle("POST", "/public", Public, showBody),
		Handle("POST", "/small", SignedIn, showBody),
		Handle("POST", "/large", SignedIn, showLarge),
	})
}

// stall starts n requests whose bodies never arrive during the test. With a length of -1 they have
// no Content-Length.
func stall(t *testing.T, h http.Handler, n int, target string, length int64, headers ...string) {
	t.Helper()
	body, end := io.Pipe()
	t.Cleanup(func() { end.Close() })
	for range n {
		r := httptest.NewRequest("POST", target, body)
		r.ContentLength = length
		for i := 0; i+1 < len(headers); i += 2 {
			r.Header.Set(headers[i], headers[i+1])
		}
		go h.ServeHTTP(httptest.NewRecorder(), r)
	}
	synctest.Wait()
}

// checkAtOnce sends a body and checks that it is accepted without delay.
func checkAtOnce(t *testing.T, h http.Handler, target string) {
	t.Helper()
	began := time.Now()
	check(t, request(h, "POST", target, `{"name":"a"}`), 200, `"a"`)
	if took := time.Since(began); took > 0 {
		t.Errorf("%s took %v, want no time", target, took)
	}
}

func TestStalledRequestsDoNotBlockOthers(t *testing.T) {
	tests := []struct {
		name    string
		target  string
		length  int64
		headers []string
	}{
		{"public bodies", "/public", 1000, nil},
		{"public bodies of unknown length", "/public", -1, nil},
		{"small bodies", "/small?auth=plain", 1 << 20, nil},
		{"small compressed bodies", "/small?auth=plain", 1000, []string{"Content-Encoding", "gzip"}},
		{"small bodies of routes for large ones", "/large?auth=plain", 1 << 20, nil},
		{"large bodies", "/large?auth=plain", 32 << 20, nil},
		{"large bodies of unknown length", "/large?auth=plain", -1, nil},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				h := stallable()
				stall(t, h, 600, test.target, test.length, test.headers...)
				for _, target := range []string{"/public", "/small?auth=plain", "/large?auth=plain"} {
					checkAtOnce(t, h, target)
				}
			})
		})
	}
}

func TestLargeBodiesWaitForMemory(t *testing.T) {
	const busy = "Too many large requests at the same time. Please send fewer at once and try again"
	f := func(name string, stalled int, length int64, encoding string, waits bool) {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				h := stallable()
				stall(t, h, stalled, "/large?auth=plain", length, "Content-Encoding", encoding)
				r := httptest.NewRequest("POST", "/large?auth=plain", strings.NewReader(`{"name":"a"}`))
				r.ContentLength = -1
				w := httptest.NewRecorder()
				began := time.Now()
				h.ServeHTTP(w, r)
				took := time.Since(began)
				if waits {
					check(t, w, 503, failureBody(busy))
				} else {
					check(t, w, 200, `"a"`)
				}
				if waited := took == bodyMemoryTimeout; waited != waits {
					t.Errorf("it took %v", took)
				}
			})
		})
	}
	f("15 bodies of unknown length leave memory for one more", 15, -1, "", false)
	f("16 bodies of unknown length use all memory", 16, -1, "", true)
	f("16 compressed bodies use all memory", 16, 1000, "gzip", true)
	f("16 bodies of maximum length use all memory", 16, 32<<20, "", true)
	f("200 bodies of 2 MB leave memory", 200, 2<<20, "", false)
	f("250 bodies of 2 MB use all memory", 250, 2<<20, "", true)
}

func TestPublicBodyLimit(t *testing.T) {
	h := New(Options{}, []Route{
		Handle("POST", "/x", Public, showBody),
		Handle("POST", "/large", Public, showLarge),
	})
	object := func(n int) string { return `{"name":"` + strings.Repeat("a", n-11) + `"}` }
	message := failureBody("The request body is larger than 16384 bytes. Please split it into several requests")
	for _, path := range []string{"/x", "/large"} {
		check(t, request(h, "POST", path, object(16<<10)), 200, object(16 << 10)[8:16<<10-1])
		check(t, request(h, "POST", path, object(16<<10+1)), 413, message)
		check(t, request(h, "POST", path, zipped(object(16<<10+1)), "Content-Encoding", "gzip"), 413, message)
	}
}
