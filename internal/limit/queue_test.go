package limit

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
)

// TestQueueIsFair fills a queue and records the order in which the attempts run.
func TestQueueIsFair(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := NewQueue(1)
		release := make(chan struct{})
		var all sync.WaitGroup
		var order []string
		all.Go(func() { q.Do(t.Context(), Turn{false, "first"}, func() { <-release }) })
		synctest.Wait()
		wait := func(trusted bool, key, name string) {
			all.Go(func() { q.Do(t.Context(), Turn{trusted, key}, func() { order = append(order, name) }) })
			synctest.Wait()
		}
		for i := range 4 {
			wait(false, "attacker", fmt.Sprint("attacker ", i))
		}
		wait(false, "guest", "guest")
		for i := range 5 {
			wait(true, "ann", fmt.Sprint("ann ", i))
		}
		wait(true, "bo", "bo")
		close(release)
		all.Wait()
		want := []string{"ann 4", "bo", "ann 3", "attacker 3", "ann 2", "ann 1", "ann 0", "guest", "attacker 2", "attacker 1", "attacker 0"}
		if !slices.Equal(order, want) {
			t.Errorf("got  %q\nwant %q", order, want)
		}
	})
}

func TestQueueIsBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := NewQueue(1)
		release := make(chan struct{})
		var all sync.WaitGroup
		all.Go(func() { q.Do(t.Context(), Turn{false, "first"}, func() { <-release }) })
		synctest.Wait()
		var mu sync.Mutex
		busy := map[string]int{}
		wait := func(key string) {
			all.Go(func() {
				if err := q.Do(t.Context(), Turn{false, key}, func() {}); err != nil {
					mu.Lock()
					busy[key]++
					mu.Unlock()
				}
			})
			synctest.Wait()
		}
		for range maxHashingWaiters + 10 {
			wait("attacker")
		}
		for i := range 20 {
			wait(fmt.Sprint("guest ", i))
		}
		close(release)
		all.Wait()
		if len(busy) != 1 || busy["attacker"] != 30 {
			t.Errorf("rejected: %v, want 30 attempts of the attacker", busy)
		}
	})
}

func TestQueueWithCanceledAttempts(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := NewQueue(1)
		release := make(chan struct{})
		var all sync.WaitGroup
		all.Go(func() { q.Do(t.Context(), Turn{false, "first"}, func() { <-release }) })
		synctest.Wait()
		ctx, cancel := context.WithCancel(t.Context())
		for range 10 {
			all.Go(func() {
				if err := q.Do(ctx, Turn{true, "ann"}, func() {}); err == nil {
					t.Error("a canceled attempt ran")
				}
			})
		}
		synctest.Wait()
		cancel()
		synctest.Wait()
		close(release)
		all.Wait()
		if q.free != 1 || q.trusted.size != 0 || len(q.trusted.keys) != 0 {
			t.Errorf("got %d free turns and %d waiting, want 1 and 0", q.free, q.trusted.size)
		}
	})
}
