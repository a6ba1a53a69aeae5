package analysis

import (
	"context"
	"slices"
	"time"

	"earshot"
	"earshot/internal/state/ledger"
)

var errStopping = &earshot.Error{Kind: earshot.Unavailable, RetryAfter: time.Second,
	Message: "Earshot is shutting down; try again in a moment"}

// Submit stores a request and makes the first attempt at once. The result is DONE if the attempt
// succeeds within Options.Wait. Otherwise it is WAITING and retried on schedule. If the form is
// invalid, the error is of kind [earshot.Invalid]; if the contract is exhausted, of kind
// [earshot.OverLimit]. In both cases, nothing is stored.
func (s *Service) Submit(ctx context.Context, c *earshot.Caller, f Form) (*Result, error) {
	if s.attempts.Err() != nil {
		return nil, errStopping
	}
	request, err := s.check(c, f)
	if err != nil {
		return nil, err
	}
	id, err := s.reserveQuery(ctx)
	if err != nil {
		return nil, err
	}
	r := &ledger.Analysis{ID: id, User: c.User, Teams: slices.Clone(c.Teams), Request: request, Created: s.Now().UTC(), State: ledger.Waiting}
	if request.Team != 0 {
		r.Teams = []earshot.TeamID{request.Team}
	}
	if err := s.tryOnce(ctx, r); err != nil {
		s.abandon(ctx, r.ID)
		return nil, err
	}
	return s.newResult(r), nil
}

// tryOnce makes the first attempt at a pending request and writes its outcome. If it returns an error, no analysis is
// stored.
func (s *Service) tryOnce(ctx context.Context, r *ledger.Analysis) error {
	timeout := time.NewTimer(s.Wait)
	defer timeout.Stop()
	select {
	case s.semaphore <- struct{}{}:
	case <-timeout.C:
		r.Due = s.Now() // the attempt has not started
		return s.save(ctx, r, nil)
	case <-ctx.Done():
		return ctx.Err()
	}
	r.Attempt, r.Running, r.Due = 1, true, s.Now().Add(attemptTimeout)
	a := s.startAttempt(r.Request, time.Now())
	select {
	case o := <-a.done:
		if earshot.IsKind(o.err, earshot.Invalid) {
			return o.err
		}
		s.applyOutcome(r, o)
		return s.save(ctx, r, nil)
	case <-timeout.C:
		return s.save(ctx, r, &a)
	case <-ctx.Done(): // the client disconnected
		a.stop()
		return ctx.Err()
	}
}

// save writes a new analysis. If a is not nil, the attempt continues in the background.
func (s *Service) save(ctx context.Context, r *ledger.Analysis, a *attempt) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), writeTimeout)
	defer cancel()
	revision, err := s.Ledger.Put(ctx, r, 0)
	switch {
	case err != nil:
		if a != nil {
			a.stop()
		}
		return err
	case a != nil:
		go s.finishAttempt(*r, revision, *a)
	case r.State == ledger.Waiting:
		s.jobs.reschedule(r.ID, r.Due)
		s.wakeWorker()
	default:
		s.complete(ctx, r)
	}
	return nil
}

// abandon removes the pending ID of a request that is not stored. If that fails, the worker removes
// it a few minutes later.
func (s *Service) abandon(ctx context.Context, id earshot.ResultID) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), writeTimeout)
	defer cancel()
	if err := s.Ledger.RemovePending(ctx, id); err != nil {
		s.Log.Error("could not remove the pending id of an abandoned analysis", "result", id, "error", err)
	}
	s.jobs.remove(id)
}
