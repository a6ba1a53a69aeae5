package app

import (
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

func TestStartupServesHealthChecksImmediately(t *testing.T) {
	s := &startup{log: slog.New(slog.DiscardHandler)}
	f := func(path string, wantCode int, wantBody string) {
		t.Helper()
		w := httptest.NewRecorder()
		s.ServeHTTP(w, httptest.NewRequest("GET", path, nil))
		if w.Code != wantCode || w.Body.String() != wantBody {
			t.Errorf("%s: got %d %s, want %d %s", path, w.Code, w.Body, wantCode, wantBody)
		}
	}
	const starting = `{"message":"Earshot is starting and has not processed all posts yet. Please try again in a moment","status":"error"}`
	f("/healthz", 200, `{"status":"ok"}`)
	f("/readyz", 503, `{"status":"starting"}`)
	f("/api/monitor/list", 503, starting)
	s.begin("opening the journal")
	f("/healthz", 200, `{"status":"ok"}`)
	f("/readyz", 503, `{"status":"starting","step":"opening the journal"}`)
	s.begin("opening the post store")
	f("/readyz", 503, `{"status":"starting","step":"opening the post store"}`)
	s.end()
	s.serveWith(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.Write([]byte("app")) }))
	f("/readyz", 200, "app")
	f("/api/monitor/list", 200, "app")
}

func TestStartupLogsSlowSteps(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var log strings.Builder
		s := &startup{log: slog.New(slog.NewTextHandler(&log, &slog.HandlerOptions{ReplaceAttr: func(_ []string, a slog.Attr) slog.Attr {
			if a.Key == slog.TimeKey {
				return slog.Attr{}
			}
			return a
		}}))}
		s.begin("opening NATS")
		time.Sleep(4 * time.Second)
		s.begin("opening the journal")
		time.Sleep(12 * time.Second)
		s.end()
		time.Sleep(time.Hour)
		const want = `level=WARN msg="startup step is slow" step="opening the journal" running=5s
level=WARN msg="startup step is slow" step="opening the journal" running=10s
level=INFO msg="startup step finished" step="opening the journal" took=12s
`
		if log.String() != want {
			t.Errorf("got log\n%swant\n%s", &log, want)
		}
	})
}
