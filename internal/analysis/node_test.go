package analysis_test

import (
	"context"
	"log/slog"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"earshot"
	"earshot/internal/analysis"
	"earshot/internal/model/interest"
	"earshot/internal/state/catalog"
	"earshot/internal/state/kv"
	"earshot/internal/state/ledger"
)

// newNodes returns services with their own views of one catalog and one ledger. Each has a worker.
func newNodes(t *testing.T, count int) ([]*analysis.Service, *world) {
	t.Helper()
	w := newWorld(t)
	records := kv.NewMemory()
	lock := make(chan struct{}, 1)
	var nodes []*analysis.Service
	for range count {
		c, err := catalog.Open(t.Context(), records, slog.New(slog.DiscardHandler))
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(c.Close)
		c.Lock = func(ctx context.Context) (context.Context, uint64, func(), error) {
			lock <- struct{}{}
			return ctx, 0, func() { <-lock }, nil
		}
		w.catalog = c
		nodes = append(nodes, analysis.New(analysis.Options{
			Ledger: w.ledger, Store: w.store, Catalog: c, Shared: true, Baseline: func() interest.Baseline { return interest.Baseline{} },
		}))
	}
	ctx, stop := context.WithCancel(context.Background())
	var running sync.WaitGroup
	for _, s := range nodes {
		running.Go(func() { s.Run(ctx) })
	}
	t.Cleanup(func() {
		stop()
		running.Wait()
	})
	return nodes, w
}

func TestNodesShareTheContract(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		nodes, w := newNodes(t, 3)
		const contracted = 7
		if err := w.catalog.SetContract(t.Context(), earshot.Contract{QueriesPerYear: contracted}); err != nil {
			t.Fatal(err)
		}
		w.store.do(func(context.Context) error { time.Sleep(time.Second); return nil })
		var done, refused atomic.Int32
		var busy sync.WaitGroup
		for i := range 30 {
			busy.Go(func() {
				_, err := nodes[i%3].Submit(t.Context(), user(1), coffee())
				switch {
				case earshot.IsKind(err, earshot.OverLimit):
					refused.Add(1)
				case err != nil:
					t.Error(err)
				default:
					done.Add(1)
				}
			})
		}
		busy.Wait()
		if done.Load() != contracted || refused.Load() != 30-contracted {
			t.Errorf("%d queries were accepted and %d refused, want %d and %d", done.Load(), refused.Load(), contracted, 30-contracted)
		}
		u, err := nodes[0].Usage(t.Context())
		if err != nil || u.Used != contracted {
			t.Errorf("got usage %+v and error %v, want %d queries", u, err, contracted)
		}
	})
}

func TestAnotherNodeFinishesRequestsOfAStoppedOne(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		nodes, w := newNodes(t, 2)
		lost := analysis.New(analysis.Options{Ledger: w.ledger, Store: w.store, Catalog: w.catalog, Shared: true, Baseline: func() interest.Baseline { return interest.Baseline{} }})
		w.store.do(fails)
		r, err := lost.Submit(t.Context(), user(1), coffee()) // a node without a worker has stopped
		if err != nil {
			t.Fatal(err)
		}
		w.store.do(works)
		find := func(when string, want ledger.State) {
			t.Helper()
			for i, s := range nodes {
				got, err := s.Find(t.Context(), user(1), r.ID)
				if err != nil {
					t.Fatal(err)
				}
				if got.State != want {
					t.Errorf("%s: node %d has state %s, want %s", when, i, got.State, want)
				}
			}
		}
		time.Sleep(10 * time.Minute)
		find("without a node for retries", ledger.Waiting)
		ctx, stop := context.WithCancel(t.Context())
		var running sync.WaitGroup
		for _, s := range nodes { // two nodes may believe for a moment that they have the role
			running.Go(func() { s.RunRetries(ctx) })
		}
		synctest.Wait()
		calls := w.store.calls.Load()
		time.Sleep(10 * time.Second)
		find("afterward", ledger.Done)
		if again := w.store.calls.Load() - calls; again > 1 {
			t.Errorf("the request was computed %d times", again)
		}
		stop()
		running.Wait()
		if u, err := nodes[0].Usage(t.Context()); err != nil || u.Used != 1 {
			t.Errorf("got usage %+v and error %v, want 1 query", u, err)
		}
	})
}
