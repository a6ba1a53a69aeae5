package analysis

import (
	"slices"
	"sync"
	"time"

	"earshot"
)

// jobs are the requests that need attention, as far as this process knows: those it is busy
// with, and those it will look at when they are due.
type jobs struct {
	mu        sync.Mutex
	byID      map[earshot.ResultID]*job
	busy      int
	uncounted int64 // queries that may yet be counted
	noneBusy  sync.Cond
}

// A job is a request that needs attention.
type job struct {
	firstSeen time.Time // first
	due       time.Time // when to look at it
	busy      bool      // someone does
	uncounted bool      // it may yet be counted as a query
}

func newJobs() *jobs {
	l := &jobs{byID: map[earshot.ResultID]*job{}}
	l.noneBusy.L = &l.mu
	return l
}

// submit adds a request that the caller is busy with, and that may be counted as a query.
func (l *jobs) submit(id earshot.ResultID, now time.Time) {
	l.mu.Lock()
	defer l.mu.Unlock()
	j := &job{firstSeen: now, busy: true}
	l.byID[id] = j
	l.busy++
	l.set(j, true)
}

// setUncounted says whether a job may yet be counted as a query.
func (l *jobs) setUncounted(id earshot.ResultID, underway bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if j := l.byID[id]; j != nil {
		l.set(j, underway)
	}
}

// set is mark. Lock should be held.
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

// uncountedQueries returns how many queries are under way.
func (l *jobs) uncountedQueries() int64 {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.uncounted
}

// due returns the jobs that are due and that nobody is busy with, ascending.
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

// acquire makes the caller busy with a job that is due still, and returns since when it is known.
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

// reschedule ends the caller's work on a job, which is due again at some time.
func (l *jobs) reschedule(id earshot.ResultID, due time.Time) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if j := l.byID[id]; j != nil {
		j.due = due
		l.release(j)
	}
}

// remove ends the caller's work on a job for good.
func (l *jobs) remove(id earshot.ResultID) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if j := l.byID[id]; j != nil {
		l.set(j, false)
		l.release(j)
		delete(l.byID, id)
	}
}

// release is for a job that nobody is busy with any more. Lock should be held.
func (l *jobs) release(j *job) {
	if j.busy {
		j.busy = false
		l.busy--
	}
	if l.busy == 0 {
		l.noneBusy.Broadcast()
	}
}

// wait returns when nobody is busy.
func (l *jobs) wait() {
	l.mu.Lock()
	defer l.mu.Unlock()
	for l.busy > 0 {
		l.noneBusy.Wait()
	}
}

// idle returns the jobs that nobody is busy with.
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

// replace makes of the jobs that were idle those that are opened: others have dealt with the
// rest. What is new is due at once.
func (l *jobs) replace(idle, opened []earshot.ResultID, now time.Time) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, id := range opened {
		if l.byID[id] == nil {
			l.byID[id] = &job{firstSeen: now, due: now}
		}
	}
	for _, id := range idle {
		_, still := slices.BinarySearch(opened, id)
		if j := l.byID[id]; j != nil && !j.busy && !still {
			l.set(j, false)
			delete(l.byID, id)
		}
	}
}

// next returns when the first idle job is due, and false when there is none.
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
