package analysis_test

import (
	"context"
	"errors"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"earshot"
	"earshot/internal/analysis"
	"earshot/internal/state/kv"
	"earshot/internal/state/ledger"
)

// A deadStore is the store of a process that may have died. Once it is dead, all calls fail.
type deadStore struct {
	kv.Store
	dead atomic.Bool
}

var errDead = errors.New("the process has ended")

func (s *deadStore) Get(ctx context.Context, key string) (kv.Entry, error) {
	if s.dead.Load() {
		return kv.Entry{}, errDead
	}
	return s.Store.Get(ctx, key)
}

func (s *deadStore) Put(ctx context.Context, key string, value []byte, revision uint64) (uint64, error) {
	if s.dead.Load() {
		return 0, errDead
	}
	return s.Store.Put(ctx, key, value, revision)
}

func (s *deadStore) Purge(ctx context.Context, key string) error {
	if s.dead.Load() {
		return errDead
	}
	return s.Store.Purge(ctx, key)
}

func (s *deadStore) Keys(ctx context.Context, filter string) ([]string, error) {
	if s.dead.Load() {
		return nil, errDead
	}
	return s.Store.Keys(ctx, filter)
}

// mortal returns a service with a running worker, and a function that ends it like kill -9.
func (w *world) mortal(t *testing.T) (s *analysis.Service, kill func()) {
	store := &deadStore{Store: w.records}
	s = w.service()
	s.Ledger = ledger.New(store)
	stop := run(t, s)
	return s, func() { store.dead.Store(true); stop() }
}

func TestCrashBetweenAttempts(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t)
		w.store.do(fails)
		first, kill := w.mortal(t)
		start := time.Now()
		r := submit(t, first, coffee())
		sleepUntil(start, 2*time.Minute)
		expect(t, "before the crash", find(t, first, r.ID), ledger.Waiting, 2)
		kill()
		sleepUntil(start, 3*time.Minute)
		second := w.service()
		run(t, second)
		sleepUntil(start, attemptsAt[2]-time.Millisecond)
		expect(t, "after the crash", find(t, second, r.ID), ledger.Waiting, 2)
		sleepUntil(start, attemptsAt[2])
		expect(t, "on schedule", find(t, second, r.ID), ledger.Waiting, 3)
		sleepUntil(start, attemptsAt[5])
		expect(t, "in the end", find(t, second, r.ID), ledger.Skipped, 6)
		w.used(t, 0, 0)
	})
}

func TestCrashDuringAttempt(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t)
		w.store.do(hangs)
		first, kill := w.mortal(t)
		start := time.Now()
		r := submit(t, first, coffee())
		sleepUntil(start, 10*time.Second)
		kill()
		w.store.do(works)
		second := w.service()
		run(t, second)
		sleepUntil(start, time.Minute-time.Millisecond)
		expect(t, "during the lease", find(t, second, r.ID), ledger.Waiting, 1)
		sleepUntil(start, time.Minute)
		expect(t, "after the lease", find(t, second, r.ID), ledger.Done, 2)
		w.used(t, 1, 0)
	})
}

func TestCrashDuringLastAttempt(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t)
		w.store.do(fails)
		first, kill := w.mortal(t)
		start := time.Now()
		r := submit(t, first, coffee())
		sleepUntil(start, attemptsAt[5]-time.Second)
		w.store.do(hangs)
		sleepUntil(start, attemptsAt[5]+time.Second)
		expect(t, "during the last attempt", find(t, first, r.ID), ledger.Waiting, 6)
		kill()
		second := w.service()
		run(t, second)
		sleepUntil(start, attemptsAt[5]+time.Minute)
		expect(t, "after its lease", find(t, second, r.ID), ledger.Skipped, 6)
		w.used(t, 0, 0)
	})
}

func TestCrashBeforeQueryIsCounted(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t)
		for _, closed := range []bool{false, true} {
			r := submit(t, w.service(), coffee())
			if !closed {
				if err := w.ledger.AddPending(t.Context(), r.ID); err != nil { // as if it had not been completed
					t.Fatal(err)
				}
			}
		}
		w.used(t, 2, 1)
		if _, err := w.ledger.Put(t.Context(), &ledger.Analysis{ID: 7, State: ledger.Done, Metrics: &ledger.Metrics{}}, 0); err != nil {
			t.Fatal(err)
		}
		if err := w.ledger.AddPending(t.Context(), 7); err != nil {
			t.Fatal(err)
		}
		run(t, w.service())
		synctest.Wait()
		w.used(t, 3, 0) // only the uncounted query is counted
	})
}

