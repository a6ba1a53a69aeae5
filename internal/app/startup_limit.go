package app

import (
	"context"
	"fmt"
	"time"
)

// A step of the start may take maxStep, and longer if there is much data: even slow disks read
// minSpeed bytes per second.
const (
	maxStep  = 5 * time.Minute
	minSpeed = 10 << 20
)

// stepLimit returns how long a step may take with this many bytes of data.
func stepLimit(bytes int64) time.Duration {
	return maxStep + time.Duration(bytes/minSpeed)*time.Second
}

// open calls do and returns its result. If a step exceeds the limit, open cancels the context of do
// and returns an error that names the step. If do then still does not return, it continues until
// the process ends.
func (s *startup) open(ctx context.Context, do func(context.Context) (*App, error)) (*App, error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	defer s.removeLimit()
	type result struct {
		app *App
		err error
	}
	done := make(chan result, 1)
	go func() {
		a, err := do(ctx)
		done <- result{a, err}
	}()
	select {
	case r := <-done:
		return r.app, r.err
	case err := <-s.stuck:
		cancel()
		select {
		case r := <-done:
			if r.app != nil {
				r.app.Close()
			}
		case <-time.After(gracePeriod):
		}
		return nil, err
	}
}

// allowFor lets steps take as long as they may with this many bytes of data.
func (s *startup) allowFor(bytes int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.limit > 0 {
		s.limit = max(s.limit, stepLimit(bytes))
	}
}

// limitStep reports a step that takes too long. s.mu must be held.
func (s *startup) limitStep(step string) {
	if s.limit == 0 {
		return
	}
	limit := s.limit
	s.late = time.AfterFunc(limit, func() {
		select {
		case s.stuck <- fmt.Errorf("%s did not finish within %v", step, limit):
		default: // the first stuck step is reported
		}
	})
}

// removeLimit removes the limit of the running step and all later ones.
func (s *startup) removeLimit() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.limit = 0
	if s.late != nil {
		s.late.Stop()
	}
}
