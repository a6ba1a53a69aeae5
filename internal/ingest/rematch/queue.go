package rematch

import (
	"context"
	"errors"
	"slices"
	"time"

	"earshot"
	"earshot/internal/poststore"
	"earshot/internal/sleep"
)

// A job brings the posts of one monitor up to date. It may take several runs. Its fields are
// guarded by Service.mu.
type job struct {
	id       earshot.MonitorID
	progress Progress
	finished chan struct{} // closed when the job is done

	cancel     context.CancelFunc // cancels the current run; nil while the job is queued
	goal       goal               // of the current run
	again      bool               // whether the monitor changed since the run began
	interrupts int                // number of runs canceled by changes since the last completed run

	held int           // number of runs that waited for other nodes
	due  time.Time     // earliest time of the next run, by the clock of timers
	wait time.Duration // time between the last failure and due
}

// maxInterrupts is the maximum number of consecutive runs that changes to the monitor may cancel.
// The next run completes even if it is out of date, so that a constantly changing monitor at least
// has the results of a recent change.
const maxInterrupts = 3

// pollInterval is how often the catalog is checked for changes that were not followed by a request.
// The response to a write can get lost even though the write succeeded.
const pollInterval = time.Minute

// elsewhereWait is the time between two looks at a store that another node writes to.
const elsewhereWait = time.Second

var (
	waiting       = Progress{State: Waiting, Message: "Waiting to match stored posts"}
	waitingModel  = Progress{State: Waiting, Message: "Waiting for another node to train the model"}
	waitingWriter = Progress{State: Waiting, Message: "Waiting for another node to match stored posts"}
	waitingOthers = Progress{State: Waiting, Message: "Waiting for other nodes to categorize stored posts"}
)

// Rematch requests that the store match the catalog for a monitor and its filters. Removed monitors
// and filters lose all of their posts. The returned channel is closed when the store is up to date.
func (s *Service) Rematch(id earshot.MonitorID) <-chan struct{} {
	s.mu.Lock()
	defer s.mu.Unlock()
	if p := s.plan(id); !p.removed() && !p.outdated() {
		finished := make(chan struct{}) // a job for a later change has already covered this request
		close(finished)
		return finished
	}
	return s.request(id).finished
}

// Progress returns the progress of a monitor's current job, or of its last job since the service
// started.
func (s *Service) Progress(id earshot.MonitorID) Progress {
	s.mu.Lock()
	defer s.mu.Unlock()
	j, outdated := s.last[id], s.plan(id).outdated()
	switch {
	case j != nil && !(outdated && j.progress.State == Done):
		return j.progress
	case outdated:
		return waiting // the request is about to arrive
	}
	return Progress{State: Idle}
}

// request returns a job that brings a monitor up to date, creating one if necessary. The caller
// holds s.mu.
func (s *Service) request(id earshot.MonitorID) *job {
	j := s.last[id]
	switch {
	case j == nil || j.progress.State == Done:
		j = &job{id: id, finished: make(chan struct{})}
		s.last[id] = j
		s.enqueue(j)
	case j.cancel == nil: // queued; it will read the monitor when it begins
		j.reset()
		sleep.Notify(s.wake)
	case j.goal != s.plan(id).goal():
		j.again = true
		if j.interrupts++; j.interrupts <= maxInterrupts {
			j.cancel()
		}
	}
	return j
}

// requestIfOutdated requests a job for a monitor if the store is behind. The caller holds s.mu.
func (s *Service) requestIfOutdated(id earshot.MonitorID) {
	if s.plan(id).outdated() {
		s.request(id)
	}
}

// enqueueChanged requests jobs for monitors that changed since its last call and for which the
// store is behind, and for monitors and filters that no longer exist. The caller holds s.mu.
func (s *Service) enqueueChanged() {
	ids, version := s.Catalog.Monitors.Changes(s.version)
	s.version = version
	for _, id := range ids {
		if p := s.plan(id); p.outdated() || p.removed() && !s.removed[id] {
			s.request(id)
		}
	}
	if len(ids) > 0 {
		for _, id := range s.strays() {
			if j := s.last[id]; j == nil || j.progress.State == Done {
				s.request(id)
			}
		}
	}
}

func (s *Service) enqueue(j *job) {
	j.reset()
	s.queue = append(s.queue, j)
	sleep.Notify(s.wake)
}

// reset makes a job due now, as if it had never failed.
func (j *job) reset() {
	j.progress, j.again, j.wait, j.held, j.due = waiting, false, 0, 0, time.Time{}
}

