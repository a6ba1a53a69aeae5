package picture

import (
	"net/url"
	"strings"
	"sync"
	"time"

	"earshot/internal/sleep"
)

// Politeness: a host gets one request at a time, with a pause in between. After a failure that may
// pass, the host rests, longer each time. After several in a row it counts as down, and pictures
// from it are given up until it has rested.
const (
	hostPause    = 100 * time.Millisecond
	minHostRest  = 2 * time.Second
	maxHostRest  = 5 * time.Minute
	downFailures = 5
	maxHosts     = 10_000 // hosts to remember
)

// hosts is a queue of jobs per host. Hosts take turns.
type hosts struct {
	mu     sync.Mutex
	all    map[string]*host // guarded by mu
	queued []*host          // guarded by mu; hosts with jobs that no request is in flight for, in turn
	wake   chan struct{}    // contains a token when a job may be ready
	pause  time.Duration
}

type host struct {
	name     string
	jobs     []*job
	busy     bool      // a request is in flight
	next     time.Time // no request before
	failures int       // in a row
}

func newHosts() *hosts {
	return &hosts{all: map[string]*host{}, wake: make(chan struct{}, 1), pause: hostPause}
}

// hostOf returns the host of a URL, or "" if it has none.
func hostOf(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return ""
	}
	return strings.ToLower(u.Host)
}

// isDown reports whether pictures from a host are not worth waiting for.
func (q *hosts) isDown(name string, now time.Time) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	h := q.all[name]
	return h != nil && h.failures >= downFailures && now.Before(h.next)
}

// add queues a job, no earlier than a time.
func (q *hosts) add(j *job) {
	q.mu.Lock()
	defer q.mu.Unlock()
	h := q.all[j.host]
	if h == nil {
		if len(q.all) >= maxHosts {
			q.forgetIdle()
		}
		h = &host{name: j.host}
		q.all[j.host] = h
	}
	h.jobs = append(h.jobs, j)
	if len(h.jobs) == 1 && !h.busy {
		q.queued = append(q.queued, h)
	}
	q.notify()
}

// reset removes all jobs. No request may be in flight.
func (q *hosts) reset() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.queued = nil
	for _, h := range q.all {
		h.jobs, h.busy = nil, false
	}
}

// forgetIdle forgets hosts without jobs. q.mu must be held.
func (q *hosts) forgetIdle() {
	for name, h := range q.all {
		if !h.busy && len(h.jobs) == 0 {
			delete(q.all, name)
		}
	}
}

// take returns a job whose host may be asked now, or the time until there may be one.
func (q *hosts) take(now time.Time) (*job, time.Duration) {
	q.mu.Lock()
	defer q.mu.Unlock()
	wait := maxHostRest
	for i, h := range q.queued {
		if left := h.next.Sub(now); left > 0 {
			wait = min(wait, left)
			continue
		}
		q.queued = append(q.queued[:i:i], q.queued[i+1:]...)
		j := h.jobs[0]
		h.jobs, h.busy = h.jobs[1:], true
		q.notify() // another host may be ready
		return j, 0
	}
	return nil, wait
}

// finish ends the request of a job. rest is how long the host must rest because of a failure that
// may pass; 0 means success. It returns the jobs of a host that is down.
func (q *hosts) finish(j *job, now time.Time, failed bool, retryAfter time.Duration) (given []*job) {
	q.mu.Lock()
	defer q.mu.Unlock()
	h := q.all[j.host]
	h.busy, h.next = false, now.Add(q.pause)
	if !failed {
		h.failures = 0
	} else {
		rest := minHostRest << min(h.failures, 10)
		h.failures++
		h.next = now.Add(min(max(rest, retryAfter), maxHostRest))
		if h.failures >= downFailures {
			given, h.jobs = h.jobs, nil
		}
	}
	if len(h.jobs) > 0 {
		q.queued = append(q.queued, h)
	}
	q.notify()
	return given
}

func (q *hosts) notify() {
	sleep.Notify(q.wake)
}
