package analysis_test

import (
	"context"
	"errors"
	"log/slog"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"earshot"
	"earshot/internal/analysis"
	"earshot/internal/poststore"
	"earshot/internal/state/catalog"
	"earshot/internal/state/kv"
	"earshot/internal/state/ledger"
)

var errWrite = errors.New("the disk is full")

// A fullStore rejects writes to keys with a prefix while it is full.
type fullStore struct {
	kv.Store
	prefix string
	full   atomic.Bool
}

func (s *fullStore) Put(ctx context.Context, key string, value []byte, revision uint64) (uint64, error) {
	if strings.HasPrefix(key, s.prefix) && s.full.Load() {
		return 0, errWrite
	}
	return s.Store.Put(ctx, key, value, revision)
}

func TestQueryIsCountedLater(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t)
		full := &fullStore{Store: kv.NewMemory(), prefix: "usage.queries"}
		full.full.Store(true)
		c, err := catalog.Open(t.Context(), full, slog.New(slog.DiscardHandler))
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(c.Close)
		w.catalog = c
		w.limit(t, 1)
		s := w.service()
		run(t, s)
		expect(t, "at once", submit(t, s, coffee()), ledger.Done, 1)
		w.used(t, 0, 1)
		if _, err := s.Submit(t.Context(), user(1), coffee()); !earshot.IsKind(err, earshot.OverLimit) {
			t.Errorf("before the query is counted: got %v, want OverLimit", err)
		}
		time.Sleep(time.Minute)
		full.full.Store(false)
		time.Sleep(6 * time.Second)
		synctest.Wait()
		w.used(t, 1, 0)
	})
}

func TestFailedWriteLeavesNoTrace(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t)
		w.limit(t, 1)
		full := &fullStore{Store: w.records, prefix: "result."}
		full.full.Store(true)
		s := w.service()
		s.Ledger = ledger.New(full)
		run(t, s)
		for _, before := range []func(context.Context) error{works, fails, hangs} {
			w.store.do(before)
			if r, err := s.Submit(t.Context(), user(1), coffee()); !errors.Is(err, errWrite) {
				t.Errorf("got %+v and error %v, want the ledger's error", r, err)
			}
		}
		synctest.Wait()
		if n := w.store.running.Load(); n != 0 {
			t.Errorf("got %d running attempts, want none", n)
		}
		w.used(t, 0, 0)
		full.full.Store(false)
		w.store.do(works)
		expect(t, "the quota is not used", submit(t, s, coffee()), ledger.Done, 1)
	})
}

func TestOutcomeWriteFails(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t)
		full := &fullStore{Store: w.records, prefix: "result."}
		w.store.do(func(context.Context) error { time.Sleep(10 * time.Second); return nil })
		s := w.service()
		s.Ledger = ledger.New(full)
		run(t, s)
		start := time.Now()
		r := submit(t, s, coffee())
		full.full.Store(true)
		sleepUntil(start, 30*time.Second)
		full.full.Store(false)
		sleepUntil(start, time.Minute)
		expect(t, "after its lease", find(t, s, r.ID), ledger.Waiting, 2)
		sleepUntil(start, time.Minute+10*time.Second)
		expect(t, "at the end", find(t, s, r.ID), ledger.Done, 2)
		w.used(t, 1, 0)
	})
}

// A deafStore is slow and ignores cancellation.
type deafStore struct{ analysis.Store }

func (s deafStore) Tallies(ctx context.Context, of poststore.Selection, ts []poststore.Tally) ([][]poststore.Row, error) {
	time.Sleep(70 * time.Second)
	return s.Store.Tallies(context.WithoutCancel(ctx), of, ts)
}

func TestLateOutcomeIsDiscarded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t)
		first, second := w.service(), w.service()
		first.Store = deafStore{w.store}
		run(t, first)
		run(t, second)
		start := time.Now()
		r := submit(t, first, coffee())
		sleepUntil(start, 60*time.Second)
		expect(t, "after its lease", find(t, second, r.ID), ledger.Done, 2)
		sleepUntil(start, 70*time.Second)
		expect(t, "after the late outcome", find(t, second, r.ID), ledger.Done, 2)
		sleepUntil(start, time.Hour)
		w.used(t, 1, 0)
	})
}
