package natsnode

import (
	"context"
	"time"
)

const (
	retryTimeout    = 20 * time.Second // a cluster may take ten to agree on a new leader
	firstTryTimeout = 2 * time.Second  // the next ones wait twice as long each
	minRetryPause   = 20 * time.Millisecond
	maxRetryPause   = time.Second
)

// Retry calls try until it succeeds or fails for good, ctx ends, or 20 seconds
// have passed, and returns its error as Failure does. A request to a cluster may
// get lost when a server goes away; try must be harmless to repeat.
func (n *Node) Retry(ctx context.Context, try func(context.Context) error) error {
	ctx, cancel := context.WithTimeout(ctx, retryTimeout)
	defer cancel()
	limit, pause := firstTryTimeout, minRetryPause
	for ; ; limit, pause = 2*limit, min(2*pause, maxRetryPause) {
		err := within(ctx, limit, try)
		if err == nil || !isTransient(err) || !Sleep(ctx, pause) {
			return n.TranslateError(err)
		}
	}
}

func within(ctx context.Context, d time.Duration, try func(context.Context) error) error {
	ctx, cancel := context.WithTimeout(ctx, d)
	defer cancel()
	return try(ctx)
}

// Sleep pauses and reports whether ctx still runs.
func Sleep(ctx context.Context, d time.Duration) bool {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-ctx.Done():
		return false
	case <-t.C:
		return true
	}
}
