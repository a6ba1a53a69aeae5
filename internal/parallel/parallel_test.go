package parallel_test

import (
	"context"
	"errors"
	"strings"
	"sync/atomic"
	"testing"

	"earshot/internal/parallel"
)

func TestForCallsEveryIndexOnce(t *testing.T) {
	for _, limit := range []int{0, 1, 3, 1000} {
		calls := make([]atomic.Int64, 257)
		err := parallel.For(t.Context(), len(calls), limit, func(_ context.Context, i int) error {
			calls[i].Add(1)
			return nil
		})
		if err != nil {
			t.Fatalf("limit %d: %v", limit, err)
		}
		for i := range calls {
			if got := calls[i].Load(); got != 1 {
				t.Errorf("limit %d: index %d was called %d times", limit, i, got)
			}
		}
	}
}

func TestForRespectsLimit(t *testing.T) {
	var running, most atomic.Int64
	err := parallel.For(t.Context(), 100, 2, func(context.Context, int) error {
		if n := running.Add(1); n > most.Load() {
			most.Store(n)
		}
		running.Add(-1)
		return nil
	})
	if err != nil || most.Load() > 2 {
		t.Errorf("got %d calls at a time, error %v; want at most 2", most.Load(), err)
	}
}

func TestForReturnsFirstError(t *testing.T) {
	first := errors.New("first")
	var calls int
	err := parallel.For(t.Context(), 10, 1, func(_ context.Context, i int) error {
		calls++
		if i == 3 {
			return first
		}
		return nil
	})
	if err != first || calls != 4 {
		t.Errorf("got %v after %d calls, want %v after 4", err, calls, first)
	}
}

func TestForCancelsOtherCalls(t *testing.T) {
	failed := errors.New("failed")
	err := parallel.For(t.Context(), 2, 2, func(ctx context.Context, i int) error {
		if i == 0 {
			return failed
		}
		<-ctx.Done() // returns only because the other call fails
		return ctx.Err()
	})
	if err != failed {
		t.Errorf("got %v, want %v", err, failed)
	}
}

func TestForStopsWhenContextIsDone(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	calls := 0
	err := parallel.For(ctx, 10, 1, func(context.Context, int) error {
		calls++
		cancel()
		return nil
	})
	if !errors.Is(err, context.Canceled) || calls != 1 {
		t.Errorf("got %v after %d calls, want %v after 1", err, calls, context.Canceled)
	}
}

func TestForPassesOnPanics(t *testing.T) {
	cause := errors.New("cause")
	defer func() {
		p, ok := recover().(*parallel.Panic)
		if !ok || !errors.Is(p, cause) || !strings.Contains(p.Error(), "parallel_test.go") {
			t.Errorf("got %v, want a *Panic with the cause and the stack of the call", p)
		}
	}()
	parallel.For(t.Context(), 8, 4, func(ctx context.Context, i int) error {
		return parallel.For(ctx, 1, 1, func(context.Context, int) error { panic(cause) })
	})
	t.Error("For returned instead of panicking")
}
