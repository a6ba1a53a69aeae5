package app

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

func TestStartupServesHealthChecksImmediately(t *testing.T) {
	s := newStartup(slog.New(slog.DiscardHandler), 0)
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
		s := newStartup(slog.New(slog.NewTextHandler(&log, &slog.HandlerOptions{ReplaceAttr: func(_ []string, a slog.Attr) slog.Attr {
			if a.Key == slog.TimeKey {
				return slog.Attr{}
			}
			return a
		}})), 0)
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

func TestAStuckStepFailsTheStart(t *testing.T) {
	hang := func(ctx context.Context) (*App, error) { <-ctx.Done(); return nil, ctx.Err() }
	ignore := func(context.Context) (*App, error) { time.Sleep(time.Hour); return nil, errors.New("late") }
	for name, stuck := range map[string]func(context.Context) (*App, error){"ends when canceled": hang, "ignores the cancellation": ignore} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := newStartup(slog.New(slog.DiscardHandler), stepLimit(100*minSpeed))
				defer s.end()
				began := time.Now()
				_, err := s.open(t.Context(), func(ctx context.Context) (*App, error) {
					s.begin("opening NATS")
					time.Sleep(6 * time.Minute) // slow, but within the limit
					s.begin("opening the catalog")
					return stuck(ctx)
				})
				const want = "opening the catalog did not finish within 6m40s"
				if err == nil || err.Error() != want {
					t.Errorf("got %v, want %s", err, want)
				}
				if took := time.Since(began); took > 6*time.Minute+stepLimit(100*minSpeed)+gracePeriod {
					t.Errorf("the start failed after %v", took)
				}
				time.Sleep(2 * time.Hour) // ends the step that ignores the cancellation
			})
		})
	}
}

func TestNoLimitAfterTheStart(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newStartup(slog.New(slog.DiscardHandler), maxStep)
		want := &App{}
		got, err := s.open(t.Context(), func(context.Context) (*App, error) { s.begin("opening NATS"); return want, nil })
		if got != want || err != nil {
			t.Fatalf("got %v, %v", got, err)
		}
		s.begin("processing the journal")
		time.Sleep(time.Hour)
		s.end()
		select {
		case err := <-s.stuck:
			t.Errorf("got %v, want no error", err)
		default:
		}
	})
}
