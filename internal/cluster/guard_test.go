package cluster

import (
	"context"
	"log/slog"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"earshot/internal/state/kv"
)

// startGuard starts a guard and returns what it says, and a function that stops it.
func startGuard(ctx context.Context, store kv.Store, name string) (held, displaced chan error, stop func()) {
	held, displaced = make(chan error, 1), make(chan error, 1)
	ctx, cancel := context.WithCancel(ctx)
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		NewGuard(store, name, slog.New(slog.DiscardHandler)).Run(ctx, held, displaced)
	}()
	return held, displaced, func() { cancel(); <-ended }
}

func TestASecondProcessIsRefused(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := kv.NewMemory()
		held, displaced, stopFirst := startGuard(t.Context(), store, "a at 127.0.0.1:8080, since 2026-03-15 12:00:00 UTC")
		if err := <-held; err != nil {
			t.Fatal(err)
		}
		second, _, stopSecond := startGuard(t.Context(), store, "b")
		const want = "another process uses the same NATS server: a at 127.0.0.1:8080, since 2026-03-15 12:00:00 UTC. " +
			"Several processes form one installation only with cluster.name (docs/cluster.md)"
		if err := <-second; err == nil || err.Error() != want {
			t.Errorf("got  %v\nwant %s", err, want)
		}
		stopSecond()
		stopFirst()
		third, _, stopThird := startGuard(t.Context(), store, "c")
		began := time.Now()
		if err := <-third; err != nil || time.Since(began) > time.Second {
			t.Errorf("after the first has ended: got %v after %s", err, time.Since(began))
		}
		stopThird()
		if len(displaced) > 0 {
			t.Errorf("the first process was displaced: %v", <-displaced)
		}
	})
}

func TestTheLeaseOfACrashedProcessIsTakenOver(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := &cuttable{Store: kv.NewMemory()}
		held, displaced, stopFirst := startGuard(t.Context(), store, "a")
		if err := <-held; err != nil {
			t.Fatal(err)
		}
		store.cut.Store(true)
		second, _, stopSecond := startGuard(t.Context(), store.Store, "b")
		if err := <-second; err != nil {
			t.Fatalf("the lease of a process that does not renew it: got %v", err)
		}
		store.cut.Store(false)
		if err := <-displaced; err == nil || !strings.Contains(err.Error(), "another process uses the same NATS server: b.") {
			t.Errorf("the first process comes back: got %v", err)
		}
		stopSecond()
		stopFirst()
	})
}

// A cuttable store can be cut off.
type cuttable struct {
	kv.Store
	cut atomic.Bool
}

func (c *cuttable) Get(ctx context.Context, key string) (kv.Entry, error) {
	if c.cut.Load() {
		return kv.Entry{}, context.DeadlineExceeded
	}
	return c.Store.Get(ctx, key)
}

func (c *cuttable) Put(ctx context.Context, key string, value []byte, revision uint64) (uint64, error) {
	if c.cut.Load() {
		return 0, context.DeadlineExceeded
	}
	return c.Store.Put(ctx, key, value, revision)
}
