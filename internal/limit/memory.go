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

// Memory is the memory that all requests in flight may occupy together.
//
// It is shared fairly: a client may hold at most as much as is free. A single client therefore gets
// at most half, each of two greedy clients a third, and something is always left for the next one.
type Memory struct {
	total int64

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

// NewMemory returns a budget of total bytes.
func NewMemory(total int64) *Memory {
	return &Memory{total: total, clients: map[Client]int64{}}
}

// Total returns the size of the budget in bytes.
func (m *Memory) Total() int64 { return m.total }

// Used returns how many bytes are in use.
func (m *Memory) Used() int64 {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.used
}

// Lease returns an empty lease for a request of a client.
func (m *Memory) Lease(c Client) *Lease { return &Lease{memory: m, client: c} }

// A Lease is the memory of one request. A nil Lease has no limit. A Lease is not safe for concurrent
// use.
type Lease struct {
	memory *Memory
	client Client
	held   int64
}

// errMemory is the response to a request for which there is no memory.
var errMemory = &earshot.Error{Kind: earshot.Unavailable, RetryAfter: time.Second,
	Message: "Too many large requests at the same time. Please send fewer at once and try again"}

// Grow adds n bytes to the lease. If the client's share is used up, it waits up to [MemoryWait] and
// then fails with an Unavailable error that can be sent to the client. A lease never exceeds half of
// the budget: any request fits if nothing else runs.
func (l *Lease) Grow(ctx context.Context, n int64) error {
	if l == nil {
		return nil
	}
	m := l.memory
	m.mu.Lock()
	n = max(0, min(n, m.total/2-l.held))
	if m.fits(l.client, n) {
		m.take(l, n)
		m.mu.Unlock()
		return nil
	}
	w := &waiter{lease: l, n: n, granted: make(chan struct{})}
	m.waiters = append(m.waiters, w)
	m.mu.Unlock()

	timeout := time.NewTimer(MemoryWait)
	defer timeout.Stop()
	select {
	case <-w.granted:
		return nil
	case <-ctx.Done():
		return m.abandon(w, ctx.Err())
	case <-timeout.C:
		return m.abandon(w, errMemory)
	}
}

// Shrink returns n bytes of the lease, or all of it if it is smaller.
func (l *Lease) Shrink(n int64) {
	if l == nil {
		return
	}
	m := l.memory
	m.mu.Lock()
	defer m.mu.Unlock()
	m.take(l, -max(0, min(n, l.held)))
	m.waiters = slices.DeleteFunc(m.waiters, func(w *waiter) bool {
		if !m.fits(w.lease.client, w.n) {
			return false
		}
		m.take(w.lease, w.n)
		close(w.granted)
		return true
	})
}

// Held returns the size of the lease in bytes.
func (l *Lease) Held() int64 {
	if l == nil {
		return 0
	}
	l.memory.mu.Lock()
	defer l.memory.mu.Unlock()
	return l.held
}

// Close returns the whole lease. The lease is empty afterward and can grow again.
func (l *Lease) Close() { l.Shrink(l.Held()) }

// fits reports whether a client may hold n more bytes. m.mu must be held.
func (m *Memory) fits(c Client, n int64) bool { return m.clients[c]+n <= m.total-m.used }

// take adds n bytes to a lease. n may be negative. m.mu must be held.
func (m *Memory) take(l *Lease, n int64) {
	l.held += n
	m.used += n
	if left := m.clients[l.client] + n; left > 0 {
		m.clients[l.client] = left
	} else {
		delete(m.clients, l.client)
	}
}

// abandon removes a waiter and returns err, or nil if the lease has grown in the meantime.
func (m *Memory) abandon(w *waiter, err error) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if i := slices.Index(m.waiters, w); i >= 0 {
		m.waiters = slices.Delete(m.waiters, i, i+1)
		return err
	}
	return nil
}
