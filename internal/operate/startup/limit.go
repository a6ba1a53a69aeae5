package startup

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

// Limit returns how long a step may take with this many bytes of data.
func Limit(bytes int64) time.Duration {
	return maxStep + time.Duration(bytes/minSpeed)*time.Second
}

// Open calls do and returns its result. If a step exceeds the limit, Open cancels the context of do
// and returns an error that names the step. If do then still does not return within a grace period, it
// continues until the process ends.
func Open[T interface{ Close() }](ctx context.Context, s *Steps, grace time.Duration, do func(context.Context) (T, error)) (T, error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	defer s.removeLimit()
	type result struct {
		opened T
		err    error
	}
	done := make(chan result, 1)
	go func() {
		opened, err := do(ctx)
		done <- result{opened, err}
	}()
	select {
	case r := <-done:
		return r.opened, r.err
	case err := <-s.stuck:
		cancel()
		select {
		case r := <-done:
			if r.err == nil {
				r.opened.Close()
			}
		case <-time.After(grace):
		}
		var none T
		return none, err
	}
}

// AllowFor lets steps take as long as they may with this many bytes of data.
func (s *Steps) AllowFor(bytes int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.limit > 0 {
		s.limit = max(s.limit, Limit(bytes))
	}
}

// limitStep reports a step that takes too long. s.mu must be held.
func (s *Steps) limitStep(step string) {
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
func (s *Steps) removeLimit() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.limit = 0
	if s.late != nil {
		s.late.Stop()
	}
}
