package limit

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"earshot"
)

func TestQueue(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := NewQueue(2, 3)
		var running, most, rejected atomic.Int64
		var all sync.WaitGroup
		for range 9 {
			all.Go(func() {
				err := q.Do(t.Context(), func() {
					most.Store(max(most.Load(), running.Add(1)))
					time.Sleep(time.Second)
					running.Add(-1)
				})
				if earshot.IsKind(err, earshot.Unavailable) {
					rejected.Add(1)
				} else if err != nil {
					t.Error(err)
				}
			})
		}
		all.Wait()
		if most.Load() != 2 || rejected.Load() != 4 {
			t.Errorf("%d jobs at a time, %d rejected, want 2 and 4", most.Load(), rejected.Load())
		}
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		for range 2 {
			all.Go(func() { q.Do(t.Context(), func() { time.Sleep(time.Second) }) })
		}
		synctest.Wait()
		if err := q.Do(ctx, func() { t.Error("the job ran") }); !errors.Is(err, context.Canceled) {
			t.Errorf("got %v, want the error of the context", err)
		}
		all.Wait()
	})
}
