package analysis

import (
	"slices"
	"sync"
	"time"

	"earshot"
)

// jobs tracks the requests that this process knows to need attention: busy ones, and those to
// process when they are due.
type jobs struct {
	mu        sync.Mutex // guards the fields below
	byID      map[earshot.ResultID]*job
	busy      int
	uncounted int64 // number of queries that may still be counted
	noneBusy  sync.Cond
}

// A job is a request that needs attention.
type job struct {
	firstSeen time.Time // when this process first saw it
	due       time.Time // when to process it
	busy      bool      // whether it is being processed
	uncounted bool      // whether it may still be counted as a query
}

func newJobs() *jobs {
	l := &jobs{byID: map[earshot.ResultID]*job{}}
	l.noneBusy.L = &l.mu
	return l
}

// submit adds a busy job that may still be counted as a query.
func (l *jobs) submit(id earshot.ResultID, now time.Time) {
	l.mu.Lock()
	defer l.mu.Unlock()
	j := &job{firstSeen: now, busy: true}
	l.byID[id] = j
	l.busy++
	l.set(j, true)
}

// setUncounted sets whether a job may still be counted as a query.
func (l *jobs) setUncounted(id earshot.ResultID, underway bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if j := l.byID[id]; j != nil {
		l.set(j, underway)
	}
}

// set is setUncounted. The caller must hold l.mu.
func (l *jobs) set(j *job, underway bool) {
	if j.uncounted == underway {
		return
	}
	j.uncounted = underway
	if underway {
		l.uncounted++
	} else {
		l.uncounted--
	}
}

// uncountedQueries returns the number of queries that may still be counted.
func (l *jobs) uncountedQueries() int64 {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.uncounted
}

// due returns the idle jobs that are due, in ascending order.
func (l *jobs) due(now time.Time) []earshot.ResultID {
	l.mu.Lock()
	defer l.mu.Unlock()
	var ids []earshot.ResultID
	for id, j := range l.byID {
		if !j.busy && !j.due.After(now) {
			ids = append(ids, id)
		}
	}
	slices.Sort(ids)
	return ids
}

// acquire marks a job busy if it is still due, and returns when it was first seen.
func (l *jobs) acquire(id earshot.ResultID, now time.Time) (seen time.Time, ok bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	j := l.byID[id]
	if j == nil || j.busy || j.due.After(now) {
		return time.Time{}, false
	}
	j.busy = true
	l.busy++
	return j.firstSeen, true
}

// reschedule marks a job idle until it is due.
func (l *jobs) reschedule(id earshot.ResultID, due time.Time) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if j := l.byID[id]; j != nil {
		j.due = due
		l.release(j)
	}
}

// remove removes a job. Removing it twice is harmless.
func (l *jobs) remove(id earshot.ResultID) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if j := l.byID[id]; j != nil {
		l.set(j, false)
		l.release(j)
		delete(l.byID, id)
	}
}

// release marks a job idle. The caller must hold l.mu.
func (l *jobs) release(j *job) {
	if j.busy {
		j.busy = false
		l.busy--
	}
	if l.busy == 0 {
		l.noneBusy.Broadcast()
	}
}

// wait blocks until no job is busy.
func (l *jobs) wait() {
	l.mu.Lock()
	defer l.mu.Unlock()
	for l.busy > 0 {
		l.noneBusy.Wait()
	}
}

// idle returns the jobs that are not busy, in any order.
func (l *jobs) idle() []earshot.ResultID {
	l.mu.Lock()
	defer l.mu.Unlock()
	var ids []earshot.ResultID
	for id, j := range l.byID {
		if !j.busy {
			ids = append(ids, id)
		}
	}
	return ids
}

// replace removes the idle jobs that are no longer pending, because other nodes have finished them.
// It adds new pending jobs, which are due at once. pending must be in ascending order.
func (l *jobs) replace(idle, pending []earshot.ResultID, now time.Time) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, id := range pending {
		if l.byID[id] == nil {
			l.byID[id] = &job{firstSeen: now, due: now}
		}
	}
	for _, id := range idle {
		_, still := slices.BinarySearch(pending, id)
		if j := l.byID[id]; j != nil && !j.busy && !still {
			l.set(j, false)
			delete(l.byID, id)
		}
	}
}

// next returns when the next idle job is due, or false if there is none.
func (l *jobs) next() (first time.Time, ok bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, j := range l.byID {
		if !j.busy && (!ok || j.due.Before(first)) {
			first, ok = j.due, true
		}
	}
	return first, ok
}
