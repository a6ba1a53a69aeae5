// Package startup knows what a start does: its steps, which are logged if they are slow, and which fail
// the start if they are stuck.
package startup

import (
	"log/slog"
	"sync"
	"time"
)

// slowStep is how long a startup step may take before it is logged. It is logged again each time
// its duration has doubled.
const slowStep = 5 * time.Second

// Steps are the steps of a start. One runs at a time.
type Steps struct {
	log   *slog.Logger
	stuck chan error // gets an error if a step exceeds the limit

	mu    sync.Mutex
	step  string      // guarded by mu; empty before the first step and after the last
	since time.Time   // guarded by mu; when the step started
	slow  *time.Timer // guarded by mu; logs the step

	limit time.Duration // guarded by mu; of a step; 0: none
	late  *time.Timer   // guarded by mu; sends to stuck; nil without a limit
}

// New returns the steps of a start. Each may take as long as the limit. A limit of 0 means no limit.
func New(log *slog.Logger, limit time.Duration) *Steps {
	return &Steps{log: log, limit: limit, stuck: make(chan error, 1)}
}

// Begin ends the running step and starts another one. The name is a phrase such as "opening the
// journal".
func (s *Steps) Begin(step string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.endStep()
	s.step, s.since = step, time.Now()
	s.logAfter(step, slowStep)
	s.limitStep(step)
}

// End ends the last step.
func (s *Steps) End() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.endStep()
}

// endStep ends the running step, if any. s.mu must be held.
func (s *Steps) endStep() {
	if s.slow != nil {
		s.slow.Stop()
	}
	if s.late != nil {
		s.late.Stop()
	}
	if took := time.Since(s.since); s.step != "" && took >= slowStep {
		s.log.Info("startup step finished", "step", s.step, "took", took.Round(time.Millisecond))
	}
	s.step = ""
}

// logAfter logs the step if it is still running after a duration. s.mu must be held.
func (s *Steps) logAfter(step string, after time.Duration) {
	began := s.since
	s.slow = time.AfterFunc(after-time.Since(began), func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		if s.step != step || !s.since.Equal(began) {
			return
		}
		s.log.Warn("startup step is slow", "step", step, "running", time.Since(began).Round(time.Second))
		s.logAfter(step, 2*after)
	})
}

// Current returns the running step.
func (s *Steps) Current() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.step
}
