package analysis

import (
	"context"
	"errors"
	"time"

	"earshot"
	"earshot/internal/sleep"
	"earshot/internal/state/ledger"
)

const (
	// pollInterval is how often the worker checks for requests of other processes, and how soon it
	// retries after an error. It is short enough to pick up the requests of a dead process quickly,
	// and long enough to be cheap.
	pollInterval = 5 * time.Second

	// orphanTimeout is how long an ID may be pending without an analysis. After that, its process
	// is presumed dead.
	orphanTimeout = 5 * time.Minute
)

// Run makes due attempts, including those of processes that have died, until ctx ends. It then
// cancels running attempts, which do not count and are due again at once, and waits for them.
func (s *Service) Run(ctx context.Context) {
	defer s.jobs.wait()
	defer s.stop()
	for {
		if !s.Shared || s.retries.Load() {
			s.refreshJobs(ctx)
		}
		s.runDue(ctx)
		select {
		case <-ctx.Done():
			return
		case <-time.After(s.untilNext()):
		case <-s.wake:
		}
	}
}

// RunRetries makes Run look for requests of other nodes, until ctx ends. One of several nodes runs it.
func (s *Service) RunRetries(ctx context.Context) {
	s.retries.Store(true)
	defer s.retries.Store(false)
	s.wakeWorker()
	<-ctx.Done()
}

// wakeWorker makes Run check for due jobs.
func (s *Service) wakeWorker() {
	sleep.Notify(s.wake)
}

// untilNext returns the time until the next job is due, at most pollInterval.
func (s *Service) untilNext() time.Duration {
	if due, ok := s.jobs.next(); ok {
		return min(pollInterval, max(0, due.Sub(s.Now())))
	}
	return pollInterval
}

// refreshJobs reads from the ledger which requests need attention.
func (s *Service) refreshJobs(ctx context.Context) {
	idle := s.jobs.idle() // before reading the ledger, so that requests submitted since are retained
	pending, err := s.Ledger.ListPending(ctx)
	if err != nil {
		s.logUnlessStopping(ctx, "could not list pending analyses", err)
		return
	}
	s.jobs.replace(idle, pending, s.Now())
}

// runDue processes all due jobs.
func (s *Service) runDue(ctx context.Context) {
	for _, id := range s.jobs.due(s.Now()) {
		if ctx.Err() != nil {
			return
		}
		if seen, ok := s.jobs.acquire(id, s.Now()); ok {
			s.process(ctx, id, seen)
		}
	}
}

func (s *Service) process(ctx context.Context, id earshot.ResultID, seen time.Time) {
	r, revision, err := s.Ledger.Find(ctx, id)
	now := s.Now()
	switch {
	case errors.Is(err, ledger.ErrNotFound) && now.Sub(seen) >= orphanTimeout:
		s.abandon(ctx, id)
	case errors.Is(err, ledger.ErrNotFound): // its first attempt is still running, or its process died
		s.jobs.reschedule(id, now.Add(pollInterval))
	case err != nil:
		s.logUnlessStopping(ctx, "could not read an analysis", err)
		s.jobs.reschedule(id, now.Add(pollInterval))
	case r.State != ledger.Waiting:
		s.complete(ctx, r)
	default:
		s.jobs.setUncounted(id, true)
		s.advance(ctx, r, revision)
	}
}

// advance makes the next attempt of a WAITING request if it is due.
func (s *Service) advance(ctx context.Context, r *ledger.Analysis, revision uint64) {
	switch {
	case r.Due.After(s.Now()):
		s.jobs.reschedule(r.ID, r.Due)
	case r.Attempt >= maxAttempts: // the outcome of the last attempt is unknown
		done := make(chan outcome, 1)
		done <- outcome{err: errors.New("the process that made the last attempt died")}
		s.finishAttempt(*r, revision, attempt{done: done})
	default:
		s.retry(ctx, r, revision)
	}
}

// retry takes a lease on the next attempt and starts it, once the semaphore allows it.
func (s *Service) retry(ctx context.Context, r *ledger.Analysis, revision uint64) {
	select {
	case s.semaphore <- struct{}{}:
	case <-ctx.Done():
		s.jobs.reschedule(r.ID, r.Due)
		return
	}
	began := time.Now()
	r.Attempt, r.Running, r.Due = r.Attempt+1, true, s.Now().Add(attemptTimeout)
	revision, err := s.Ledger.Put(ctx, r, revision)
	if err != nil {
		<-s.semaphore
		if !errors.Is(err, ledger.ErrConflict) { // a conflict means that another node was faster
			s.logUnlessStopping(ctx, "could not take a lease on an analysis", err)
		}
		s.jobs.reschedule(r.ID, s.Now().Add(pollInterval))
		return
	}
	go s.finishAttempt(*r, revision, s.startAttempt(r.Request, began))
}

func (s *Service) logUnlessStopping(ctx context.Context, what string, err error) {
	if ctx.Err() == nil {
		s.Log.Error(what+"; will retry", "error", err)
	}
}
