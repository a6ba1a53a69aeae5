package cluster

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"earshot/internal/state/kv"
)

// A cutStore is a store that a node may be cut off from. It can still be read, as a NATS server without
// a majority.
type cutStore struct {
	kv.Store
	cut atomic.Bool
}

func (s *cutStore) Put(ctx context.Context, key string, value []byte, revision uint64) (uint64, error) {
	if s.cut.Load() {
		<-ctx.Done()
		return 0, errors.New("no response")
	}
	return s.Store.Put(ctx, key, value, revision)
}

// TestCutOff cuts one of three nodes off for a moment, which no node notices, and then for longer.
func TestCutOff(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		memory := kv.NewMemory()
		cut := &cutStore{Store: memory}
		a, b, c := startNode(t, cut, "a", 1), startNode(t, memory, "b", 1), startNode(t, memory, "c", 1)
		f := func(after time.Duration, want bool) {
			t.Helper()
			time.Sleep(after)
			synctest.Wait()
			if got := a.CutOff(); got != want {
				t.Errorf("cut off: got %v, want %v", got, want)
			}
			if b.CutOff() || c.CutOff() {
				t.Error("the majority is cut off")
			}
		}
		f(0, false)
		f(time.Hour, false)
		cut.cut.Store(true)
		f(15*time.Second, false) // an election
		cut.cut.Store(false)
		f(Timeout, false)
		cut.cut.Store(true)
		f(CutOffAfter+Interval, true)
		f(time.Hour, true)
		cut.cut.Store(false)
		f(Timeout, false)
	})
}
