package rest

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"earshot/internal/limit"
)

// A clock returns a time that the test controls.
type clock struct{ at time.Time }

func (c *clock) now() time.Time { return c.at }

// limits returns budgets with limits on requests under /api/ and elsewhere.
func limits(api, other int) *limit.Limits {
	return &limit.Limits{Memory: limit.NewBudget(512<<20, limit.MemoryWait), Compute: limit.NewBudget(4, limit.ComputeWait),
		Exports: limit.NewBudget(32, limit.ComputeWait), ExportSlots: limit.NewBudget(4, limit.ComputeWait),
		API: limit.NewRate(api), Other: limit.NewRate(other)}
}

// limited returns a handler that allows most requests per minute under /api/, and one more elsewhere.
func limited(most int, c *clock) http.Handler {
	return New(Options{Authenticate: authenticate, Limits: limits(most, most+1), Now: c.now}, []Route{
		Handle("GET", "/api/x", SignedIn, whoami),
		Handle("GET", "/api/panic", Public, panicking),
		Handle("GET", "/manage/x", SignedIn, whoami),
		Plain("GET", "/healthz", http.HandlerFunc(func(http.ResponseWriter, *http.Request) {})).Health(),
	})
}

// rate formats the status and the rate limit headers of a response.
func rate(w *httptest.ResponseRecorder) string {
	h := w.Header()
	return fmt.Sprintf("%d limit=%s remaining=%s retry=%s", w.Code,
		h.Get("X-RateLimit-Limit"), h.Get("X-RateLimit-Remaining"), h.Get("Retry-After"))
}

func TestRateLimit(t *testing.T) {
	c := &clock{time.Date(2024, 1, 31, 12, 0, 42, 500e6, time.UTC)}
	h := limited(2, c)
	f := func(method, target, want string) {
		t.Helper()
		if got := rate(request(h, method, target, "")); got != want {
			t.Errorf("%s %s\ngot  %s\nwant %s", method, target, got, want)
		}
	}
	f("GET", "/api/x?auth=plain", "200 limit=2 remaining=1 retry=")
	f("GET", "/api/x?auth=plain", "200 limit=2 remaining=0 retry=")
	f("GET", "/api/x?auth=plain", "429 limit=2 remaining=0 retry=18")
	f("GET", "/api/nowhere?auth=plain", "429 limit=2 remaining=0 retry=18")
	f("GET", "/api/x?auth=admin", "200 limit=2 remaining=1 retry=") // another user
	f("POST", "/api/x?auth=admin", "405 limit=2 remaining=0 retry=")
	f("GET", "/api/x", "401 limit=2 remaining=1 retry=") // counted by address from here on
	f("GET", "/api?auth=stale", "404 limit=2 remaining=0 retry=")
	f("GET", "/api/x?auth=stale", "429 limit=2 remaining=0 retry=18")
	for range 5 {
		f("GET", "/healthz", "200 limit= remaining= retry=")
	}
	f("GET", "/nowhere", "404 limit= remaining= retry=") // counted separately, by address
	f("GET", "/nowhere", "404 limit= remaining= retry=")
	f("GET", "/manage/x", "401 limit=3 remaining=0 retry=")
	f("GET", "/manage/x", "429 limit=3 remaining=0 retry=18")
	for left := 2; left >= 0; left-- {
		f("GET", "/manage/x?auth=plain", fmt.Sprintf("200 limit=3 remaining=%d retry=", left))
	}
	f("GET", "/manage/x?auth=plain", "429 limit=3 remaining=0 retry=18")
	c.at = c.at.Add(17 * time.Second)
	f("GET", "/api/x?auth=plain", "429 limit=2 remaining=0 retry=1")
	c.at = c.at.Add(time.Second) // the next window
	f("GET", "/api/x?auth=plain", "200 limit=2 remaining=1 retry=")
	f("GET", "/api/panic", "500 limit=2 remaining=1 retry=")

	c.at = c.at.Truncate(time.Minute)
	f("GET", "/api/x?auth=streams", "200 limit=2 remaining=1 retry=")
	f("GET", "/api/x?auth=streams", "200 limit=2 remaining=0 retry=")
	check(t, request(h, "GET", "/api/x?auth=streams", ""), 429,
		failureBody("The limit of 2 requests a minute is reached. Please try again in 60 s"))
}

func TestNoRateLimit(t *testing.T) {
	h := limited(0, &clock{time.Now()})
	for range 500 {
		if got, want := rate(request(h, "GET", "/api/x?auth=plain", "")), "200 limit=1000000 remaining=1000000 retry="; got != want {
			t.Fatalf("got %s, want %s", got, want)
		}
	}
}

func TestRateLimitUnderLoad(t *testing.T) {
	h := limited(100, &clock{time.Date(2024, 1, 31, 12, 0, 0, 0, time.UTC)})
	var allowed, refused atomic.Int64
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			for range 50 {
				switch request(h, "GET", "/api/x?auth=plain", "").Code {
				case 200:
					allowed.Add(1)
				case 429:
					refused.Add(1)
				}
			}
		})
	}
	wg.Wait()
	if allowed.Load() != 100 || refused.Load() != 300 {
		t.Errorf("got %d allowed and %d rejected, want 100 and 300", allowed.Load(), refused.Load())
	}
}
