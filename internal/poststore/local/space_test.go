package local

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"earshot"
	"earshot/internal/poststore"
)

// openQuiet opens a store that does nothing by itself.
func openQuiet(t *testing.T, dir string) *Store {
	t.Helper()
	s := openAt(t, dir)
	s.stop()
	s.running.Wait()
	return s
}

// appendSome appends the posts of a batch, for the position with its number or, to replace
// them by posts of another time, for one so much later.
func appendSome(t *testing.T, s *Store, batch, later earshot.Position) error {
	t.Helper()
	var posts []poststore.MatchedPost
	for i := range perBatch {
		posts = append(posts, poststore.MatchedPost{Post: earshot.Post{
			Source: "Letters", ContentSource: 3, GUID: fmt.Sprintf("%d-%d", batch, i), Contents: "an apple",
			Time: time.Date(2024, time.March, 1+int(later), 0, i, 0, 0, time.UTC),
		}, Sets: []poststore.SetID{1}})
	}
	return s.Append(t.Context(), batch+later, posts)
}

// appendAll appends batches that are taken.
func appendAll(t *testing.T, s *Store, batches ...earshot.Position) {
	t.Helper()
	for _, batch := range batches {
		if err := appendSome(t, s, batch, 0); err != nil {
			t.Fatal(err)
		}
	}
}

const perBatch = 10

// wantPosts counts the posts in two ways.
func wantPosts(t *testing.T, s *Store, want int64) {
	t.Helper()
	rows, err := poststore.TallyOne(t.Context(), s, poststore.Selection{Set: 1}, poststore.Tally{})
	if err != nil || rows[0].Posts != want {
		t.Errorf("counted %v, %v, want %d", rows, err, want)
	}
	posts, total, err := s.Posts(t.Context(), poststore.Selection{}, 1000)
	if err != nil || total != want || int64(len(posts)) != want {
		t.Errorf("listed %d of %d posts, %v, want %d", len(posts), total, err, want)
	}
}

// TestFlushFails lets the directory vanish in which a flush writes.
func TestFlushFails(t *testing.T) {
	dir := t.TempDir()
	s := openQuiet(t, dir)
	appendAll(t, s, 1, 2)
	if err := s.Flush(t.Context()); err != nil {
		t.Fatal(err)
	}
	appendAll(t, s, 3, 4)
	if err := s.Delete(t.Context(), 5, earshot.Deletion{ContentSource: 3, GUIDs: []string{"1-0", "3-0"}}); err != nil {
		t.Fatal(err)
	}
	away := filepath.Join(dir, "away")
	if err := os.Rename(s.segmentDir(), away); err != nil {
		t.Fatal(err)
	}
	for range 3 {
		if err := s.Flush(t.Context()); !errors.Is(err, os.ErrNotExist) {
			t.Errorf("without a directory to write to, Flush returns %v", err)
		}
	}
	if at := s.current.Load().position; at != 5 || s.Durable() != 2 {
		t.Errorf("the store is at %d, and %d is on disk, want 5 and 2", at, s.Durable())
	}
	wantPosts(t, s, 4*perBatch-2)

	if err := os.Rename(away, s.segmentDir()); err != nil {
		t.Fatal(err)
	}
	appendAll(t, s, 6)
	appendAll(t, s, 1) // is there, and skipped
	if err := s.Flush(t.Context()); err != nil {
		t.Fatal(err)
	}
	wantPosts(t, s, 5*perBatch-2)
	s.crash()
	s = openQuiet(t, dir)
	if s.Durable() != 6 {
		t.Errorf("after a crash position %d is on disk, want 6", s.Durable())
	}
	wantPosts(t, s, 5*perBatch-2)
	for _, replaced := range []earshot.Position{1, 3, 6} {
		if err := appendSome(t, s, replaced, 10); err != nil {
			t.Fatal(err)
		}
	}
	wantPosts(t, s, 5*perBatch)
}

// TestNoSpace tells the store how much of the disk is free.
func TestNoSpace(t *testing.T) {
	s := openQuiet(t, t.TempDir())
	if err := appendSome(t, s, 1, 0); err != nil {
		t.Fatal(err)
	}
	_, _, waiting := unflushed(s.current.Load().segments)
	s.space.free = func() int64 { return reserveBytes + waiting - 1 }
	wantStorageFull(t, "with room for less than the flush, Append", appendSome(t, s, 2, 0))
	s.space.free = func() int64 { return waiting - 1 }
	wantStorageFull(t, "with room for less than it writes, Flush", s.Flush(t.Context()))
	wantStorageFull(t, "with room for less than the flush, Rematch", s.Rematch(t.Context(), poststore.Rematch{}))
	wantPosts(t, s, perBatch)

	s.space.free = func() int64 { return reserveBytes + waiting }
	if err := appendSome(t, s, 2, 0); err != nil {
		t.Errorf("with enough room, Append returns %v", err)
	}
	if err := s.Flush(t.Context()); err != nil {
		t.Errorf("with enough room, Flush returns %v", err)
	}
	wantPosts(t, s, 2*perBatch)
}

func wantStorageFull(t *testing.T, what string, err error) {
	t.Helper()
	var known *earshot.Error
	if !errors.As(err, &known) || known.Kind != earshot.StorageFull {
		t.Errorf("%s returns %v, want StorageFull", what, err)
	}
}

// TestBallast gives the ballast up as Pebble does on a full disk.
func TestBallast(t *testing.T) {
	s := openQuiet(t, t.TempDir())
	s.space.drop()
	if _, err := os.Stat(s.space.ballast); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the ballast is still there: %v", err)
	}
	really := s.space.free
	s.space.free = func() int64 { return reserveBytes + ballastBytes - 1 }
	wantStorageFull(t, "without room for the ballast, Append", appendSome(t, s, 1, 0))
	s.space.free = really
	if err := appendSome(t, s, 1, 0); err != nil {
		t.Errorf("with enough room, Append returns %v", err)
	}
	if info, err := os.Stat(s.space.ballast); err != nil || info.Size() != ballastBytes {
		t.Errorf("the ballast is not back: %v, %v", info, err)
	}
}
