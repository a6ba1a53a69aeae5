package startup

import (
	"context"
	"errors"
	"log/slog"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

const grace = 10 * time.Second

// A process is closed if it opens after all.
type process struct{ closed bool }

func (p *process) Close() { p.closed = true }

func TestSlowStepsAreLogged(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var log strings.Builder
		s := New(slog.New(slog.NewTextHandler(&log, &slog.HandlerOptions{ReplaceAttr: func(_ []string, a slog.Attr) slog.Attr {
			if a.Key == slog.TimeKey {
				return slog.Attr{}
			}
			return a
		}})), 0)
		s.Begin("opening NATS")
		time.Sleep(4 * time.Second)
		s.Begin("opening the journal")
		time.Sleep(12 * time.Second)
		s.End()
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
	hang := func(ctx context.Context) (*process, error) { <-ctx.Done(); return nil, ctx.Err() }
	ignore := func(context.Context) (*process, error) { time.Sleep(time.Hour); return nil, errors.New("late") }
	late := &process{}
	open := func(ctx context.Context) (*process, error) { <-ctx.Done(); return late, nil }
	for name, stuck := range map[string]func(context.Context) (*process, error){"ends when canceled": hang, "ignores the cancellation": ignore, "succeeds late": open} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := New(slog.New(slog.DiscardHandler), Limit(100*minSpeed))
				defer s.End()
				began := time.Now()
				_, err := Open(t.Context(), s, grace, func(ctx context.Context) (*process, error) {
					s.Begin("opening NATS")
					time.Sleep(6 * time.Minute) // slow, but within the limit
					s.Begin("opening the catalog")
					return stuck(ctx)
				})
				const want = "opening the catalog did not finish within 6m40s"
				if err == nil || err.Error() != want {
					t.Errorf("got %v, want %s", err, want)
				}
				if took := time.Since(began); took > 6*time.Minute+Limit(100*minSpeed)+grace {
					t.Errorf("the start failed after %v", took)
				}
				time.Sleep(2 * time.Hour) // ends the step that ignores the cancellation
			})
		})
	}
	if !late.closed {
		t.Error("what was opened late is still open")
	}
}

func TestNoLimitAfterTheStart(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := New(slog.New(slog.DiscardHandler), maxStep)
		want := &process{}
		got, err := Open(t.Context(), s, grace, func(context.Context) (*process, error) { s.Begin("opening NATS"); return want, nil })
		if got != want || err != nil {
			t.Fatalf("got %v, %v", got, err)
		}
		s.Begin("processing the journal")
		time.Sleep(time.Hour)
		s.End()
		select {
		case err := <-s.stuck:
			t.Errorf("got %v, want no error", err)
		default:
		}
	})
}
