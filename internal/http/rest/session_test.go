package rest

import (
	"bytes"
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"earshot"
)

// inSession knows one session for each caller that authenticate knows a token for.
func inSession(ctx context.Context, cookie string) (Session, error) {
	name, ours := strings.CutPrefix(cookie, "session-of-")
	if !ours {
		return Session{}, earshot.ErrNotAuthenticated
	}
	c, err := authenticate(ctx, name)
	return Session{Caller: c, CSRF: "csrf-of-" + name}, err
}

type sessionSaid struct {
	By     string `json:"by"`
	Cookie string `json:"cookie"`
}

func bySession(_ context.Context, c *earshot.Caller, p struct {
	Cookie string `request:"session"`
}) (sessionSaid, error) {
	if c == nil {
		return sessionSaid{"nobody", p.Cookie}, nil
	}
	return sessionSaid{c.Name, p.Cookie}, nil
}

func withSessions(o Options) http.Handler {
	o.Authenticate, o.Session = authenticate, inSession
	return New(o, []Route{
		Handle("GET", "/api/public", Public, bySession),
		Handle("POST", "/api/public", Public, bySession),
		Handle("POST", "/start", Public, bySession).SameOrigin(),
		Handle("GET", "/x", SignedIn, bySession),
		Handle("POST", "/x", SignedIn, bySession),
		Handle("DELETE", "/x", SignedIn, bySession),
		Handle("GET", "/api/x", SignedIn, bySession),
		Handle("GET", "/streams", Streams, bySession),
		Handle("POST", "/streams", Streams, bySession),
		Handle("GET", "/admin", Admin, bySession),
		Handle("GET", "/guests", SignedIn, bySession).Guests(),
	})
}

const (
	notSignedIn = "Full authentication is required to access this resource"
	wrongCSRF   = "Missing or wrong CSRF token"
	elsewhere   = "Pages of another site may not do this"
	pat         = "earshot_session=session-of-plain"
)

func TestSessions(t *testing.T) {
	h := withSessions(Options{})
	ok := func(method, target, by, cookie string, headers ...string) {
		t.Helper()
		check(t, request(h, method, target, "", headers...), 200, `{"by":"`+by+`","cookie":"`+cookie+`"}`)
	}
	no := func(method, target string, status int, message string, headers ...string) {
		t.Helper()
		check(t, request(h, method, target, "", headers...), status, failureBody(message))
	}
	ok("GET", "/x", "pat", "session-of-plain", "Cookie", pat)
	ok("GET", "/api/x", "pat", "session-of-plain", "Cookie", pat)
	ok("GET", "/x", "pat", "session-of-plain", "Cookie", "theme=dark; "+pat+"; a=b")
	ok("GET", "/x", "pat", "session-of-plain", "Cookie", pat, "Authorization", "Basic eDp5")
	ok("GET", "/streams", "sam", "session-of-streams", "Cookie", "earshot_session=session-of-streams")
	no("GET", "/streams", 403, "Access is denied", "Cookie", pat)
	no("GET", "/streams", 401, notSignedIn, "Cookie", "earshot_session=stale")
	no("GET", "/streams", 401, "Required parameter 'auth' not provided", "Cookie", "theme=dark")
	no("GET", "/admin", 403, "Access is denied", "Cookie", pat)
	no("GET", "/x", 401, notSignedIn, "Cookie", "earshot_session=stale")
	no("GET", "/x", 401, notSignedIn, "Cookie", "earshot_session=session-of-nobody")
	no("GET", "/x", 500, "Internal error", "Cookie", "earshot_session=session-of-outage")
	if w := request(h, "HEAD", "/x", "", "Cookie", pat); w.Code != 200 {
		t.Errorf("HEAD: got %d, want 200", w.Code)
	}

	// Requests that may change something need the CSRF token.
	for _, method := range []string{"POST", "DELETE"} {
		ok(method, "/x", "pat", "session-of-plain", "Cookie", pat, "X-CSRF-Token", "csrf-of-plain")
		no(method, "/x", 403, wrongCSRF, "Cookie", pat)
		no(method, "/x", 403, wrongCSRF, "Cookie", pat, "X-CSRF-Token", "")
		no(method, "/x", 403, wrongCSRF, "Cookie", pat, "X-CSRF-Token", "csrf-of-admin")
		no(method, "/x", 403, wrongCSRF, "Cookie", pat, "X-CSRF-Token", "csrf-of-plai")
		no(method, "/x?X-CSRF-Token=csrf-of-plain", 403, wrongCSRF, "Cookie", pat)
		no(method, "/x", 401, notSignedIn, "Cookie", "earshot_session=stale", "X-CSRF-Token", "csrf-of-plain")
	}
	no("POST", "/streams", 403, wrongCSRF, "Cookie", "earshot_session=session-of-streams")

	// A token takes precedence and needs no CSRF token.
	ok("POST", "/x?auth=admin", "ada", "", "Cookie", pat)
	ok("POST", "/x", "ada", "", "Cookie", pat, "Authorization", "Bearer admin")
	ok("POST", "/x?auth=admin", "ada", "", "Cookie", pat, "Sec-Fetch-Site", "cross-site")
	no("GET", "/x?auth=stale", 401, notSignedIn, "Cookie", pat)
	no("GET", "/x?auth=session-of-plain", 401, notSignedIn)
	no("GET", "/x", 401, notSignedIn, "Authorization", "Bearer session-of-plain")

	// Public routes ignore sessions.
	for _, cookie := range []string{pat, "earshot_session=stale", "earshot_session=session-of-outage"} {
		ok("GET", "/api/public", "nobody", "", "Cookie", cookie)
		ok("POST", "/api/public", "nobody", "", "Cookie", cookie)
		ok("POST", "/api/public", "nobody", "", "Cookie", cookie, "Sec-Fetch-Site", "cross-site")
		ok("POST", "/start", "nobody", "", "Cookie", cookie)
	}
	no("PUT", "/x", 405, "Method PUT is not supported for /x. Please use: DELETE, GET, POST", "Cookie", pat)
	no("POST", "/nowhere", 404, "No such endpoint: /nowhere", "Cookie", pat)
}

