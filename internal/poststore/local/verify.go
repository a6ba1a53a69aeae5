package local

import (
	"context"
	"errors"
	"time"
)

// How often all files are read to see whether they are still what was written, and how
// many times as long as that takes it rests in between.
const (
	verifyInterval = 24 * time.Hour
	verifyRest     = 9
)

// runVerification finds damage before a question does, until ctx ends. It begins with a
// rest: a start has enough to do.
func (s *Store) runVerification(ctx context.Context) {
	for sleep(ctx, verifyInterval) {
		if err := s.verify(ctx, verifyRest); err != nil && ctx.Err() == nil {
			s.log.Error("files of posts were not verified", "error", err)
		}
	}
}

// verify reads every file and sets those aside that are damaged.
func (s *Store) verify(ctx context.Context, rest int) error {
	for _, p := range s.current.Load().segments {
		if p.inMemory || !p.data.Retain() {
			continue // merged meanwhile
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

// sleep reports whether ctx let it sleep so long.
func sleep(ctx context.Context, d time.Duration) bool {
	select {
	case <-ctx.Done():
		return false
	case <-time.After(d):
		return true
	}
}
