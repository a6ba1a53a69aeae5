package local

import (
	"context"
	"errors"
	"time"
)

// All segments are verified every verifyInterval. After each segment, verification pauses for
// verifyRest times as long as the segment took, so it uses at most a tenth of the disk's time.
const (
	verifyInterval = 24 * time.Hour
	verifyRest     = 9
)

// runVerification verifies segments until ctx is done, to find damage before a query does. It waits
// first because startup is busy enough.
func (s *Store) runVerification(ctx context.Context) {
	for sleep(ctx, verifyInterval) {
		if err := s.verify(ctx, verifyRest); err != nil && ctx.Err() == nil {
			s.log.Error("verifying segments failed", "error", err)
		}
	}
}

// verify reads every segment and quarantines damaged ones.
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

// sleep waits for d. It returns false if ctx is done first.
func sleep(ctx context.Context, d time.Duration) bool {
	select {
	case <-ctx.Done():
		return false
	case <-time.After(d):
		return true
	}
}
