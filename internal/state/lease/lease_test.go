package lease

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"earshot/internal/state/kv"
)

func TestOneAtATime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := kv.NewMemory()
		var working, most, turns atomic.Int32
		ctx, stop := context.WithCancel(t.Context())
		for range 3 {
			go Run(ctx, store, "k", func(ctx context.Context) {
				most.Store(max(most.Load(), working.Add(1)))
				turns.Add(1)
				sleep(ctx, 20*time.Second)
				working.Add(-1)
			})
		}
		time.Sleep(5 * time.Minute)
		stop()
		synctest.Wait()
		if most.Load() != 1 || turns.Load() < 5 {
			t.Errorf("at most %d worked at a time, in %d turns; want 1 and at least 5", most.Load(), turns.Load())
		}
	})
}

func TestTakeOver(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := kv.NewMemory()
		var a, b Owner
		first := Acquire(t.Context(), store, "k", &a, func() {})
		if !first.Valid() {
			t.Error("the first lease is not valid")
		}
		began := time.Now() // the first owner crashes: it renews nothing
		waited := false
		if second := Acquire(t.Context(), store, "k", &b, func() { waited = true }); !second.Valid() || !waited {
			t.Errorf("valid %v, waited %v; want both", second.Valid(), waited)
		}
		if took := time.Since(began); took < timeout || took > timeout+2*poll {
			t.Errorf("taken over after %v, want about %v", took, timeout)
		}
		if first.Valid() {
			t.Error("the first lease is still valid")
		}
	})
}

func TestLostWhenCutOff(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := &unreachable{Store: kv.NewMemory()}
		ctx, stop := context.WithCancel(t.Context())
		ended := make(chan time.Time, 1)
		go Run(ctx, store, "k", func(ctx context.Context) {
			<-ctx.Done()
			ended <- time.Now()
		})
		time.Sleep(time.Minute)
		began := time.Now()
		store.down.Store(true)
		if after := (<-ended).Sub(began); after > stopAfter+time.Second {
			t.Errorf("stopped %v after the store became unreachable, want at most %v", after, stopAfter)
		}
		stop()
		synctest.Wait()
	})
}

func TestReleaseOnStop(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := kv.NewMemory()
		ctx, stop := context.WithCancel(t.Context())
		go Run(ctx, store, "k", func(ctx context.Context) { <-ctx.Done() })
		time.Sleep(time.Minute)
		stop()
		synctest.Wait()
		if _, err := store.Get(t.Context(), "k"); !errors.Is(err, kv.ErrNotFound) {
			t.Errorf("got %v for the lease, want none", err)
		}
	})
}

// unreachable is a store that can fail.
type unreachable struct {
	kv.Store
	down atomic.Bool
}

func (u *unreachable) Put(ctx context.Context, key string, value []byte, revision uint64) (uint64, error) {
	if u.down.Load() {
		return 0, errors.New("unreachable")
	}
	return u.Store.Put(ctx, key, value, revision)
}
