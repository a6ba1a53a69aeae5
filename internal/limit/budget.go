package limit

import (
	"context"
	"slices"
	"sync"
	"time"

	"earshot"
)

// The default budget is a quarter of the memory that the process may use: the garbage collector
// needs as much again, and the rest is for storage. It is at most maxDefaultMemory, which is enough
// for the largest uploads of several users.
const (
	memoryShare      = 4
	minMemory        = 64 << 20
	maxDefaultMemory = 1 << 30
)

// MemoryWait is how long a request waits for memory before it is rejected.
const MemoryWait = 10 * time.Second

func defaultMemory(s System) int64 {
	if s.Memory == 0 { // unknown
		return maxDefaultMemory / memoryShare
	}
	return min(max(s.Memory/memoryShare, minMemory), maxDefaultMemory)
}

// ComputeWait is how long a request waits until it is computed before it is rejected.
const ComputeWait = time.Minute

// computePerCore is how many units of computing there are for each core. Half of them are for the
// greediest client, so it can use all cores, but no more: whatever else runs never waits for long.
const computePerCore = 2

// maxExports bounds the memory of exports: each has read up to a thousand posts that it has not sent
// yet, also while nobody reads it. Exports draw from no other budget, so that pages never wait for them.
const maxExports = 32

// A Budget is an amount of something that all requests in flight may occupy together, such as bytes
// of memory.
//
// It is shared fairly: a client may hold at most as much as is free. A single client therefore gets
// at most half, each of two greedy clients a third, and something is always left for the next one.
type Budget struct {
	total int64
	wait  time.Duration // for which a lease waits until it can grow

	mu      sync.Mutex // guards the fields below and the held field of leases
	used    int64
	clients map[Client]int64 // what each client holds
	waiters []*waiter
}

// A waiter is a lease that waits until it can grow.
type waiter struct {
	lease   *Lease
	n       int64
	granted chan struct{} // closed when the lease has grown
}

// NewBudget returns a budget of this size. Requests that do not fit are rejected after a wait.
func NewBudget(total int64, wait time.Duration) *Budget {
	return &Budget{total: total, wait: wait, clients: map[Client]int64{}}
}

// Total returns the size of the budget.
func (b *Budget) Total() int64 { return b.total }

// Used returns how much is in use.
func (b *Budget) Used() int64 {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.used
}

// Lease returns an empty lease for a request of a client.
func (b *Budget) Lease(c Client) *Lease { return &Lease{budget: b, client: c} }

// A Lease is what one request occupies of a budget. A nil Lease has no limit. A Lease is not safe for concurrent
// use.
type Lease struct {
	budget *Budget
	client Client
	held   int64
}

// errBusyClient is the response to a request for which nothing is left.
var errBusyClient = &earshot.Error{Kind: earshot.Unavailable, RetryAfter: time.Second,
	Message: "Too many large requests at the same time. Please send fewer at once and try again"}

// Grow adds n to the lease. If the client's share is used up, it waits, and finally fails with an
// Unavailable error that can be sent to the client. A lease never exceeds half of the budget: any
// request fits if nothing else runs.
func (l *Lease) Grow(ctx context.Context, n int64) error {
	if l == nil {
		return nil
	}
	b := l.budget
	b.mu.Lock()
	n = max(0, min(n, b.total/2-l.held))
	if b.fits(l.client, n) {
		b.take(l, n)
		b.mu.Unlock()
		return nil
	}
	w := &waiter{lease: l, n: n, granted: make(chan struct{})}
	b.waiters = append(b.waiters, w)
	b.mu.Unlock()

	timeout := time.NewTimer(b.wait)
	defer timeout.Stop()
	select {
	case <-w.granted:
		return nil
	case <-ctx.Done():
		return b.abandon(w, ctx.Err())
	case <-timeout.C:
		return b.abandon(w, errBusyClient)
	}
}

// Shrink returns n of the lease, or all of it if it is smaller.
func (l *Lease) Shrink(n int64) {
	if l == nil {
		return
	}
	b := l.budget
	b.mu.Lock()
	defer b.mu.Unlock()
	b.take(l, -max(0, min(n, l.held)))
	b.waiters = slices.DeleteFunc(b.waiters, func(w *waiter) bool {
		if !b.fits(w.lease.client, w.n) {
			return false
		}
		b.take(w.lease, w.n)
		close(w.granted)
		return true
	})
}

// Held returns the size of the lease.
func (l *Lease) Held() int64 {
	if l == nil {
		return 0
	}
	l.budget.mu.Lock()
	defer l.budget.mu.Unlock()
	return l.held
}

// Close returns the whole lease. The lease is empty afterward and can grow again.
func (l *Lease) Close() { l.Shrink(l.Held()) }

// fits reports whether a client may hold n more. b.mu must be held.
func (b *Budget) fits(c Client, n int64) bool { return b.clients[c]+n <= b.total-b.used }

// take adds n to a lease. n may be negative. b.mu must be held.
func (b *Budget) take(l *Lease, n int64) {
	l.held += n
	b.used += n
	if left := b.clients[l.client] + n; left > 0 {
		b.clients[l.client] = left
	} else {
		delete(b.clients, l.client)
	}
}

// abandon removes a waiter and returns err, or nil if the lease has grown in the meantime.
func (b *Budget) abandon(w *waiter, err error) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	if i := slices.Index(b.waiters, w); i >= 0 {
		b.waiters = slices.Delete(b.waiters, i, i+1)
		return err
	}
	return nil
}
