package rest

import (
	"context"
	"errors"
	"io"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"earshot"
)

// counter implements Positions. A position is one number.
type counter struct {
	mu      sync.Mutex
	at      int
	changed chan struct{}
}

func newCounter(at int) *counter { return &counter{at: at, changed: make(chan struct{})} }

func (c *counter) advance(to int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.at = to
	close(c.changed)
	c.changed = make(chan struct{})
}

func (c *counter) get() (int, <-chan struct{}) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.at, c.changed
}

type writtenKey struct{}

func (c *counter) Begin(ctx context.Context) (context.Context, func() (string, bool)) {
	written := new(int)
	return context.WithValue(ctx, writtenKey{}, written), func() (string, bool) {
		at, _ := c.get()
		return strconv.Itoa(max(at, *written)), *written > 0
	}
}

func (c *counter) Wait(ctx context.Context, position string) error {
	want, err := strconv.Atoi(position)
	if err != nil {
		return errors.New("malformed")
	}
	for {
		at, changed := c.get()
		if at >= want {
			return nil
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-changed:
		}
	}
}

// withPositions serves endpoints that read, write 900 and fail.
func withPositions(c *counter, cookie bool) http.Handler {
	wrote := func(ctx context.Context) { *ctx.Value(writtenKey{}).(*int) = 900 }
	return New(Options{Positions: c, PositionCookie: cookie, Authenticate: authenticate, Session: inSession}, []Route{
		Handle("GET", "/public", Public, bySession),
		Handle("GET", "/read", SignedIn, bySession),
		Handle("POST", "/write", SignedIn, func(ctx context.Context, _ *earshot.Caller, _ struct{}) (NoContent, error) {
			wrote(ctx)
			return NoContent{}, nil
		}),
		Handle("POST", "/half", SignedIn, func(ctx context.Context, _ *earshot.Caller, _ struct{}) (NoContent, error) {
			wrote(ctx)
			return NoContent{}, earshot.Errorf(earshot.Invalid, "no")
		}),
		Handle("GET", "/stream", SignedIn, func(context.Context, *earshot.Caller, struct{}) (Streamed[string], error) {
			return Streamed[string]{Write: func(w io.Writer) error {
				for range 3 {
					if _, err := io.WriteString(w, strings.Repeat("x", chunkSize)); err != nil {
						return err
					}
				}
				return nil
			}}, nil
		}),
		Handle("GET", "/download", SignedIn, func(context.Context, *earshot.Caller, struct{}) (Download, error) {
			return Download{Type: "text/plain", Write: func(_ context.Context, w io.Writer) error {
				_, err := io.WriteString(w, "text")
				return err
			}}, nil
		}),
	})
}

func TestResponsesHaveAPosition(t *testing.T) {
	h := withPositions(newCounter(812), false)
	f := func(method, target, want string, headers ...string) {
		t.Helper()
		r := request(h, method, target, "", headers...)
		if got := r.Header().Get("X-Earshot-Position"); got != want {
			t.Errorf("%s %s: got position %q, want %q (status %d)", method, target, got, want, r.Code)
		}
		if cookie := r.Header().Get("Set-Cookie"); cookie != "" {
			t.Errorf("%s %s sets a cookie on one node: %s", method, target, cookie)
		}
	}
	token := []string{"Authorization", "Bearer plain"}
	f("GET", "/read", "812", token...)
	f("HEAD", "/read", "812", token...)
	f("POST", "/write", "900", token...)
	f("POST", "/half", "900", token...)
	f("GET", "/stream", "812", token...)
	f("GET", "/download", "812", token...)
	f("GET", "/read", "", "Authorization", "Bearer nobody")
	f("GET", "/public", "", token...)
	f("GET", "/unknown", "", token...)
	f("POST", "/write", "900", "Cookie", pat, "X-CSRF-Token", "csrf-of-plain")
}

func TestRequestsWaitForTheirPosition(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newCounter(812)
		h := withPositions(c, true)
		f := func(target string, status int, took time.Duration, headers ...string) {
			t.Helper()
			began := time.Now()
			r := request(h, "GET", target, "", headers...)
			if r.Code != status || time.Since(began) != took {
				t.Errorf("%v: got status %d after %v, want %d after %v", headers, r.Code, time.Since(began), status, took)
			}
			if after := r.Header().Get("Retry-After"); (after == "1") != (status == 503) {
				t.Errorf("%v: got Retry-After %q with status %d", headers, after, r.Code)
			}
		}
		auth := func(headers ...string) []string { return append(headers, "Authorization", "Bearer plain") }
		f("/read", 200, 0, auth("X-Earshot-Position", "812")...)
		f("/read", 503, positionWait, auth("X-Earshot-Position", "813")...)
		f("/read", 400, 0, auth("X-Earshot-Position", "latest")...)
		f("/read", 200, 0, auth("Cookie", "earshot_position=813")...) // only sessions have the cookie
		f("/read", 200, positionWait, "Cookie", pat+"; earshot_position=813")
		f("/read", 200, 0, "Cookie", pat+"; earshot_position=damaged")
		f("/read", 401, 0, "X-Earshot-Position", "813") // nobody to wait for
		f("/public", 200, 0, "X-Earshot-Position", "813")
		time.AfterFunc(time.Second, func() { c.advance(813) })
		f("/read", 200, time.Second, auth("X-Earshot-Position", "813")...)
	})
}

func TestUsersOfAnotherNode(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newCounter(1)
		h := New(Options{
			Positions: c,
			Authenticate: func(context.Context, string) (*earshot.Caller, error) {
				if at, _ := c.get(); at < 2 {
					return nil, earshot.ErrNotAuthenticated
				}
				return earshot.NewCaller(&earshot.User{Username: "new"}), nil
			},
		}, []Route{Handle("GET", "/read", SignedIn, bySession)})
		time.AfterFunc(time.Second, func() { c.advance(2) })
		check(t, request(h, "GET", "/read", "", "Authorization", "Bearer t", "X-Earshot-Position", "2"), 200, `{"by":"new","cookie":""}`)
	})
}

func TestPositionCookie(t *testing.T) {
	h := withPositions(newCounter(812), true)
	f := func(method, target, want string, headers ...string) {
		t.Helper()
		if got := request(h, method, target, "", headers...).Header().Get("Set-Cookie"); got != want {
			t.Errorf("%s %s: got cookie %q, want %q", method, target, got, want)
		}
	}
	f("POST", "/write", "earshot_position=900; Path=/; Max-Age=10; HttpOnly; SameSite=Strict", "Cookie", pat, "X-CSRF-Token", "csrf-of-plain")
	f("GET", "/read", "", "Cookie", pat)
	f("POST", "/write", "", "Authorization", "Bearer plain")
}
