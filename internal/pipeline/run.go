package pipeline

import (
	"context"
	"errors"
	"slices"
	"time"

	"earshot"
	"earshot/internal/poststore"
)

// Bounds of the wait after a failed attempt, which doubles each time. It grows
// longer than for an entry: an attempt may go through all posts.
const (
	firstWait   = 10 * time.Millisecond
	longestWait = time.Minute
)

// lookAgain is how often the catalog is looked at for changes that nobody asked
// about: the answer to a write may get lost though the write did not.
const lookAgain = time.Minute

// backfill runs jobs until ctx ends.
func (p *Pipeline) backfill(ctx context.Context) {
	for {
		j, ok := p.next(ctx)
		if !ok {
			return
		}
		attempting, a := p.begin(ctx, j)
		rules, err := p.rematch(attempting, a, func(done, total int64) { p.tell(j, done, total) })
		p.finish(ctx, j, rules, err)
		if err == nil {
			p.settle(ctx, a, rules)
		}
	}
}

// next waits for a job whose turn it is, and takes it out of the queue.
func (p *Pipeline) next(ctx context.Context) (j *job, ok bool) {
	for ctx.Err() == nil {
		j, grown, wait := p.take()
		if j != nil {
			return j, true
		}
		select {
		case <-ctx.Done():
		case <-grown:
		case <-time.After(wait):
		}
	}
	return nil, false
}

// take is next without waiting: when there is no job, it says what to wait for.
func (p *Pipeline) take() (j *job, grown <-chan struct{}, wait time.Duration) {
	b := &p.backfills
	b.mu.Lock()
	defer b.mu.Unlock()
	p.catchUp()
	wait = lookAgain
	for i, j := range b.queue {
		left := time.Until(j.due)
		if left <= 0 {
			b.queue = slices.Delete(b.queue, i, i+1)
			return j, nil, 0
		}
		wait = min(wait, left)
	}
	if b.grown == nil {
		b.grown = make(chan struct{})
	}
	return nil, b.grown, wait
}

// begin starts an attempt with the monitor as it is now. A change that is asked
// about earlier is in it, and one that is asked about later ends its context.
func (p *Pipeline) begin(ctx context.Context, j *job) (context.Context, attempt) {
	p.backfills.mu.Lock()
	defer p.backfills.mu.Unlock()
	a := p.find(j.id)
	ctx, j.cancel = context.WithCancel(ctx)
	j.goal = a.goal()
	started := j.progress.Started
	if started.IsZero() {
		started = time.Now().UTC().Truncate(time.Second)
	}
	j.progress = earshot.Progress{State: earshot.Running, Started: started, Message: a.doing()}
	return ctx, a
}

// doing says in words what an attempt does.
func (a attempt) doing() string {
	switch {
	case a.target() != a.stamp:
		return "Matching stored posts"
	case a.learns():
		return "Learning from training posts and sorting stored posts"
	}
	return "Sorting stored posts"
}

// tell notes how far an attempt is.
func (p *Pipeline) tell(j *job, done, total int64) {
	p.backfills.mu.Lock()
	defer p.backfills.mu.Unlock()
	j.progress.Done, j.progress.Total = max(done, j.progress.Done), total
}

// finish ends an attempt. ctx is that of all jobs.
func (p *Pipeline) finish(ctx context.Context, j *job, rules poststore.Rules, err error) {
	b := &p.backfills
	b.mu.Lock()
	defer b.mu.Unlock()
	j.cancel()
	j.cancel = nil
	if err == nil {
		b.stamp(rules)
		j.cuts = 0
	}
	switch {
	case j.again, err != nil && ctx.Err() == nil && j.goal != p.find(j.id).goal(): // whoever changed it has yet to ask
		b.enqueue(j)
	case err == nil:
		b.close(j)
	case ctx.Err() != nil: // whoever runs next begins with it
		j.restart()
		b.queue = slices.Insert(b.queue, 0, j)
	default:
		p.postpone(j, err)
	}
}

// stamp notes what the store has now.
func (b *backfills) stamp(rules poststore.Rules) {
	for id, rule := range rules {
		if rule.Stamp == 0 {
			delete(b.stamps, id)
		} else {
			b.stamps[id] = rule.Stamp
		}
	}
}

// close ends a job. Of a monitor that is gone nothing is remembered.
func (b *backfills) close(j *job) {
	j.progress.State, j.progress.Done, j.progress.Message = earshot.Done, j.progress.Total, "Stored posts are matched"
	close(j.finished)
	if j.goal == (goal{}) {
		delete(b.last, j.id)
	}
}

// postpone lets a job that failed wait at the end of the queue, so that one that
// fails for good holds up nobody.
func (p *Pipeline) postpone(j *job, err error) {
	j.wait = min(max(2*j.wait, firstWait), longestWait)
	j.due = time.Now().Add(j.wait)
	j.progress.State, j.progress.Message = earshot.Failed, failure(err)
	p.backfills.queue = append(p.backfills.queue, j)
	p.Log.Error("stored posts not matched yet; trying again", "monitor", j.id, "wait", j.wait, "error", err)
}

// failure puts an error into words for those who may manage the monitor. What is not
// meant for them stands in the log.
func failure(err error) string {
	var e *earshot.Error
	if errors.As(err, &e) {
		return "Stored posts could not be matched and will be tried again: " + e.Message
	}
	return "Stored posts could not be matched and will be tried again; the log of the service says why"
}
