package natsnode

import (
	"context"
	"time"
)

const (
	patience     = 20 * time.Second // a cluster may take ten to agree on a new leader
	firstAttempt = 2 * time.Second  // the next ones wait twice as long each
	firstPause   = 20 * time.Millisecond
	longestPause = time.Second
)

// Repeat calls try until it succeeds or fails for good, ctx ends, or 20 seconds
// have passed, and returns its error as Failure does. A request to a cluster may
// get lost when a server goes away; try must be harmless to repeat.
func (n *Node) Repeat(ctx context.Context, try func(context.Context) error) error {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	limit, pause := firstAttempt, firstPause
	for ; ; limit, pause = 2*limit, min(2*pause, longestPause) {
		err := within(ctx, limit, try)
		if err == nil || !isTransient(err) || !Wait(ctx, pause) {
			return n.Failure(err)
		}
	}
}

func within(ctx context.Context, d time.Duration, try func(context.Context) error) error {
	ctx, cancel := context.WithTimeout(ctx, d)
	defer cancel()
	return try(ctx)
}

// Wait pauses and reports whether ctx still runs.
func Wait(ctx context.Context, d time.Duration) bool {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-ctx.Done():
		return false
	case <-t.C:
		return true
	}
}
