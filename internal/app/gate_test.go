package app

import (
	"log/slog"
	"net/http"
	"net/http/httptest"
	"testing"
)

func TestGateServesHealthChecksImmediately(t *testing.T) {
	g := newGate(slog.New(slog.DiscardHandler), 0)
	f := func(path string, wantCode int, wantBody string) {
		t.Helper()
		w := httptest.NewRecorder()
		g.ServeHTTP(w, httptest.NewRequest("GET", path, nil))
		if w.Code != wantCode || w.Body.String() != wantBody {
			t.Errorf("%s: got %d %s, want %d %s", path, w.Code, w.Body, wantCode, wantBody)
		}
	}
	const starting = `{"message":"Earshot is starting and has not processed all posts yet. Please try again in a moment","status":"error"}`
	f("/healthz", 200, `{"status":"ok"}`)
	f("/readyz", 503, `{"status":"starting"}`)
	f("/api/monitor/list", 503, starting)
	g.Begin("opening the journal")
	f("/healthz", 200, `{"status":"ok"}`)
	f("/readyz", 503, `{"status":"starting","step":"opening the journal"}`)
	g.Begin("opening the post store")
	f("/readyz", 503, `{"status":"starting","step":"opening the post store"}`)
	g.End()
	g.serveWith(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.Write([]byte("app")) }))
	f("/readyz", 200, "app")
	f("/api/monitor/list", 200, "app")
}
