package analysis

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"time"

	"earshot/internal/state/ledger"
)

// retryWaits is how long to wait after each failed attempt. The attempt after the last wait is
// final: if it fails too, the request is skipped.
var retryWaits = []time.Duration{1 * time.Minute, 3 * time.Minute, 5 * time.Minute, 10 * time.Minute, 20 * time.Minute}

// maxAttempts is the maximum number of attempts per request.
var maxAttempts = len(retryWaits) + 1

const (
	attemptTimeout = time.Minute // also the duration of a lease

	// leaseMargin is how long before the end of its lease an attempt is canceled, because
	// clocks differ.
	leaseMargin  = 5 * time.Second
	writeTimeout = 10 * time.Second
)

// An attempt is a computation in progress. It sends its outcome to done.
type attempt struct {
	done chan outcome
	stop context.CancelFunc // cancels the attempt
}

// An outcome is the result of an attempt.
type outcome struct {
	metrics *ledger.Metrics
	err     error
}

// startAttempt computes a request in the background. The caller must have acquired the semaphore,
// which the attempt releases.
func (s *Service) startAttempt(r ledger.Request, began time.Time) attempt {
	ctx, stop := context.WithDeadline(s.attempts, began.Add(attemptTimeout-leaseMargin))
	a := attempt{done: make(chan outcome, 1), stop: stop}
	go func() {
		defer stop()
		metrics, err := s.computeSafely(ctx, &r)
		<-s.semaphore
		a.done <- outcome{metrics, err}
	}()
	return a
}

// computeSafely turns a panic into an error of the attempt.
func (s *Service) computeSafely(ctx context.Context, r *ledger.Request) (metrics *ledger.Metrics, err error) {
	defer func() {
		if v := recover(); v != nil {
			err = fmt.Errorf("panic: %v\n%s", v, debug.Stack())
		}
	}()
	return s.compute(ctx, r)
}

// applyOutcome updates an analysis with the outcome of its last attempt.
func (s *Service) applyOutcome(r *ledger.Analysis, o outcome) {
	r.Running = false
	switch {
	case o.err == nil:
		r.State, r.Metrics, r.Due = ledger.Done, o.metrics, time.Time{}
	case s.attempts.Err() != nil: // canceled attempts do not count
		r.Attempt, r.Due = r.Attempt-1, s.Now()
	case r.Attempt >= maxAttempts:
		s.Log.Error("giving up on analysis", "result", r.ID, "attempts", r.Attempt, "error", o.err)
		r.State, r.Due = ledger.Skipped, time.Time{}
	default:
		s.Log.Warn("analysis failed, will retry", "result", r.ID, "attempt", r.Attempt, "error", o.err)
		r.Due = s.Now().Add(retryWaits[r.Attempt-1])
	}
}

// finishAttempt waits for an attempt and writes its outcome. revision is that of the lease.
func (s *Service) finishAttempt(r ledger.Analysis, revision uint64, a attempt) {
	leaseEnd := r.Due
	s.applyOutcome(&r, <-a.done)
	ctx, cancel := context.WithTimeout(context.Background(), writeTimeout)
	defer cancel()
	defer s.wakeWorker()
	_, err := s.Ledger.Put(ctx, &r, revision)
	switch {
	case errors.Is(err, ledger.ErrConflict): // too late: another node has started the next attempt
		s.jobs.reschedule(r.ID, s.Now())
	case err != nil: // the next attempt starts when the lease ends
		s.Log.Error("could not save the outcome of an analysis", "result", r.ID, "attempt", r.Attempt, "error", err)
		s.jobs.reschedule(r.ID, leaseEnd)
	case r.State == ledger.Waiting:
		s.jobs.reschedule(r.ID, r.Due)
	default:
		s.complete(ctx, &r)
	}
}

// complete ends the job of a DONE or SKIPPED analysis, and counts the query of a DONE one. If that
// fails, the worker retries later.
func (s *Service) complete(ctx context.Context, r *ledger.Analysis) {
	var err error
	if r.State == ledger.Done {
		err = s.countQuery(ctx, r.ID)
	}
	if err == nil {
		err = s.Ledger.RemovePending(ctx, r.ID)
	}
	if err != nil {
		s.Log.Error("could not complete an analysis, will retry", "result", r.ID, "error", err)
		s.jobs.reschedule(r.ID, s.Now().Add(pollInterval))
		return
	}
	s.jobs.remove(r.ID)
}
