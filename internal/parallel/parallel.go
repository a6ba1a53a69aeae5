// Package parallel runs the iterations of a loop on several cores.
//
// A panic in a goroutine that does not recover ends the process, no matter what the caller has
// deferred. [For] therefore passes panics on to its caller, which knows what was being computed and
// whether it can continue.
package parallel

import (
	"context"
	"fmt"
	"runtime"
	"runtime/debug"
	"sync"
	"sync/atomic"
)

// For calls f(ctx, i) for every i from 0 to n-1, with at most limit calls running at once. A limit
// of 0 means one call per core. After a call fails or ctx is done, For starts no further calls,
// waits for running ones, and returns the first error. The context passed to f is canceled at the
// first error.
//
// If a call panics, For panics with a *[Panic] once all calls have returned.
func For(ctx context.Context, n, limit int, f func(ctx context.Context, i int) error) error {
	if limit == 0 {
		limit = runtime.GOMAXPROCS(0)
	}
	if min(limit, n) <= 1 {
		return inOrder(ctx, n, f)
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	var (
		next     atomic.Int64
		failed   atomic.Pointer[error]
		panicked atomic.Pointer[Panic]
		workers  sync.WaitGroup
	)
	work := func() {
		defer func() {
			if r := recover(); r != nil {
				panicked.CompareAndSwap(nil, newPanic(r))
				cancel()
			}
		}()
		for ctx.Err() == nil {
			i := int(next.Add(1)) - 1
			if i >= n {
				return
			}
			if err := f(ctx, i); err != nil {
				failed.CompareAndSwap(nil, &err)
				cancel()
			}
		}
	}
	for range min(limit, n) - 1 {
		workers.Go(work)
	}
	work()
	workers.Wait()
	if p := panicked.Load(); p != nil {
		panic(p)
	}
	if err := failed.Load(); err != nil {
		return *err
	}
	if next.Load() < int64(n) {
		return ctx.Err()
	}
	return nil
}

// inOrder is For with a limit of 1. It needs neither goroutines nor a new context, which would cost
// more than many loops with a single iteration.
func inOrder(ctx context.Context, n int, f func(ctx context.Context, i int) error) error {
	defer func() {
		if r := recover(); r != nil {
			panic(newPanic(r))
		}
	}()
	for i := range n {
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := f(ctx, i); err != nil {
			return err
		}
	}
	return nil
}

// A Panic is the value that a call in [For] panicked with, and its stack.
type Panic struct {
	Value any
	Stack []byte
}

// newPanic must be called where the panic is recovered so that the stack is right.
func newPanic(recovered any) *Panic {
	if p, nested := recovered.(*Panic); nested {
		return p
	}
	return &Panic{Value: recovered, Stack: debug.Stack()}
}

// Error returns the value and the stack of the goroutine that panicked, for logs.
func (p *Panic) Error() string { return fmt.Sprintf("%v\n%s", p.Value, p.Stack) }

// Unwrap returns the value if it is an error, such as a [runtime.Error], and nil otherwise.
func (p *Panic) Unwrap() error {
	err, _ := p.Value.(error)
	return err
}
