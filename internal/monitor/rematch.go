package monitor

import (
	"context"
	"time"

	"earshot"
)

// patience is how long a change waits until stored posts are matched again. In a
// small installation that is enough to see its results in the next answer.
// docs/decisions/0030-matching-again.md
const patience = 2 * time.Second

// rematch has stored posts matched again after a change that is written by now, and
// waits for that a while. It goes on when the caller has its answer or goes away.
func (s *Service) rematch(ctx context.Context, id earshot.MonitorID) {
	done := s.Rematcher.Rematch(id)
	select {
	case <-done:
	case <-time.After(patience):
	case <-ctx.Done():
	}
}

// Progress tells how far the work is that follows a change of a monitor that c may
// see. A filter has none of its own: it is matched with its monitor.
func (s *Service) Progress(c *earshot.Caller, id earshot.MonitorID) (earshot.Progress, error) {
	m, err := s.Find(c, id)
	if err != nil || m.Parent != 0 {
		return earshot.Progress{}, earshot.NoMonitor(id)
	}
	return s.Rematcher.Progress(id), nil
}
