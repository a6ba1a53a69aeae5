package local

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/cockroachdb/pebble/v2"

	"earshot/internal/poststore/local/pebblefile"
	"earshot/internal/poststore/local/segment"
)

// Checkpoint makes a copy of the store in a new directory, which [Open] accepts. The copy is
// consistent: together with the journal from its position on, it has everything appended before the
// call. Segments never change, so Checkpoint links them if both directories are on the same file
// system, which takes little time and space. It does not read them; see [VerifyCheckpoint].
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
	if err := s.linkFiles(dir); err != nil {
		return fmt.Errorf("checkpoint: %w", err)
	}
	return ctx.Err()
}

// linkFiles copies or links all files to dir.
func (s *Store) linkFiles(dir string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.db.Checkpoint(stateDir(dir), pebble.WithFlushedWAL()); err != nil {
		return err
	}
	if err := createWitness(dir, s.state.witness()); err != nil {
		return err
	}
	if err := os.Mkdir(segmentDir(dir), 0o700); err != nil {
		return err
	}
	for _, p := range s.current.Load().segments {
		if p.inMemory {
			continue
		}
		if err := linkOrCopy(s.path(p.id), filepath.Join(segmentDir(dir), segmentName(p.id))); err != nil {
			return err
		}
	}
	return nil
}

// VerifyCheckpoint reads all segments and tables in a directory that [Store.Checkpoint] has written,
// and returns an error if one is damaged.
func VerifyCheckpoint(ctx context.Context, dir string) error {
	tables, err := pebblefile.Tables(stateDir(dir))
	if err != nil {
		return err
	}
	segments, err := filepath.Glob(filepath.Join(segmentDir(dir), "*"+segmentSuffix))
	if err != nil {
		return err
	}
	for _, path := range append(tables, segments...) {
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := VerifyFile(path); err != nil {
			return fmt.Errorf("a file of the post store is damaged: %w", err)
		}
	}
	return nil
}

// VerifyFile reads a segment or a table of Pebble and returns an error if it is damaged. It accepts
// any other file.
func VerifyFile(path string) error {
	switch {
	case strings.HasSuffix(path, ".sst"):
		return pebblefile.VerifyTable(path)
	case strings.HasSuffix(path, segmentSuffix):
		f, err := segment.Open(path)
		if err != nil {
			return err
		}
		defer f.Close()
		return reading(&segmentState{data: f}, f.Verify)
	}
	return nil
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
