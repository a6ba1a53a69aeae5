package analysis_test

import (
	"context"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"earshot/internal/analysis"
	"earshot/internal/state/ledger"
)

// attemptsAt lists the times of the six attempts if each fails at once.
var attemptsAt = []time.Duration{0, 1 * time.Minute, 4 * time.Minute, 9 * time.Minute, 19 * time.Minute, 39 * time.Minute}

// sleepUntil sleeps until a duration after start, and then waits until all goroutines are idle.
func sleepUntil(start time.Time, d time.Duration) {
	time.Sleep(time.Until(start.Add(d)))
	synctest.Wait()
}

func TestSixAttemptsThenSkipped(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t)
		w.store.do(fails)
		s := w.service()
		run(t, s)
		start := time.Now()
		r := submit(t, s, coffee())
		for n, at := range attemptsAt[:5] {
			sleepUntil(start, at)
			now := find(t, s, r.ID)
			expect(t, at.String(), now, ledger.Waiting, n+1)
			if got, want := now.RetrieveAt.Sub(start), attemptsAt[n+1]; got != want {
				t.Errorf("%v: got retrieval after %v, want %v", at, got, want)
			}
			sleepUntil(start, attemptsAt[n+1]-time.Millisecond)
			now = find(t, s, r.ID)
			expect(t, "just before the next attempt", now, ledger.Waiting, n+1)
			if wait := time.Until(now.RetrieveAt); wait < time.Second || wait > 2*time.Second {
				t.Errorf("just before the next attempt: got retrieval in %v", wait)
			}
		}
		w.used(t, 0, 1)
		sleepUntil(start, attemptsAt[5])
		expect(t, "after 39 minutes", find(t, s, r.ID), ledger.Skipped, 6)
		w.used(t, 0, 0)
		sleepUntil(start, 10*time.Hour)
		if n := w.store.calls.Load(); n != 6 {
			t.Errorf("got %d calls of the store, want 6", n)
		}
	})
}

func TestSuccessAtEachAttempt(t *testing.T) {
	for n, at := range attemptsAt {
		t.Run(fmt.Sprint(n+1), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w := newWorld(t)
				w.add(t, post("Twitter", "a"))
				w.store.do(func(context.Context) error {
					if int(w.store.calls.Load()) <= n {
						return errStore
					}
					return nil
				})
				s := w.service()
				run(t, s)
				start := time.Now()
				r := submit(t, s, coffee())
				if n > 0 {
					expect(t, "at once", r, ledger.Waiting, 1)
				}
				sleepUntil(start, at)
				done := find(t, s, r.ID)
				expect(t, at.String(), done, ledger.Done, n+1)
				if done.Metrics == nil || done.Metrics.Posts != 1 {
					t.Errorf("got metrics %+v, want one post", done.Metrics)
				}
				w.used(t, 1, 0)
				sleepUntil(start, 2*time.Hour)
				w.used(t, 1, 0)
			})
		})
	}
}

func TestResultExpiresAfterThirtyDays(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t)
		s := w.service()
		start := time.Now()
		r := submit(t, s, coffee())
		sleepUntil(start, ledger.Retention-time.Second)
		expect(t, "just before 30 days", find(t, s, r.ID), ledger.Done, 1)
		sleepUntil(start, ledger.Retention+time.Second)
		if got, err := s.Find(t.Context(), user(1), r.ID); err == nil {
			t.Errorf("after 30 days: got %+v", got)
		}
	})
}

func TestSubmitReturnsBeforeAttemptEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t)
		w.store.do(func(context.Context) error { time.Sleep(5 * time.Second); return nil })
		s := w.service()
		run(t, s)
		start := time.Now()
		r := submit(t, s, coffee())
		if took := time.Since(start); took != analysis.DefaultWait {
			t.Errorf("Submit returned after %v, want %v", took, analysis.DefaultWait)
		}
		expect(t, "at once", r, ledger.Waiting, 1)
		if got := r.RetrieveAt.Sub(start); !r.Running || got != time.Minute {
			t.Errorf("got running %v, retrieval after %v; want true and a minute, when the next attempt would start", r.Running, got)
		}
		w.used(t, 0, 1)
		sleepUntil(start, 5*time.Second)
		expect(t, "after the attempt", find(t, s, r.ID), ledger.Done, 1)
		w.used(t, 1, 0)
	})
}

func TestAttemptIsCanceledBeforeItsLeaseEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t)
		w.store.do(hangs)
		s := w.service()
		run(t, s)
		start := time.Now()
		r := submit(t, s, coffee())
		sleepUntil(start, 54*time.Second)
		if now := find(t, s, r.ID); !now.Running {
			t.Error("the attempt ended early")
		}
		sleepUntil(start, 55*time.Second)
		now := find(t, s, r.ID)
		expect(t, "after 55 s", now, ledger.Waiting, 1)
		if got := now.RetrieveAt.Sub(start); got != 115*time.Second || now.Running {
			t.Errorf("got running %v, next attempt after %v; want false and one minute after the failure", now.Running, got)
		}
	})
}

func TestPanicIsFailure(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t)
		w.store.do(func(context.Context) error {
			if w.store.calls.Load() < 3 {
				panic("a bug")
			}
			return nil
		})
		s := w.service()
		run(t, s)
		start := time.Now()
		r := submit(t, s, coffee())
		expect(t, "at once", r, ledger.Waiting, 1)
		sleepUntil(start, attemptsAt[1])
		expect(t, "second attempt", find(t, s, r.ID), ledger.Waiting, 2)
		sleepUntil(start, attemptsAt[2])
		expect(t, "third attempt", find(t, s, r.ID), ledger.Done, 3)
	})
}
