// Package sleep waits for a time or until a context ends, and wakes loops that wait.
package sleep

import (
	"context"
	"time"
)

// For waits for d and reports whether ctx is still valid.
func For(ctx context.Context, d time.Duration) bool {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-ctx.Done():
		return false
	case <-t.C:
		return ctx.Err() == nil
	}
}

// Repeat calls do again and again until ctx ends, with a pause after each call.
func Repeat(ctx context.Context, pause time.Duration, do func(context.Context)) {
	for {
		do(ctx)
		if !For(ctx, pause) {
			return
		}
	}
}
