package rest

import (
	"compress/gzip"
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"earshot"
)

func TestResponsesToPeopleAreCompressed(t *testing.T) {
	long := strings.Repeat("coffee ", 1000)
	text := func(_ context.Context, _ *earshot.Caller, p struct {
		Short bool `query:"short"`
	}) (string, error) {
		if p.Short {
			return "coffee", nil
		}
		return long, nil
	}
	h := New(Options{Authenticate: authenticate, Session: inSession}, []Route{Handle("GET", "/text", SignedIn, text)})
	for _, test := range []struct {
		name, path, cookie, auth, accept string
		compressed                       bool
	}{
		{"a person", "/text", "session-of-plain", "", "gzip, deflate, br", true},
		{"a person whose browser does not accept it", "/text", "session-of-plain", "", "gzip;q=0", false},
		{"a short response", "/text?short=true", "session-of-plain", "", "gzip", false},
		{"a program", "/text", "", "Bearer plain", "gzip", false},
	} {
		t.Run(test.name, func(t *testing.T) {
			r := httptest.NewRequest("GET", test.path, nil)
			r.Header.Set("Accept-Encoding", test.accept)
			if test.cookie != "" {
				r.AddCookie(&http.Cookie{Name: sessionCookie, Value: test.cookie})
			}
			if test.auth != "" {
				r.Header.Set("Authorization", test.auth)
			}
			w := httptest.NewRecorder()
			h.ServeHTTP(w, r)
			if got := w.Header().Get("Content-Encoding") == "gzip"; w.Code != 200 || got != test.compressed {
				t.Fatalf("status %d, compressed: %v, want %v", w.Code, got, test.compressed)
			}
			if !test.compressed {
				return
			}
			z, err := gzip.NewReader(w.Body)
			if err != nil {
				t.Fatal(err)
			}
			if body, err := io.ReadAll(z); err != nil || string(body) != `"`+long+`"` {
				t.Errorf("the body is %.40s…, error %v", body, err)
			}
		})
	}
}
