package rest

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"earshot"
	"earshot/internal/limit"
)

type largeParams struct {
	Body map[string]string `body:"json,large"`
}

func showLarge(_ context.Context, _ *earshot.Caller, p largeParams) (string, error) {
	return p.Body["name"], nil
}

// stallable returns a handler with a route for each kind of body: /public, /small and /large.
func stallable() http.Handler {
	return New(Options{Authenticate: authenticate, Limits: limits(0, 0)}, []Route{
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

// TestLargeBodiesWaitForMemory stalls bodies of one user, which may use half of the 512 MB. A body
// counts three times.
func TestLargeBodiesWaitForMemory(t *testing.T) {
	const busy = "Too many large requests at the same time. Please send fewer at once and try again"
	f := func(name string, stalled int, length int64, by string, waits bool) {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				h := stallable()
				stall(t, h, stalled, "/large?auth=plain", length)
				body := `{"name":"a"}` + strings.Repeat(" ", 2<<20-12)
				began := time.Now()
				w := request(h, "POST", "/large?auth="+by, body)
				took := time.Since(began)
				if waits {
					check(t, w, 503, failureBody(busy))
					if w.Header().Get("Retry-After") == "" {
						t.Error("no Retry-After")
					}
				} else {
					check(t, w, 200, `"a"`)
				}
				if waited := took == limit.MemoryWait; waited != waits {
					t.Errorf("it took %v", took)
				}
			})
		})
	}
	f("two large bodies leave memory", 2, 32<<20, "plain", false)
	f("three large bodies use the memory of the user", 3, 32<<20, "plain", true)
	f("they leave memory for others", 100, 32<<20, "admin", false)
	f("bodies of unknown length need no memory before they arrive", 100, -1, "plain", false)
	f("41 bodies of 2 MB leave memory", 41, 2<<20, "plain", false)
	f("50 bodies of 2 MB use the memory of the user", 50, 2<<20, "plain", true)
}

// TestBodiesOfUnknownLengthAreCounted sends a body that is never complete.
func TestBodiesOfUnknownLengthAreCounted(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		budgets := limits(0, 0)
		h := New(Options{Authenticate: authenticate, Limits: budgets}, []Route{Handle("POST", "/large", SignedIn, showLarge)})
		body, end := io.Pipe()
		r := httptest.NewRequest("POST", "/large?auth=plain", body)
		r.ContentLength = -1
		var finished sync.WaitGroup
		finished.Go(func() { h.ServeHTTP(httptest.NewRecorder(), r) })
		io.WriteString(end, strings.Repeat(" ", 64<<10))
		if used := budgets.Memory.Used(); used != 0 {
			t.Errorf("a small body uses %d bytes of the budget", used)
		}
		io.WriteString(end, strings.Repeat(" ", 3<<20))
		synctest.Wait()
		if used := budgets.Memory.Used(); used < 9<<20 || used > 18<<20 {
			t.Errorf("3 MB use %d bytes of the budget", used)
		}
		end.Close()
		finished.Wait()
		if used := budgets.Memory.Used(); used != 0 {
			t.Errorf("%d bytes are in use after the request", used)
		}
	})
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
