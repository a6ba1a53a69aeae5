package limit

import (
	"context"
	"time"

	"earshot"
)

// maxHashingWaiters is how many sign-ins wait for a hash at the same time. Each hash takes about
// 30 ms, so the last of them waits less than a second on two cores.
const maxHashingWaiters = 64

// A Queue runs expensive work, a few jobs at a time. The number of jobs that wait is bounded.
type Queue struct {
	running chan struct{}
	waiting chan struct{} // includes the running jobs
}

// errBusy is the response to a request that finds the queue full.
var errBusy = &earshot.Error{Kind: earshot.Unavailable, RetryAfter: time.Second,
	Message: "Too many people are signing in at the same time. Please try again in a moment"}

// NewQueue returns a queue that runs this many jobs at a time while at most waiters others wait.
func NewQueue(jobs, waiters int) *Queue {
	return &Queue{running: make(chan struct{}, jobs), waiting: make(chan struct{}, jobs+waiters)}
}

// Do calls f when it is its turn, and returns when f has returned. If the queue is full or ctx ends
// first, it returns an error without calling f. The error of a full queue can be sent to the client.
func (q *Queue) Do(ctx context.Context, f func()) error {
	select {
	case q.waiting <- struct{}{}:
		defer func() { <-q.waiting }()
	default:
		return errBusy
	}
	select {
	case q.running <- struct{}{}:
		defer func() { <-q.running }()
	case <-ctx.Done():
		return ctx.Err()
	}
	f()
	return nil
}
