package rest

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// A clock returns a time that the test controls.
type clock struct{ at time.Time }

func (c *clock) now() time.Time { return c.at }

func limited(limit int, c *clock) http.Handler {
	return New(Options{Authenticate: authenticate, RateLimit: limit, Now: c.now}, []Route{
		Handle("GET", "/api/x", SignedIn, whoami),
		Handle("GET", "/api/panic", Public, panicking),
		Plain("GET", "/healthz", http.HandlerFunc(func(http.ResponseWriter, *http.Request) {})),
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
	f("GET", "/api/nowhere?auth=stale", "404 limit=2 remaining=0 retry=")
	f("GET", "/api/x?auth=stale", "429 limit=2 remaining=0 retry=18")
	f("GET", "/healthz", "200 limit= remaining= retry=")
	f("GET", "/nowhere", "404 limit= remaining= retry=")
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

func TestAddressesAreCountedByNetwork(t *testing.T) {
	l := newRateLimiter(10)
	now := time.Date(2024, 1, 31, 12, 0, 0, 0, time.UTC)
	f := func(address string, want int) {
		t.Helper()
		if got, _ := l.count(nil, address, now); got != want {
			t.Errorf("%s: got %d remaining, want %d", address, got, want)
		}
	}
	f("192.0.2.1", 9)
	f("192.0.2.2", 9)
	f("192.0.2.1", 8)
	f("2001:db8::1", 9)
	f("2001:db8::ffff:1", 8) // the same customer network
	f("2001:db8:0:1::1", 9)
	f("unix socket", 9)
	f("another", 8)
}

func TestRateLimiterMemoryIsBounded(t *testing.T) {
	l := newRateLimiter(10)
	now := time.Date(2024, 1, 31, 12, 0, 0, 0, time.UTC)
	l.count(nil, "192.0.2.1", now)
	for i := range 3 * maxNetworks {
		addr := netip.AddrFrom16([16]byte{0x20, 1, byte(i >> 16), byte(i >> 8), byte(i), 1})
		l.count(nil, addr.String(), now)
	}
	if len(l.addrs) > maxNetworks+1 {
		t.Errorf("got %d counters, want at most %d", len(l.addrs), maxNetworks+1)
	}
	if rest, _ := l.count(nil, "192.0.2.1", now); rest != 8 {
		t.Errorf("address from before the flood: got %d remaining, want 8", rest)
	}
	if rest, _ := l.count(&rateKey{user: 1}, "2001::1", now); rest != 9 {
		t.Errorf("user during the flood: got %d remaining, want 9", rest)
	}
	if rest, _ := l.count(nil, "198.51.100.1", now.Add(time.Minute)); rest != 9 || len(l.addrs) != 1 {
		t.Errorf("next minute: got %d remaining and %d counters, want 9 and 1", rest, len(l.addrs))
	}
}
