package rematch_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"earshot"
	"earshot/internal/ingest/rematch"
	"earshot/internal/poststore"
	"earshot/internal/poststore/memory"
	"earshot/internal/state/journal"
)

// A hooked store calls before with the number of each rematch, counting from 1. If before returns
// an error, the rematch fails with it.
type hooked struct {
	poststore.Store
	before func(ctx context.Context, call int, r poststore.Rematch) error

	stubborn bool // ignores cancellation

	mu    sync.Mutex
	calls int
	now   int // number of running jobs
	seen  []string
}

func (h *hooked) Rematch(ctx context.Context, r poststore.Rematch) error {
	running := 1
	if _, record := r.Rules[poststore.ReinferredSet]; record {
		running = 0 // no job: it is recorded while a job may run
	}
	h.mu.Lock()
	h.calls++
	h.now += running
	call, jobs := h.calls, h.now
	h.seen = append(h.seen, describe(r))
	h.mu.Unlock()
	defer func() {
		h.mu.Lock()
		defer h.mu.Unlock()
		h.now -= running
	}()
	if running > 0 && jobs > 1 {
		panic("two jobs at the same time")
	}
	if h.before != nil {
		if err := h.before(ctx, call, r); err != nil {
			return err
		}
	}
	if h.stubborn {
		ctx = context.WithoutCancel(ctx)
	}
	return h.Store.Rematch(ctx, r)
}

// describe returns the monitors in a rematch with their generations, and its start.
func describe(r poststore.Rematch) string {
	var about []string
	for id, rule := range r.Rules {
		about = append(about, fmt.Sprintf("%d:%d", id, rule.Generation))
	}
	slices.Sort(about)
	if r.From.IsZero() {
		return strings.Join(about, " ")
	}
	return strings.Join(about, " ") + " from " + r.From.Format(time.DateOnly)
}

func (h *hooked) want(t *testing.T, want ...string) {
	t.Helper()
	h.mu.Lock()
	defer h.mu.Unlock()
	if !slices.Equal(h.seen, want) {
		t.Errorf("got rematches %q, want %q", h.seen, want)
	}
	h.seen = nil
}

// untilCanceled blocks until the rematch is canceled.
func untilCanceled(ctx context.Context, _ int, _ poststore.Rematch) error {
	<-ctx.Done()
	return ctx.Err()
}

func (w *world) wantProgress(t *testing.T, id earshot.MonitorID, want rematch.Progress) {
	t.Helper()
	if got := w.Progress(id); got != want {
		t.Errorf("monitor %d: got progress %+v, want %+v", id, got, want)
	}
}

func TestJobsRunOneAtATimeInOrder(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := &hooked{Store: memory.New(), before: func(context.Context, int, poststore.Rematch) error {
			time.Sleep(time.Second)
			return nil
		}}
		w := newWorld(t, store)
		var done []<-chan struct{}
		for _, id := range []earshot.MonitorID{3, 1, 2} {
			w.create(t, id, "coffee")
			done = append(done, w.Rematch(id))
		}
		start := time.Now()
		for i := range done {
			<-done[i]
			if took := time.Since(start); took != time.Duration(i+1)*time.Second {
				t.Errorf("job %d was done after %v", i, took)
			}
		}
		store.want(t, "3:1 from 2026-03-01", "1:1 from 2026-03-01", "2:1 from 2026-03-01")
	})
}

func TestNewerChangeCancelsRun(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := &hooked{Store: memory.New()}
		store.before = func(ctx context.Context, call int, r poststore.Rematch) error {
			if call == 1 {
				return untilCanceled(ctx, call, r)
			}
			return nil
		}
		w := newWorld(t, store)
		w.append(t, journal.Entry{Posts: []earshot.Post{post("a", "coffee"), post("b", "tea"), post("c", "tea")}})
		synctest.Wait()
		w.create(t, 1, "coffee")
		first := w.Rematch(1)
		synctest.Wait()
		w.create(t, 2, "coffee")
		other := w.Rematch(2)
		start := time.Now()
		w.change(t, 1, func(m *earshot.Monitor) { m.Criteria.Keywords = "tea"; m.RequestRematch(earshot.Date{}) })
		<-w.Rematch(1)
		<-first // closed with the same job
		<-other
		if took := time.Since(start); took != 0 {
			t.Errorf("took %v, want 0: cancellation must not count as a failure", took)
		}
		store.want(t, "1:1 from 2026-03-01", "2:1 from 2026-03-01", "1:2 from 2026-03-01")
		if got := w.count(t, 1); got != 2 {
			t.Errorf("got %d posts, want the 2 that match the newest query", got)
		}
	})
}

// TestRunCanceledTooLate completes a run for an older version. A run for the requested version must
// follow.
func TestRunCanceledTooLate(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := &hooked{Store: memory.New(), stubborn: true}
		store.before = func(ctx context.Context, call int, _ poststore.Rematch) error {
			if call == 1 {
				<-ctx.Done()
			}
			return nil
		}
		w := newWorld(t, store)
		w.create(t, 1, "coffee")
		first := w.Rematch(1)
		synctest.Wait()
		w.change(t, 1, func(m *earshot.Monitor) { m.RequestRematch(earshot.Date{}) })
		second := w.Rematch(1)
		<-first
		<-second
		generations, err := w.store.Generations(t.Context())
		if err != nil || generations[1] != 2 {
			t.Errorf("got generations %v, error %v, want generation 2", generations, err)
		}
		store.want(t, "1:1 from 2026-03-01", "1:2 from 2026-03-01")
	})
}

func TestRequestsForSameVersionRunOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := &hooked{Store: memory.New(), before: func(context.Context, int, poststore.Rematch) error {
			time.Sleep(time.Second)
			return nil
		}}
		w := newWorld(t, store)
		w.create(t, 1, "coffee")
		first := w.Rematch(1)
		synctest.Wait() // the job is running
		second := w.Rematch(1)
		<-first
		<-second
		<-w.Rematch(1)
		store.want(t, "1:1 from 2026-03-01")
	})
}

func TestProgressOfJob(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := &hooked{Store: memory.New()}
		store.before = func(ctx context.Context, call int, r poststore.Rematch) error {
			if call > 1 {
				return nil
			}
			r.Progress(3, 8)
			time.Sleep(time.Second)
			r.Progress(5, 8)
			time.Sleep(time.Second)
			return errors.New("the disk /dev/sda is busy")
		}
		w := newWorld(t, store)
		w.append(t, journal.Entry{Posts: []earshot.Post{post("a", "coffee"), post("b", "tea")}})
		synctest.Wait()
		w.create(t, 1, "coffee")
		w.create(t, 2, "coffee")
		w.monitor(t, 3, "coffee")
		began := time.Now().UTC()
		first, second := w.Rematch(1), w.Rematch(2)
		synctest.Wait()
		idle := rematch.Progress{State: rematch.Idle}
		running := rematch.Progress{State: rematch.Running, Done: 3, Total: 8, Started: began, Message: "Matching stored posts"}
		waiting := rematch.Progress{State: rematch.Waiting, Message: "Waiting to match stored posts"}
		w.wantProgress(t, 1, running)
		w.wantProgress(t, 2, waiting)
		w.wantProgress(t, 3, idle)
		w.wantProgress(t, 4, idle)

		time.Sleep(time.Second)
		synctest.Wait()
		running.Done = 5
		w.wantProgress(t, 1, running)

		<-second
		w.wantProgress(t, 1, rematch.Progress{State: rematch.Failed, Done: 5, Total: 8, Started: began,
			Message: "Matching stored posts failed and will be retried. See the service log for the reason"})
		done := rematch.Progress{State: rematch.Done, Done: 2, Total: 2, Started: began.Add(2 * time.Second), Message: "Stored posts are up to date"}
		w.wantProgress(t, 2, done)

		<-first
		done.Started = began
		w.wantProgress(t, 1, done)
		w.change(t, 1, func(m *earshot.Monitor) { m.RequestRematch(earshot.Date{}) })
		w.wantProgress(t, 1, waiting) // even before it is requested
		w.change(t, 1, func(m *earshot.Monitor) { m.Removed = true })
		<-w.Rematch(1)
		w.wantProgress(t, 1, idle)
	})
}

func TestFailingJobDoesNotBlockOthers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := &hooked{Store: memory.New()}
		w := newWorld(t, store)
		w.create(t, 1, "coffee AND (") // stored by a version that accepted such queries
		w.create(t, 2, "coffee")
		broken := w.Rematch(1)
		start := time.Now()
		<-w.Rematch(2)
		if took := time.Since(start); took != 0 {
			t.Errorf("the other job waited %v", took)
		}
		synctest.Wait() // the request may have come after the first failure
		got := w.Progress(1)
		want := "Matching stored posts failed and will be retried: Invalid keywords at position 12: unclosed parenthesis opened at 12"
		if got.State != rematch.Failed || got.Message != want {
			t.Errorf("got %+v, want a failure with %q", got, want)
		}
		time.Sleep(time.Hour)
		w.change(t, 1, func(m *earshot.Monitor) { m.Criteria.Keywords = "coffee"; m.RequestRematch(earshot.Date{}) })
		start = time.Now()
		w.Rematch(1)
		<-broken
		if took := time.Since(start); took != 0 {
			t.Errorf("the corrected monitor waited %v", took)
		}
		store.want(t, "2:1 from 2026-03-01", "1:2 from 2026-03-01")
	})
}

func TestFailedJobIsRetriedWithBackoff(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const failures = 16
		var at []time.Duration
		start := time.Now()
		store := &hooked{Store: memory.New()}
		store.before = func(_ context.Context, call int, _ poststore.Rematch) error {
			at = append(at, time.Since(start))
			switch {
			case call > failures:
				return nil
			case call%2 == 0:
				panic("cannot digest this")
			}
			return errors.New("disk is busy")
		}
		w := newWorld(t, store)
		w.append(t, journal.Entry{Posts: []earshot.Post{post("a", "coffee")}})
		synctest.Wait()
		w.create(t, 1, "coffee")
		<-w.Rematch(1)
		var want []time.Duration
		for sum, wait := time.Duration(0), 10*time.Millisecond; len(want) <= failures; wait = min(2*wait, time.Minute) {
			want = append(want, sum)
			sum += wait
		}
		if !slices.Equal(at, want) {
			t.Errorf("got runs after %v, want %v", at, want)
		}
		if got := w.count(t, 1); got != 1 {
			t.Errorf("got %d posts, want 1", got)
		}
	})
}

// TestChangeWithoutRequestIsFound simulates a write whose response got lost: the catalog has the
// change, but the caller saw an error.
func TestChangeWithoutRequestIsFound(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, memory.New())
		w.append(t, journal.Entry{Posts: []earshot.Post{post("a", "coffee")}})
		synctest.Wait()
		w.create(t, 1, "coffee")
		if got := w.Progress(1).State; got != rematch.Waiting {
			t.Errorf("got state %s, want waiting", got)
		}
		time.Sleep(time.Minute)
		synctest.Wait()
		if got := w.count(t, 1); got != 1 {
			t.Errorf("got %d posts, want 1", got)
		}
	})
}
