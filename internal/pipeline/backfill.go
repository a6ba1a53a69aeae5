package pipeline

import (
	"context"
	"sync"
	"time"

	"earshot"
)

// backfills are the monitors that stored posts have to be matched against again,
// and how far that is. What is to be done follows from two things that survive a
// crash, how often a monitor had to be matched by its record in the catalog, and by
// its stamp in the store; so nothing here needs to.
// docs/decisions/0030-matching-again.md
type backfills struct {
	mu     sync.Mutex
	stamps map[earshot.MonitorID]int64 // as in the store
	last   map[earshot.MonitorID]*job  // of each monitor
	queue  []*job                      // in the order in which they were asked for
	grown  chan struct{}               // closed when there is more in the queue; nil while nobody waits
	seen   uint64                      // the version of the catalog's monitors that was looked at
	lost   map[int64]bool              // records of models that cannot be read
}

// A job makes the posts of one monitor right, in as many attempts as that takes.
type job struct {
	id       earshot.MonitorID
	progress earshot.Progress
	finished chan struct{} // closed when it is done

	cancel context.CancelFunc // ends the attempt that runs; nil: none does
	goal   goal               // what it follows from
	again  bool               // the monitor has changed since it began
	cuts   int                // how often that ended an attempt, since one was finished

	due  time.Time     // the next attempt comes no earlier
	wait time.Duration // before that attempt
}

// mostCuts is how often in a row an attempt is cut off because the monitor has changed. Then
// one is finished though it is out of date, so that a monitor that is changed all the time
// has at least what it asked for a while ago.
const mostCuts = 3

// Rematch sees to it that the posts of a monitor and of its filters become those
// that it selects as the catalog has it: none when it is removed, nor of a filter that
// is gone. The channel is closed when that is so. Backfills run one at a time, in the
// order in which they were asked for; one that a newer change makes worthless is cut
// off and takes its turn again.
func (p *Pipeline) Rematch(id earshot.MonitorID) <-chan struct{} {
	p.backfills.mu.Lock()
	defer p.backfills.mu.Unlock()
	if a := p.find(id); !a.gone() && !a.behind() {
		finished := make(chan struct{}) // someone else's change was later and came first
		close(finished)
		return finished
	}
	return p.ask(id).finished
}

// Progress tells how far the backfill of a monitor is, or the last one since the
// start.
func (p *Pipeline) Progress(id earshot.MonitorID) earshot.Progress {
	p.backfills.mu.Lock()
	defer p.backfills.mu.Unlock()
	j, behind := p.backfills.last[id], p.behind(id)
	switch {
	case j != nil && !(behind && j.progress.State == earshot.Done):
		return j.progress
	case behind:
		return waiting // it will be asked for in a moment
	}
	return earshot.Progress{State: earshot.Idle}
}

var waiting = earshot.Progress{State: earshot.Waiting, Message: "Waiting to match stored posts"}

// behind reports whether the store has not what it ought to have of a monitor.
func (p *Pipeline) behind(id earshot.MonitorID) bool {
	return p.find(id).behind()
}

// find returns what an attempt would have to do now. The lock is held.
func (p *Pipeline) find(id earshot.MonitorID) attempt {
	m, _ := p.Catalog.Monitors.Find(id)
	stamps := p.backfills.stamps
	a := attempt{id: id, monitor: m, stamp: stamps[id], opinions: p.Teacher != nil, used: stamps[id.Sorted()]}
	if !a.gone() {
		a.lost = p.backfills.lost[m.Training.Model.Record]
		a.outdated = a.opinions && !p.Teacher.IsCurrent(m.Training.Model)
	}
	if !a.gone() && m.Type == earshot.Social && stamps[id.Own()] != a.stamp {
		a.stamp = unmatched
	}
	return a
}

// ask returns the job that brings a monitor up to date, a new one if need be. The
// lock is held.
func (p *Pipeline) ask(id earshot.MonitorID) *job {
	b := &p.backfills
	j := b.last[id]
	switch {
	case j == nil || j.progress.State == earshot.Done:
		j = &job{id: id, finished: make(chan struct{})}
		if b.last == nil {
			b.last = map[earshot.MonitorID]*job{}
		}
		b.last[id] = j
		b.enqueue(j)
	case j.cancel == nil: // it waits, and will find the monitor as it is then
		j.restart()
		b.wake()
	case j.goal != p.find(id).goal():
		j.again = true
		if j.cuts++; j.cuts <= mostCuts {
			j.cancel()
		}
	}
	return j
}

// restart forgets what has been tried.
func (j *job) restart() {
	j.progress, j.again, j.wait, j.due = waiting, false, 0, time.Time{}
}

func (b *backfills) enqueue(j *job) {
	j.restart()
	b.queue = append(b.queue, j)
	b.wake()
}

func (b *backfills) wake() {
	if b.grown != nil {
		close(b.grown)
		b.grown = nil
	}
}
