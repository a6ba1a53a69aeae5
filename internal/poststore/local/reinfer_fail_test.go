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

// TestReinferCrashes ends the store at each step of the revision of a file: the posts are
// those before until the last step.
func TestReinferCrashes(t *testing.T) {
	for i, name := range []string{"with pieces", "with the new file", "with both files"} {
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

// reinferUpTo does the first steps of the revision of the first file, and leaves their
// files behind.
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

// TestReinferDamage sets a damaged file aside, wherever the damage is met, and revises the
// others.
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
			t.Errorf("%s: got %+v, %v, want %s set aside", section, stats, err, filepath.Base(path))
		}
		wantInferred(t, s, map[string]int64{"l1": 2 * perBatch})
		wantFiles(t, s)
	}
}

// TestReinferDamagedPosts damages a file in the middle of its posts, which is found when
// some of them are revised already, by the revision or by another question.
func TestReinferDamagedPosts(t *testing.T) {
	for _, byOthers := range []bool{false, true} {
		s := openFiles(t, t.TempDir(), 1, 2)
		path := s.path(s.current.Load().segments[0].id)
		err := s.Reinfer(t.Context(), during(1, func() {
			if err := os.Truncate(path, 0); err != nil {
				t.Fatal(err)
			}
			if byOthers {
				if err := s.verify(t.Context(), 0); err != nil {
					t.Fatal(err)
				}
			}
		}))
		if err != nil {
			t.Errorf("found by others %t: %v", byOthers, err)
		}
		stats, err := s.Stats(t.Context())
		if err != nil || len(stats.Quarantined) != 1 || stats.Quarantined[0].Name != filepath.Base(path) {
			t.Errorf("found by others %t: got %+v, %v, want %s set aside", byOthers, stats, err, filepath.Base(path))
		}
		wantInferred(t, s, map[string]int64{"l1": perBatch})
		wantFiles(t, s)
	}
}

// TestReinferFails lets the directory vanish in which it writes.
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
		t.Errorf("without a directory to write to, Revise returns %v", err)
	}
	if err := os.Rename(away, s.segmentDir()); err != nil {
		t.Fatal(err)
	}
	wantInferred(t, s, map[string]int64{})
	wantPosts(t, s, 2*perBatch)
	wantFiles(t, s)
}

// TestReinferPanics leaves nothing behind when the models do not get through.
func TestReinferPanics(t *testing.T) {
	s := openFiles(t, t.TempDir(), 1)
	calls := 0
	func() {
		defer func() {
			if got := recover(); got != "no model" {
				t.Errorf("got the panic %v", got)
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

// TestReinferWithoutSpace refuses before it writes, and in the middle.
func TestReinferWithoutSpace(t *testing.T) {
	s := openFiles(t, t.TempDir(), 1, 2)
	really := s.space.free
	none := func() int64 { return reserveBytes }
	s.space.free = none
	wantStorageFull(t, "without room, Revise", s.Reinfer(t.Context(), newReinfer(1)))
	s.space.free = really
	wantStorageFull(t, "when there is no room any more, Revise", s.Reinfer(t.Context(), during(1, func() { s.space.free = none })))
	wantInferred(t, s, map[string]int64{})
	wantFiles(t, s)
	s.space.free = really
	if err := s.Reinfer(t.Context(), newReinfer(1)); err != nil {
		t.Errorf("with room, Revise returns %v", err)
	}
	wantInferred(t, s, map[string]int64{"l1": 2 * perBatch})
}

// TestCloseEndsARevision does not wait until all posts are revised.
func TestCloseEndsARevision(t *testing.T) {
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
		t.Errorf("Revise: got error %v, want %v", err, ErrClosed)
	}
	if err := <-closed; err != nil {
		t.Errorf("Close: %v", err)
	}
	s = openFiles(t, dir)
	wantInferred(t, s, map[string]int64{})
	wantPosts(t, s, 2*perBatch)
	wantFiles(t, s)
}