func TestCrossSiteRequestsAreRejected(t *testing.T) {
	h := withSessions(Options{})
	f := func(site, origin string, allowed bool) {
		t.Helper()
		var headers []string
		if site != "" {
			headers = append(headers, "Sec-Fetch-Site", site)
		}
		if origin != "" {
			headers = append(headers, "Origin", origin)
		}
		session := append(headers, "Cookie", pat, "X-CSRF-Token", "csrf-of-plain")
		status, body := 200, `{"by":"pat","cookie":"session-of-plain"}`
		start := `{"by":"nobody","cookie":""}`
		if !allowed {
			status, body, start = 403, failureBody(elsewhere), failureBody(elsewhere)
		}
		check(t, request(h, "GET", "/x", "", session...), status, body)
		check(t, request(h, "POST", "/x", "", session...), status, body)
		check(t, request(h, "POST", "/start", "", headers...), status, start)
	}
	f("", "", true)
	f("none", "", true) // address typed by the user
	f("same-origin", "", true)
	f("same-origin", "http://example.com", true)
	f("cross-site", "", false)
	f("same-site", "", false) // another port on the same host
	f("cross-site", "http://example.com", false)
	f("Same-Origin", "", false)
	f("", "http://example.com", true)
	f("", "http://example.com:8081", false)
	f("", "http://evil.example", false)
	f("", "null", false)
	f("", "http://[", false)
}

func TestHostileCookies(t *testing.T) {
	h := withSessions(Options{})
	f := func(cookie string, status int) {
		t.Helper()
		if w := request(h, "GET", "/x", "", "Cookie", cookie); w.Code != status {
			t.Errorf("%.60q: got %d, want %d", cookie, w.Code, status)
		}
	}
	f(pat, 200)
	f(strings.Repeat("c=1; ", 1000)+pat, 200)
	f(strings.Repeat("c=1; ", 20000)+pat, 401)
	f(pat+"; "+pat, 401)
	f(pat+"; earshot_session=session-of-admin", 401)
	f("earshot_session=; "+pat, 401)
	f("Earshot_Session=session-of-plain", 401)
	f("earshot_session", 401)
	f("earshot_session=", 401)
	f("earshot_session="+strings.Repeat("A", 300<<10), 401)
	f("earshot_session=session-of-plain\x00", 401)
	f("earshot_session=\xff\xfe", 401)
	f("earshot_session=session-of-plain\u00e9", 401)
	f("earshot_session=%73ession-of-plain", 401)
	f("=;;;=", 401)

	r := httptest.NewRequest("GET", "/x", nil)
	r.Header["Cookie"] = []string{pat, "earshot_session=session-of-admin"}
	w := httptest.NewRecorder()
	if h.ServeHTTP(w, r); w.Code != 401 {
		t.Errorf("two headers: got %d, want 401", w.Code)
	}
}

