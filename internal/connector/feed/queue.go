package feed

import (
	"container/heap"
	"context"
	"sync"
	"time"

	"earshot/internal/sleep"
)

// hostGap is the minimum time between the end of a request to a host and the next one. With one
// request at a time, a host with many feeds sees at most one every two seconds.
const hostGap = 2 * time.Second

// A queue decides which feed is polled next. It is ordered by host: each host has a queue of feeds,
// and hosts are ordered by when their first feed may be requested. A host that is busy, or that said
// to wait, therefore delays only its own feeds, and idle feeds need no goroutine.
//
// All methods are safe for concurrent use.
type queue struct {
	now  func() time.Time
	wait func(context.Context, time.Duration) error
	wake chan struct{} // has a token if the result of next may have changed

	mu    sync.Mutex
	hosts map[string]*host // guarded by mu; those with feeds, requests or a wait
	ready hostHeap         // guarded by mu; those with feeds, without requests
}

// A host is the server that an address names, including a port that is not the default.
type host struct {
	name    string
	feeds   feedHeap
	free    time.Time // earliest time of the next request
	busy    bool      // a request is in flight
	waiting int       // callers of acquire; they go before the feeds
	place   int       // in queue.ready; -1: not there
}

// due returns when the first feed of the host may be requested.
func (h *host) due() time.Time {
	if due := h.feeds[0].due; due.After(h.free) {
		return due
	}
	return h.free
}

func newQueue(now func() time.Time, wait func(context.Context, time.Duration) error) *queue {
	return &queue{now: now, wait: wait, wake: make(chan struct{}, 1), hosts: map[string]*host{}}
}

// add schedules the next request to s.host for a feed at s.due.
func (q *queue) add(s *subscription) {
	q.mu.Lock()
	defer q.mu.Unlock()
	h := q.host(s.host)
	heap.Push(&h.feeds, s)
	q.place(h)
}

// next returns a feed that is due and reserves its host, which the caller must release. Otherwise it
// returns how long to wait for one.
func (q *queue) next() (*subscription, time.Duration) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if wait := q.untilDue(); wait > 0 {
		return nil, wait
	}
	h := q.ready[0]
	s := heap.Pop(&h.feeds).(*subscription)
	h.busy = true
	q.place(h)
	return s, 0
}

// nextDue returns when the next feed may be requested.
func (q *queue) nextDue() time.Time {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.now().Add(q.untilDue())
}

// untilDue returns how long to wait for the next feed. The caller holds q.mu.
func (q *queue) untilDue() time.Duration {
	if len(q.ready) == 0 {
		return time.Hour
	}
	return q.ready[0].due().Sub(q.now())
}

// acquire waits until a request to a host may be sent. The caller must release the host.
func (q *queue) acquire(ctx context.Context, name string) error {
	q.mu.Lock()
	h := q.host(name)
	h.waiting++
	q.place(h)
	for {
		now := q.now()
		if !h.busy && !now.Before(h.free) {
			break
		}
		wait := max(h.free.Sub(now), hostGap/8)
		q.mu.Unlock()
		err := q.wait(ctx, wait)
		q.mu.Lock()
		if err != nil {
			h.waiting--
			q.place(h)
			q.mu.Unlock()
			return err
		}
	}
	h.waiting--
	h.busy = true
	q.mu.Unlock()
	return nil
}

// release ends a request to a host. The next one is sent after hostGap or, if it is later, at until.
func (q *queue) release(name string, until time.Time) {
	q.mu.Lock()
	defer q.mu.Unlock()
	h := q.host(name)
	h.busy = false
	q.hold(h, q.now().Add(hostGap))
	q.hold(h, until)
	q.place(h)
}

// holdUntil stops requests to a host until a given time.
func (q *queue) holdUntil(name string, until time.Time) {
	q.mu.Lock()
	defer q.mu.Unlock()
	h := q.host(name)
	q.hold(h, until)
	q.place(h)
}

func (q *queue) hold(h *host, until time.Time) {
	if until.After(h.free) {
		h.free = until
	}
}

// host returns the host with a name. The caller holds q.mu.
func (q *queue) host(name string) *host {
	h := q.hosts[name]
	if h == nil {
		if len(q.hosts)%1024 == 1023 {
			q.sweep()
		}
		h = &host{name: name, place: -1}
		q.hosts[name] = h
	}
	return h
}

// sweep forgets hosts that nothing waits for. Articles can be on any number of hosts.
func (q *queue) sweep() {
	now := q.now()
	for name, h := range q.hosts {
		if len(h.feeds) == 0 && !h.busy && h.waiting == 0 && h.free.Before(now) {
			delete(q.hosts, name)
		}
	}
}

// place moves a host to its place in q.ready after a change. The caller holds q.mu.
func (q *queue) place(h *host) {
	in := len(h.feeds) > 0 && !h.busy && h.waiting == 0
	switch {
	case in && h.place < 0:
		heap.Push(&q.ready, h)
	case in:
		heap.Fix(&q.ready, h.place)
	case h.place >= 0:
		heap.Remove(&q.ready, h.place)
	}
	sleep.Notify(q.wake)
}

// A feedHeap orders the feeds of a host by when they are due.
type feedHeap []*subscription

func (h feedHeap) Len() int           { return len(h) }
func (h feedHeap) Less(i, j int) bool { return h[i].due.Before(h[j].due) }
func (h feedHeap) Swap(i, j int)      { h[i], h[j] = h[j], h[i] }
func (h *feedHeap) Push(x any)        { *h = append(*h, x.(*subscription)) }
func (h *feedHeap) Pop() any {
	last := len(*h) - 1
	s := (*h)[last]
	(*h)[last] = nil
	*h = (*h)[:last]
	return s
}

// A hostHeap orders hosts by when their first feed may be requested.
type hostHeap []*host

func (h hostHeap) Len() int           { return len(h) }
func (h hostHeap) Less(i, j int) bool { return h[i].due().Before(h[j].due()) }
func (h hostHeap) Swap(i, j int) {
	h[i], h[j] = h[j], h[i]
	h[i].place, h[j].place = i, j
}
func (h *hostHeap) Push(x any) {
	x.(*host).place = len(*h)
	*h = append(*h, x.(*host))
}
func (h *hostHeap) Pop() any {
	last := len(*h) - 1
	x := (*h)[last]
	(*h)[last] = nil
	*h = (*h)[:last]
	x.place = -1
	return x
}
