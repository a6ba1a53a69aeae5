package monitor

import (
	"context"
	"time"

	"earshot"
)

// rematchWait is how long a change waits until stored posts are matched again. In a
// small installation that is enough to see its results in the next answer.
// docs/decisions/0030-matching-again.md
const rematchWait = 2 * time.Second

// rematch has stored posts matched again after a change that is written by now, and
// waits for that a while. It goes on when the caller has its answer or goes away.
func (s *Service) rematch(ctx context.Context, id earshot.MonitorID) {
	done := s.Rematcher.Rematch(id)
	select {
	case <-done:
	case <-time.After(rematchWait):
	case <-ctx.Done():
	}
}
