package local

import (
	"context"
	"errors"
	"time"
)

// All segments are verified every verifyInterval, with pauses of verifyRest times as long as each
// takes, so that verification takes a tenth of the disk's time at most.
const (
	verifyInterval = 24 * time.Hour
	verifyRest     = 9
)

// runVerification finds damage before a query does, until ctx ends. It begins with a pause: a
// start has enough to do.
func (s *Store) runVerification(ctx context.Context) {
	for sleep(ctx, verifyInterval) {
		if err := s.verify(ctx, verifyRest); err != nil && ctx.Err() == nil {
			s.log.Error("files of posts were not verified", "error", err)
		}
	}
}

// verify reads every segment and quarantines those that are damaged.
func (s *Store) verify(ctx context.Context, rest int) error {
	for _, p := range s.current.Load().segments {
		if p.inMemory || !p.data.Retain() {
			continue // compacted in the meantime
		}
		began := time.Now()
		err := reading(p, p.data.Verify)
		p.data.Release()
		var bad *damageError
		if errors.As(err, &bad) {
			err = s.quarantine(bad)
		}
		if err != nil {
			return err
		}
		if !sleep(ctx, time.Duration(rest)*time.Since(began)) {
			return ctx.Err()
		}
	}
	return nil
}

// sleep reports whether ctx let it sleep that long.
func sleep(ctx context.Context, d time.Duration) bool {
	select {
	case <-ctx.Done():
		return false
	case <-time.After(d):
		return true
	}
}
