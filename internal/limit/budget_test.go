package limit

import (
	"context"
	"errors"
	"math/rand/v2"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"earshot"
)

func user(id int) Client { return Client{User: earshot.UserID(id)} }

// fill grows leases of a client by n bytes until one is rejected, and returns the total.
func fill(t *testing.T, m *Budget, c Client, n int64) (total int64) {
	t.Helper()
	for {
		if err := m.Lease(c).Grow(t.Context(), n); err != nil {
			if !earshot.IsKind(err, earshot.Unavailable) {
				t.Fatalf("got %v, want Unavailable", err)
			}
			return total
		}
		total += n
	}
}

func TestMemoryIsSharedFairly(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := NewBudget(1200, MemoryWait)
		if got := fill(t, m, user(1), 10); got != 600 {
			t.Errorf("the first client got %d, want half", got)
		}
		if got := fill(t, m, user(2), 10); got != 300 {
			t.Errorf("the second client got %d, want half of the rest", got)
		}
		if got := fill(t, m, user(3), 10); got != 150 {
			t.Errorf("the third client got %d, want half of the rest", got)
		}
		if got := m.Used(); got != 1050 {
			t.Errorf("got %d in use, want 1050", got)
		}
	})
}

func TestAnyRequestFitsAlone(t *testing.T) {
	m := NewBudget(1000, MemoryWait)
	l := m.Lease(user(1))
	if err := l.Grow(t.Context(), 5000); err != nil {
		t.Fatal(err)
	}
	if err := l.Grow(t.Context(), 5000); err != nil {
		t.Fatal(err)
	}
	if l.Held() != 500 || m.Used() != 500 {
		t.Errorf("got %d, %d, want half of the budget", l.Held(), m.Used())
	}
	l.Close()
	if m.Used() != 0 || len(m.clients) != 0 {
		t.Errorf("got %d for %d clients, want none", m.Used(), len(m.clients))
	}
}

func TestARequestWaitsForMemory(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := NewBudget(100, MemoryWait)
		first := m.Lease(user(1))
		if err := first.Grow(t.Context(), 50); err != nil {
			t.Fatal(err)
		}
		grown := make(chan error)
		go func() { grown <- m.Lease(user(1)).Grow(t.Context(), 20) }()
		time.Sleep(MemoryWait - time.Second)
		first.Shrink(20)
		if err := <-grown; err != nil {
			t.Errorf("got %v after memory was free", err)
		}

		start := time.Now()
		err := m.Lease(user(1)).Grow(t.Context(), 30)
		if took := time.Since(start); err != errBusyClient || took != MemoryWait {
			t.Errorf("got %v after %v", err, took)
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if err := m.Lease(user(1)).Grow(ctx, 30); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("got %v, want the error of the context", err)
		}
		if len(m.waiters) != 0 {
			t.Errorf("%d waiters are left", len(m.waiters))
		}
	})
}

func TestMemoryAddsUp(t *testing.T) {
	m := NewBudget(10_000, MemoryWait)
	var all sync.WaitGroup
	for c := range 8 {
		all.Go(func() {
			random := rand.New(rand.NewPCG(1, uint64(c)))
			for range 500 {
				l := m.Lease(user(c % 3))
				ctx, cancel := context.WithTimeout(t.Context(), time.Millisecond)
				for range 3 {
					if l.Grow(ctx, random.Int64N(3000)) == nil && m.Used() > m.Total() {
						t.Errorf("got %d in use, more than there is", m.Used())
					}
				}
				cancel()
				l.Shrink(random.Int64N(3000))
				l.Close()
			}
		})
	}
	all.Wait()
	if m.used != 0 || len(m.clients) != 0 || len(m.waiters) != 0 {
		t.Errorf("got %d in use, %d clients, %d waiters, want none", m.used, len(m.clients), len(m.waiters))
	}
}
