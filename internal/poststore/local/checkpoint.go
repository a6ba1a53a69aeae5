package local

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/cockroachdb/pebble/v2"
)

// Checkpoint makes a copy of the store in a new directory, which [Open] accepts. The copy is
// consistent: together with the journal from its position on, it has everything appended before the
// call. Segments never change, so Checkpoint links them if both directories are on the same file
// system, which takes little time and space.
func (s *Store) Checkpoint(ctx context.Context, dir string) (err error) {
	if err := s.enter(); err != nil {
		return err
	}
	defer s.leave()
	if err := s.flushAll(ctx); err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(dir), 0o700); err != nil {
		return err
	}
	if err := os.Mkdir(dir, 0o700); err != nil {
		return err
	}
	defer func() {
		if err != nil {
			os.RemoveAll(dir)
		}
	}()
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.db.Checkpoint(filepath.Join(dir, "state"), pebble.WithFlushedWAL()); err != nil {
		return fmt.Errorf("checkpoint: %w", err)
	}
	segments := filepath.Join(dir, "segments")
	if err := os.Mkdir(segments, 0o700); err != nil {
		return err
	}
	for _, p := range s.current.Load().segments {
		if p.inMemory {
			continue
		}
		if err := linkOrCopy(s.path(p.id), filepath.Join(segments, segmentName(p.id))); err != nil {
			return err
		}
	}
	return ctx.Err()
}

func linkOrCopy(from, to string) error {
	if os.Link(from, to) == nil {
		return nil
	}
	in, err := os.Open(from)
	if err != nil {
		return err
	}
	defer in.Close()
	out, err := os.OpenFile(to, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	if _, err := io.Copy(out, in); err != nil {
		out.Close()
		return err
	}
	if err := out.Sync(); err != nil {
		out.Close()
		return err
	}
	return out.Close()
}
