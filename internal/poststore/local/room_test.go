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

// appendSome appends a batch of its own for a position.
func appendSome(t *testing.T, s *Store, at earshot.Position) error {
	t.Helper()
	var posts []poststore.Matched
	for i := range perBatch {
		posts = append(posts, poststore.Matched{Post: earshot.Post{
			Source: earshot.Twitter, GUID: fmt.Sprintf("%d-%d", at, i), Contents: "an apple",
			Time: time.Date(2024, time.March, 1, 0, i, 0, 0, time.UTC),
		}, Monitors: []earshot.MonitorID{1}})
	}
	return s.Append(t.Context(), at, posts)
}

const perBatch = 10

// wantPosts counts the posts in two ways.
func wantPosts(t *testing.T, s *Store, want int64) {
	t.Helper()
	rows, err := s.Tally(t.Context(), poststore.Tally{Of: poststore.Selection{Monitor: 1}})
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
	for at := earshot.Position(1); at <= 3; at++ {
		if err := appendSome(t, s, at); err != nil {
			t.Fatal(err)
		}
	}
	if err := s.Delete(t.Context(), 4, earshot.Deletion{}); err != nil { // names nothing
		t.Fatal(err)
	}
	away := filepath.Join(dir, "away")
	if err := os.Rename(s.segments(), away); err != nil {
		t.Fatal(err)
	}
	for range 3 {
		if err := s.Flush(t.Context()); !errors.Is(err, os.ErrNotExist) {
			t.Errorf("without a directory to write to, a flush returns %v", err)
		}
	}
	if err := appendSome(t, s, 5); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("without a directory to write to, Append returns %v", err)
	}
	if at := s.current.Load().position; at != 4 || s.Durable() != 0 {
		t.Errorf("the store is at %d, and %d is on disk, want 4 and 0", at, s.Durable())
	}
	wantPosts(t, s, 3*perBatch)

	if err := os.Rename(away, s.segments()); err != nil {
		t.Fatal(err)
	}
	if err := appendSome(t, s, 5); err != nil {
		t.Fatal(err)
	}
	if err := appendSome(t, s, 1); err != nil { // is there, and skipped
		t.Fatal(err)
	}
	if err := s.Flush(t.Context()); err != nil {
		t.Fatal(err)
	}
	wantPosts(t, s, 4*perBatch)
	s.crash()
	s = openAt(t, dir)
	if s.Durable() != 5 {
		t.Errorf("after a crash position %d is on disk, want 5", s.Durable())
	}
	wantPosts(t, s, 4*perBatch)
}

// TestNoRoom tells the store how much of the disk is free.
func TestNoRoom(t *testing.T) {
	s := openQuiet(t, t.TempDir())
	if err := appendSome(t, s, 1); err != nil {
		t.Fatal(err)
	}
	_, _, waiting := fresh(s.current.Load().parts)
	s.room.free = func() int64 { return reserveBytes + waiting - 1 }
	wantStorageFull(t, "with room for less than the flush, Append", appendSome(t, s, 2))
	s.room.free = func() int64 { return waiting - 1 }
	wantStorageFull(t, "with room for less than it writes, Flush", s.Flush(t.Context()))
	wantStorageFull(t, "with room for less than the flush, Rematch", s.Rematch(t.Context(), poststore.Rematch{}))
	wantPosts(t, s, perBatch)

	s.room.free = func() int64 { return reserveBytes + waiting }
	if err := appendSome(t, s, 2); err != nil {
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
	s.room.drop()
	if _, err := os.Stat(s.room.ballast); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the ballast is still there: %v", err)
	}
	really := s.room.free
	s.room.free = func() int64 { return reserveBytes + ballastBytes - 1 }
	wantStorageFull(t, "without room for the ballast, Append", appendSome(t, s, 1))
	s.room.free = really
	if err := appendSome(t, s, 1); err != nil {
		t.Errorf("with enough room, Append returns %v", err)
	}
	if info, err := os.Stat(s.room.ballast); err != nil || info.Size() != ballastBytes {
		t.Errorf("the ballast is not back: %v, %v", info, err)
	}
}