func FuzzCookie(f *testing.F) {
	h := withSessions(Options{})
	f.Add(pat, "csrf-of-plain", "same-origin", "http://example.com")
	f.Add("earshot_session=\"session-of-plain\"; a", "", "cross-site", "null")
	f.Fuzz(func(t *testing.T, cookie, csrf, site, origin string) {
		w := request(h, "POST", "/x", "", "Cookie", cookie, "X-CSRF-Token", csrf, "Sec-Fetch-Site", site, "Origin", origin)
		switch {
		case w.Code == 200 && strings.HasPrefix(csrf, "csrf-of-"):
		case w.Code == 401 || w.Code == 403:
		case w.Code == 500 && strings.Contains(cookie, "session-of-outage"):
		default:
			t.Errorf("got %d %s", w.Code, w.Body)
		}
	})
}

func TestSessionsHaveSeparateRateLimit(t *testing.T) {
	h := withSessions(Options{Limits: limits(2, 0), Now: (&clock{time.Date(2024, 1, 31, 12, 0, 42, 0, time.UTC)}).now})
	f := func(target, want string, headers ...string) {
		t.Helper()
		if got := rate(request(h, "GET", target, "", headers...)); got != want {
			t.Errorf("%s\ngot  %s\nwant %s", target, got, want)
		}
	}
	f("/api/x?auth=plain", "200 limit=2 remaining=1 retry=")
	f("/api/x", "200 limit=2 remaining=1 retry=", "Cookie", pat)
	f("/api/nowhere", "404 limit=2 remaining=0 retry=", "Cookie", pat)
	f("/api/x", "429 limit=2 remaining=0 retry=18", "Cookie", pat)
	f("/api/x?auth=plain", "200 limit=2 remaining=0 retry=", "Cookie", pat)
	f("/api/x", "200 limit=2 remaining=1 retry=", "Cookie", "earshot_session=session-of-admin")
	f("/x", "200 limit= remaining= retry=", "Cookie", pat)
	f("/api/x", "401 limit=2 remaining=1 retry=", "Cookie", "earshot_session=stale") // counted by address
	f("/api/x", "403 limit=2 remaining=0 retry=", "Cookie", pat, "Sec-Fetch-Site", "cross-site")
}

func TestEventsEndWithSession(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		began := time.Now()
		h := New(Options{Session: func(ctx context.Context, cookie string) (Session, error) {
			if time.Since(began) > 40*time.Second {
				return Session{}, earshot.ErrNotAuthenticated
			}
			return inSession(ctx, cookie)
		}}, []Route{
			Handle("GET", "/events", SignedIn, func(context.Context, *earshot.Caller, none) (Events, error) {
				return Events{Write: func(ctx context.Context, _ func(Event) error) error { <-ctx.Done(); return ctx.Err() }}, nil
			}),
		})
		w := request(h, "GET", "/events", "", "Cookie", pat)
		if took := time.Since(began); w.Code != 200 || took != 3*heartbeatInterval {
			t.Errorf("got %d, ended after %v, want 200 and %v", w.Code, took, 3*heartbeatInterval)
		}
	})
}

