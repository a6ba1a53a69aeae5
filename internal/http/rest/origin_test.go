package rest

import (
	"net/http"
	"net/http/httptest"
	"reflect"
	"strings"
	"testing"

	"earshot/internal/limit"
)

// corsHeaders returns the headers by which a browser decides what a page may read.
func corsHeaders(w *httptest.ResponseRecorder) map[string]string {
	found := map[string]string{}
	for name, values := range w.Header() {
		if strings.HasPrefix(name, "Access-Control-") {
			found[strings.TrimPrefix(name, "Access-Control-")] = strings.Join(values, "; ")
		}
	}
	return found
}

func TestAllowedOrigins(t *testing.T) {
	const app, other = "https://app.example.com", "https://other.example.com"
	none := map[string]string{}
	h := withSessions(Options{Origins: []string{"https://first.example.com", app}, Limits: &limit.Limits{API: limit.NewRate(3)}})

	// A preflight is answered without a token and not counted.
	preflight := []string{"Origin", app, "Access-Control-Request-Method", "DELETE", "Access-Control-Request-Headers", "authorization,idempotency-key"}
	want := map[string]string{
		"Allow-Origin": app, "Allow-Methods": "DELETE, GET, HEAD, PATCH, POST, PUT", "Max-Age": "7200",
		"Allow-Headers": "Authorization, Content-Encoding, Content-Type, Idempotency-Key, If-None-Match, Last-Event-ID, X-Earshot-Position, X-Request-Id",
	}
	for _, path := range []string{"/api/x", "/api", "/api/nowhere", "/manage/v1/monitors", "/api/x"} {
		w := request(h, "OPTIONS", path, "", preflight...)
		check(t, w, 204, "")
		if got := corsHeaders(w); !reflect.DeepEqual(got, want) || w.Header().Get("Vary") != "Origin" {
			t.Errorf("%s: got %v and Vary %q, want %v", path, got, w.Header().Values("Vary"), want)
		}
	}

	// Pages can read responses, also errors.
	want = map[string]string{"Allow-Origin": app, "Expose-Headers": "Content-Disposition, Deprecation, ETag, Idempotency-Replayed, Retry-After, " +
		"WWW-Authenticate, X-Earshot-Position, X-RateLimit-Limit, X-RateLimit-Remaining, X-Request-Id, X-Stream-Cursor"}
	readable := func(w *httptest.ResponseRecorder, status int, body string) {
		t.Helper()
		check(t, w, status, body)
		if got := corsHeaders(w); !reflect.DeepEqual(got, want) {
			t.Errorf("got %v, want %v", got, want)
		}
	}
	crossSite := []string{"Origin", app, "Sec-Fetch-Site", "cross-site"}
	token := append([]string{"Authorization", "Bearer plain"}, crossSite...)
	readable(request(h, "GET", "/api/x", "", token...), 200, `{"by":"pat","cookie":""}`)
	readable(request(h, "GET", "/api/x", "", crossSite...), 401, failureBody(notSignedIn))
	readable(request(h, "GET", "/api/nowhere", "", token...), 404, failureBody("No such endpoint: /api/nowhere"))
	readable(request(h, "OPTIONS", "/manage/nowhere", "", crossSite...), 404, failureBody("No such endpoint: /manage/nowhere"))
	request(h, "GET", "/api/x", "", token...)
	if w := request(h, "GET", "/api/x", "", token...); w.Code != 429 || corsHeaders(w)["Allow-Origin"] != app {
		t.Errorf("over the limit: got %d %v, want 429 with headers", w.Code, corsHeaders(w))
	}

	// A cookie alone does not suffice.
	h = withSessions(Options{Origins: []string{app}})
	readable(request(h, "GET", "/api/x", "", append([]string{"Cookie", pat}, crossSite...)...), 403, failureBody(elsewhere))

	// Other origins, other paths, and requests of programs get no such headers.
	unreadable := func(h http.Handler, vary, method, path string, headers ...string) {
		t.Helper()
		w := request(h, method, path, "", headers...)
		if got := corsHeaders(w); !reflect.DeepEqual(got, none) || w.Header().Get("Vary") != vary || w.Code == 204 {
			t.Errorf("%s %s: got %d %v and Vary %q, want none and %q", method, path, w.Code, got, w.Header().Get("Vary"), vary)
		}
	}
	for _, origin := range []string{other, "null", "", "*", app + ".evil.example", "http://app.example.com", app + ":444"} {
		unreadable(h, "Origin", "GET", "/api/x", "Origin", origin, "Authorization", "Bearer plain")
		unreadable(h, "Origin", "OPTIONS", "/api/x", "Origin", origin, "Access-Control-Request-Method", "GET")
	}
	unreadable(h, "Origin", "GET", "/api/x", "Authorization", "Bearer plain")
	unreadable(h, "", "GET", "/x", token...)
	unreadable(h, "", "OPTIONS", "/x", preflight...)
	unreadable(h, "", "GET", "/apis", token...)

	// Without origins, everything is as without CORS.
	h = withSessions(Options{})
	unreadable(h, "", "GET", "/api/x", token...)
	check(t, request(h, "OPTIONS", "/api/x", "", preflight...), 405, failureBody("Method OPTIONS is not supported for /api/x. Please use: GET"))
}