// next waits for a job that is due and removes it from the queue. It returns nil when ctx is done.
func (s *Service) next(ctx context.Context) *job {
	for ctx.Err() == nil {
		j, wait := s.take()
		if j != nil {
			return j
		}
		select {
		case <-ctx.Done():
		case <-s.wake:
		case <-time.After(wait):
		}
	}
	return nil
}

// take is next without waiting. If no job is due, it returns nil and the time to wait.
func (s *Service) take() (*job, time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.enqueueChanged()
	wait := pollInterval
	for i, j := range s.queue {
		if p := s.plan(j.id); p.outdated() && !p.runnable() {
			j.progress = waitingModel // the catalog or the role changes first
			continue
		}
		left := time.Until(j.due)
		if left <= 0 {
			s.queue = slices.Delete(s.queue, i, i+1)
			return j, 0
		}
		wait = min(wait, left)
	}
	return nil, wait
}

// begin starts a run with the current state of the monitor. A later request with a different goal
// cancels the returned context.
func (s *Service) begin(ctx context.Context, j *job) (context.Context, plan) {
	s.mu.Lock()
	defer s.mu.Unlock()
	p := s.plan(j.id)
	ctx, j.cancel = context.WithCancel(ctx)
	j.goal = p.goal()
	started := j.progress.Started
	if started.IsZero() {
		started = s.Now().UTC().Truncate(time.Second)
	}
	message := "Categorizing stored posts"
	switch {
	case p.matches():
		message = "Matching stored posts"
	case p.trains():
		message = "Training the model and categorizing stored posts"
	}
	j.progress = Progress{State: Running, Started: started, Message: message}
	return ctx, p
}

// finish ends the run of a plan. ctx is the context of [Service.Run], not that of the run.
func (s *Service) finish(ctx context.Context, j *job, p plan, rules poststore.Rules, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	j.cancel()
	j.cancel = nil
	if err == nil {
		s.applied(p, rules)
		j.interrupts = 0
	}
	switch {
	case errors.Is(err, errOthersBehind):
		j.held++
		j.due, j.progress = time.Now().Add(othersWait), waitingOthers
		s.queue = append(s.queue, j)
	case errors.Is(err, poststore.ErrElsewhere):
		j.due, j.progress = time.Now().Add(elsewhereWait), waitingWriter
		s.queue = append(s.queue, j)
	case j.again, errors.Is(err, errRoleLost), err != nil && ctx.Err() == nil && j.goal != s.plan(j.id).goal(): // the request for the change is about to arrive
		s.enqueue(j)
	case err == nil && s.plan(j.id).needsModel() && s.plan(j.id).elsewhere:
		j.reset()
		j.progress = waitingModel
		s.queue = append(s.queue, j)
		sleep.Notify(s.wake)
	case err == nil && s.plan(j.id).hasOtherModel(): // another node has trained it since the run began, which is no new goal
		s.enqueue(j)
	case err == nil:
		j.progress.State, j.progress.Done, j.progress.Message = Done, j.progress.Total, "Stored posts are up to date"
		close(j.finished)
		if j.goal == (goal{}) {
			delete(s.last, j.id) // the monitor is removed
		}
	case ctx.Err() != nil: // the next Run begins with this job
		j.reset()
		s.queue = slices.Insert(s.queue, 0, j)
	default: // move to the end of the queue so that a job that always fails does not block others
		j.wait = min(max(2*j.wait, minWait), maxWait)
		j.due = time.Now().Add(j.wait)
		j.progress.State = Failed
		j.progress.Message = "Matching stored posts failed and will be retried. See the service log for the reason"
		var e *earshot.Error
		if errors.As(err, &e) {
			j.progress.Message = "Matching stored posts failed and will be retried: " + e.Message
		}
		s.queue = append(s.queue, j)
		s.Log.Error("rematching stored posts failed; retrying", "monitor", j.id, "wait", j.wait, "error", err)
	}
}

// applied notes that the store is up to date with a plan. The caller holds s.mu.
func (s *Service) applied(p plan, rules poststore.Rules) {
	for id, rule := range rules {
		if rule.Generation == 0 {
			delete(s.generations, id)
		} else {
			s.generations[id] = rule.Generation
		}
	}
	if p.removed() {
		s.removed[p.id] = true
	}
	if p.stale || p.removed() {
		delete(s.stale, p.id)
		sleep.Notify(s.unstale)
	}
}