func TestSessionsAreNotLogged(t *testing.T) {
	for _, err := range []error{nil, errors.New("disk on fire")} {
		var b bytes.Buffer
		o := Options{Log: logTo(&b), Session: inSession}
		h := New(o, []Route{Handle("POST", "/x", SignedIn, func(context.Context, *earshot.Caller, none) (said, error) {
			if err != nil {
				return said{}, err
			}
			panic("index out of range")
		})})
		request(h, "POST", "/x", "", "Cookie", pat, "X-CSRF-Token", "csrf-of-plain")
		request(h, "POST", "/x", "", "Cookie", pat, "X-CSRF-Token", "guess-of-plain")
		got := b.String()
		if !strings.Contains(got, "user=pat") || strings.Contains(got, "-of-plain") {
			t.Errorf("got %s", got)
		}
	}
}

func TestSessionCookies(t *testing.T) {
	type response struct {
		NoContent
		WithCookie
	}
	ends := time.Date(2026, 3, 22, 12, 0, 0, 0, time.UTC)
	f := func(c WithCookie, want string) {
		t.Helper()
		h := giving(Options{}, response{WithCookie: c}, nil)
		w := request(h, "GET", "/x", "")
		if got := strings.Join(w.Header().Values("Set-Cookie"), "|"); w.Code != 204 || got != want {
			t.Errorf("got  %d %s\nwant 204 %s", w.Code, got, want)
		}
	}
	f(SetSession("abc", ends, "http"), "earshot_session=abc; Path=/; Expires=Sun, 22 Mar 2026 12:00:00 GMT; HttpOnly; SameSite=Strict")
	f(SetSession("abc", ends, "https"), "earshot_session=abc; Path=/; Expires=Sun, 22 Mar 2026 12:00:00 GMT; HttpOnly; Secure; SameSite=Strict")
	f(ClearSession("http"), "earshot_session=; Path=/; Expires=Thu, 01 Jan 1970 00:00:01 GMT; Max-Age=0; HttpOnly; SameSite=Strict")
	f(WithCookie{}, "")
}

func TestNotFoundMatchesServer(t *testing.T) {
	h := New(Options{}, []Route{Plain("GET", "/files/{name...}", http.HandlerFunc(NotFound))})
	got, want := request(h, "GET", "/files/x", ""), request(h, "GET", "/nowhere", "")
	if got.Code != 404 || got.Body.String() != failureBody("No such endpoint: /files/x") {
		t.Errorf("got %d %s", got.Code, got.Body)
	}
	got.Header().Del("X-Request-Id")
	want.Header().Del("X-Request-Id")
	got.Header().Del("Content-Length")
	want.Header().Del("Content-Length")
	if len(got.Header()) != len(want.Header()) || got.Header().Get("Content-Type") != want.Header().Get("Content-Type") {
		t.Errorf("got headers %v, want %v", got.Header(), want.Header())
	}
}

func TestGuestRoutes(t *testing.T) {
	h := withSessions(Options{})
	f := func(address, cookie string, status int, by string) {
		t.Helper()
		r := httptest.NewRequest("GET", address, nil)
		if cookie != "" {
			r.AddCookie(&http.Cookie{Name: sessionCookie, Value: cookie})
		}
		w := httptest.NewRecorder()
		h.ServeHTTP(w, r)
		if w.Code != status || !strings.Contains(w.Body.String(), by) {
			t.Errorf("%s with cookie %q: got %d %s, want %d %s", address, cookie, w.Code, w.Body, status, by)
		}
	}
	f("/guests", "", 200, "nobody")
	f("/guests", "stale", 401, notSignedIn)
	f("/guests?auth=stale", "", 401, notSignedIn)
	f("/x", "", 401, notSignedIn)
}

func TestCookiesAreSecureBehindAProxy(t *testing.T) {
	type params struct {
		Scheme string `request:"scheme"`
	}
	for _, https := range []bool{false, true} {
		h := New(Options{HTTPS: https}, []Route{
			Handle("POST", "/x", Public, func(_ context.Context, _ *earshot.Caller, p params) (WithCookie, error) {
				return SetSession("abc", time.Unix(1, 0), p.Scheme), nil
			}),
		})
		w := request(h, "POST", "/x", "")
		if got := strings.Contains(w.Header().Get("Set-Cookie"), "; Secure"); got != https {
			t.Errorf("HTTPS %t: got %d, cookie %q", https, w.Code, w.Header().Get("Set-Cookie"))
		}
	}
}
