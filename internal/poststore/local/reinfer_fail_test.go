package local

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"testing"

	"earshot"
	"earshot/internal/poststore"
)

// TestReinferCrashes stops the store at each step of replacing a segment. The posts must be
// unchanged until the last step.
func TestReinferCrashes(t *testing.T) {
	for i, name := range []string{"with pieces", "with the new segment", "with both segments"} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			s := openFiles(t, dir, 1, 2)
			reinferUpTo(t, s, i+1)
			s.crash()
			s = openFiles(t, dir)
			want := map[string]int64{}
			if i == 2 {
				want["l1"] = perBatch
			}
			wantInferred(t, s, want)
			wantFiles(t, s)
			wantPosts(t, s, 2*perBatch)
			if err := s.Reinfer(t.Context(), newReinfer(1)); err != nil {
				t.Fatal(err)
			}
			wantInferred(t, s, map[string]int64{"l1": 2 * perBatch})
			wantPosts(t, s, 2*perBatch)
		})
	}
}

// reinferUpTo performs the first steps of replacing the first segment and leaves the files behind.
func reinferUpTo(t *testing.T, s *Store, steps int) {
	t.Helper()
	r := &reinferJob{Store: s, Reinfer: newReinfer(1), upTo: s.Durable()}
	p := s.current.Load().segments[0]
	older, err := r.outdatedRows(p)
	if err != nil {
		t.Fatal(err)
	}
	var pieces []piece
	for rows := range slices.Chunk(older.ToArray(), 3) {
		made, _, err := r.reinferSome(p, rows)
		if err != nil {
			t.Fatal(err)
		}
		pieces = append(pieces, piece{made, rows})
	}
	if steps == 1 {
		return
	}
	made, moved, err := s.assemble(t.Context(), p, older, pieces)
	if err != nil {
		t.Fatal(err)
	}
	if steps == 2 {
		return
	}
	if err := s.commitCompaction([]*segmentState{p}, nil, made, [][]uint32{moved}, nil); err != nil {
		t.Fatal(err)
	}
}

// TestReinferDamage checks that Reinfer quarantines a damaged segment, wherever the damage is, and
// processes the others.
func TestReinferDamage(t *testing.T) {
	for _, section := range []string{"models", "arrived", "key"} {
		dir := t.TempDir()
		s := openFiles(t, dir, 1, 2, 3)
		path := s.path(s.current.Load().segments[1].id)
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
		hurtSection(t, path, section)
		s = openFiles(t, dir)
		if err := s.Reinfer(t.Context(), newReinfer(1)); err != nil {
			t.Errorf("%s: %v", section, err)
		}
		stats, err := s.Stats(t.Context())
		if err != nil || len(stats.Quarantined) != 1 || stats.Quarantined[0].Name != filepath.Base(path) {
			t.Errorf("%s: got %+v, %v, want %s quarantined", section, stats, err, filepath.Base(path))
		}
		wantInferred(t, s, map[string]int64{"l1": 2 * perBatch})
		wantFiles(t, s)
	}
}

// TestReinferDamagedPosts damages a segment after some of its posts have been processed. Reinfer or
// another query finds the damage.
func TestReinferDamagedPosts(t *testing.T) {
	for _, byOthers := range []bool{false, true} {
		s := openFiles(t, t.TempDir(), 1, 2)
		path := s.path(s.current.Load().segments[0].id)
		err := s.Reinfer(t.Context(), during(1, func() {
			if err := os.Truncate(path, 0); err != nil {
				t.Fatal(err)
			}
			if byOthers {
				if _, err := s.verify(t.Context(), nil, 0); err != nil {
					t.Fatal(err)
				}
			}
		}))
		if err != nil {
			t.Errorf("found by others %t: %v", byOthers, err)
		}
		stats, err := s.Stats(t.Context())
		if err != nil || len(stats.Quarantined) != 1 || stats.Quarantined[0].Name != filepath.Base(path) {
			t.Errorf("found by others %t: got %+v, %v, want %s quarantined", byOthers, stats, err, filepath.Base(path))
		}
		wantInferred(t, s, map[string]int64{"l1": perBatch})
		wantFiles(t, s)
	}
}

// TestReinferFails removes the directory that Reinfer writes to.
func TestReinferFails(t *testing.T) {
	dir := t.TempDir()
	s := openFiles(t, dir, 1, 2)
	away := filepath.Join(dir, "away")
	err := s.Reinfer(t.Context(), during(1, func() {
		if err := os.Rename(s.segmentDir(), away); err != nil {
			t.Fatal(err)
		}
	}))
	if !errors.Is(err, os.ErrNotExist) {
		t.Errorf("without a directory to write to, Reinfer returns %v", err)
	}
	if err := os.Rename(away, s.segmentDir()); err != nil {
		t.Fatal(err)
	}
	wantInferred(t, s, map[string]int64{})
	wantPosts(t, s, 2*perBatch)
	wantFiles(t, s)
}

// TestReinferPanics checks that Reinfer leaves nothing behind if a model panics.
func TestReinferPanics(t *testing.T) {
	s := openFiles(t, t.TempDir(), 1)
	calls := 0
	func() {
		defer func() {
			if got := recover(); got != "no model" {
				t.Errorf("got panic %v", got)
			}
		}()
		s.Reinfer(t.Context(), poststore.Reinfer{Models: 1, Infer: func(posts []earshot.Post) {
			if calls++; calls == 2 {
				panic("no model")
			}
			retell(posts, 1)
		}})
	}()
	wantFiles(t, s)
	if err := s.Reinfer(t.Context(), newReinfer(2)); err != nil {
		t.Fatal(err)
	}
	wantInferred(t, s, map[string]int64{"l2": perBatch})
	if err := s.Close(); err != nil {
		t.Errorf("after a panic, Close returns %v", err)
	}
}

// TestReinferWithoutSpace checks that Reinfer fails before it writes if the disk is full, and also
// if it fills up in between.
func TestReinferWithoutSpace(t *testing.T) {
	s := openFiles(t, t.TempDir(), 1, 2)
	really := s.space.free
	none := func() int64 { return reserveBytes }
	s.space.free = none
	wantStorageFull(t, "without space, Reinfer", s.Reinfer(t.Context(), newReinfer(1)))
	s.space.free = really
	wantStorageFull(t, "when space runs out, Reinfer", s.Reinfer(t.Context(), during(1, func() { s.space.free = none })))
	wantInferred(t, s, map[string]int64{})
	wantFiles(t, s)
	s.space.free = really
	if err := s.Reinfer(t.Context(), newReinfer(1)); err != nil {
		t.Errorf("with space, Reinfer returns %v", err)
	}
	wantInferred(t, s, map[string]int64{"l1": 2 * perBatch})
}

// TestCloseEndsReinfer checks that Close does not wait until all posts are processed.
func TestCloseEndsReinfer(t *testing.T) {
	dir := t.TempDir()
	s := openFiles(t, dir, 1, 2)
	closed := make(chan error)
	err := s.Reinfer(t.Context(), during(1, func() {
		go func() { closed <- s.Close() }()
		for !s.closed.Load() {
			runtime.Gosched()
		}
	}))
	if !errors.Is(err, ErrClosed) {
		t.Errorf("Reinfer: got error %v, want %v", err, ErrClosed)
	}
	if err := <-closed; err != nil {
		t.Errorf("Close: %v", err)
	}
	s = openFiles(t, dir)
	wantInferred(t, s, map[string]int64{})
	wantPosts(t, s, 2*perBatch)
	wantFiles(t, s)
}