func TestPendingIDWithoutAnalysisIsRemoved(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t)
		if err := w.ledger.AddPending(t.Context(), 7); err != nil {
			t.Fatal(err)
		}
		start := time.Now()
		run(t, w.service())
		sleepUntil(start, 5*time.Minute-time.Second)
		w.used(t, 0, 1)
		sleepUntil(start, 5*time.Minute)
		w.used(t, 0, 0)
	})
}

func TestStoppingReturnsAttempts(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t)
		w.store.do(hangs)
		first := w.service()
		stop := run(t, first)
		start := time.Now()
		r := submit(t, first, coffee())
		sleepUntil(start, 10*time.Second)
		stop()
		returned := find(t, first, r.ID)
		expect(t, "after stopping", returned, ledger.Waiting, 0)
		if returned.Running || returned.Due.After(time.Now()) {
			t.Errorf("got running %v, due in %v; want it to be due at once", returned.Running, time.Until(returned.Due))
		}
		if _, err := first.Submit(t.Context(), user(1), coffee()); !earshot.IsKind(err, earshot.Unavailable) {
			t.Errorf("request after stopping: got %v, want Unavailable", err)
		}
		w.store.do(works)
		second := w.service()
		run(t, second)
		synctest.Wait()
		expect(t, "after restarting", find(t, second, r.ID), ledger.Done, 1)
		w.used(t, 1, 0)
	})
}

func TestNodesDoNotShareAttempt(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t)
		maxRunning := int32(0)
		var mu sync.Mutex
		w.store.do(func(ctx context.Context) error {
			mu.Lock()
			maxRunning = max(maxRunning, w.store.running.Load())
			mu.Unlock()
			time.Sleep(time.Second)
			return errStore
		})
		services := []*analysis.Service{w.service(), w.service(), w.service()}
		for _, s := range services {
			run(t, s)
		}
		start := time.Now()
		r := submit(t, services[0], coffee())
		sleepUntil(start, time.Hour)
		expect(t, "after an hour", find(t, services[1], r.ID), ledger.Skipped, 6)
		if n := w.store.calls.Load(); n != 6 || maxRunning != 1 {
			t.Errorf("got %d calls of the store, %d concurrent; want 6 and 1", n, maxRunning)
		}
	})
}

func TestAttemptsAreLimited(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t)
		maxRunning := int32(0)
		var mu sync.Mutex
		w.store.do(func(context.Context) error {
			mu.Lock()
			maxRunning = max(maxRunning, w.store.running.Load())
			mu.Unlock()
			time.Sleep(10 * time.Second)
			return nil
		})
		s := w.service()
		run(t, s)
		slots := 2 * runtime.GOMAXPROCS(0)
		var results []*analysis.Result
		var callers sync.WaitGroup
		for range 2*slots + 1 {
			callers.Go(func() {
				r := submit(t, s, coffee())
				mu.Lock()
				defer mu.Unlock()
				results = append(results, r)
			})
		}
		callers.Wait()
		waiting := 0
		for _, r := range results {
			if r.Attempt == 0 {
				waiting++
				if wait := time.Until(r.RetrieveAt); wait != time.Second {
					t.Errorf("a request that has not started: got retrieval in %v, want 1s", wait)
				}
			}
		}
		if waiting != slots+1 {
			t.Errorf("got %d requests that have not started, want %d", waiting, slots+1)
		}
		sleepUntil(time.Now(), 28*time.Second)
		for _, r := range results {
			expect(t, "in the end", find(t, s, r.ID), ledger.Done, 1)
		}
		if int(maxRunning) != slots {
			t.Errorf("got %d concurrent attempts, want %d", maxRunning, slots)
		}
		w.used(t, int64(2*slots+1), 0)
	})
}

func TestCallerDisconnects(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t)
		w.store.do(hangs)
		s := w.service()
		run(t, s)
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if r, err := s.Submit(ctx, user(1), coffee()); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("got %+v and error %v", r, err)
		}
		synctest.Wait()
		if n := w.store.running.Load(); n != 0 {
			t.Errorf("got %d running attempts, want none", n)
		}
		w.used(t, 0, 0)
	})
}
