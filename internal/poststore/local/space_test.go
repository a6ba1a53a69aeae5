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

// openQuiet opens a store without background work.
func openQuiet(t *testing.T, dir string) *Store {
	t.Helper()
	s := openAt(t, dir)
	s.stop()
	s.running.Wait()
	return s
}

// appendSome appends the posts of a batch at the position with its number. If later is not 0, it
// adds it to the position and the days of the posts, to replace the batch with posts of another
// time.
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

// appendAll appends batches and fails the test if one is rejected.
func appendAll(t *testing.T, s *Store, batches ...earshot.Position) {
	t.Helper()
	for _, batch := range batches {
		if err := appendSome(t, s, batch, 0); err != nil {
			t.Fatal(err)
		}
	}
}

const perBatch = 10

// wantPosts checks the number of posts in two ways.
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

// TestFlushFails removes the directory that a flush writes to.
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
		t.Errorf("got position %d and durable position %d, want 5 and 2", at, s.Durable())
	}
	wantPosts(t, s, 4*perBatch-2)

	if err := os.Rename(away, s.segmentDir()); err != nil {
		t.Fatal(err)
	}
	appendAll(t, s, 6)
	appendAll(t, s, 1) // already stored, so it is skipped
	if err := s.Flush(t.Context()); err != nil {
		t.Fatal(err)
	}
	wantPosts(t, s, 5*perBatch-2)
	s.crash()
	s = openQuiet(t, dir)
	if s.Durable() != 6 {
		t.Errorf("after a crash: got durable position %d, want 6", s.Durable())
	}
	wantPosts(t, s, 5*perBatch-2)
	for _, replaced := range []earshot.Position{1, 3, 6} {
		if err := appendSome(t, s, replaced, 10); err != nil {
			t.Fatal(err)
		}
	}
	wantPosts(t, s, 5*perBatch)
}

// TestNoSpace simulates a disk with little free space.
func TestNoSpace(t *testing.T) {
	s := openQuiet(t, t.TempDir())
	if err := appendSome(t, s, 1, 0); err != nil {
		t.Fatal(err)
	}
	_, _, waiting := unflushed(s.current.Load().segments)
	s.space.free = func() int64 { return reserveBytes + waiting - 1 }
	wantStorageFull(t, "with less space than the flush needs, Append", appendSome(t, s, 2, 0))
	s.space.free = func() int64 { return waiting - 1 }
	wantStorageFull(t, "with less space than it needs, Flush", s.Flush(t.Context()))
	wantStorageFull(t, "with less space than the flush needs, Rematch", s.Rematch(t.Context(), poststore.Rematch{}))
	wantPosts(t, s, perBatch)

	s.space.free = func() int64 { return reserveBytes + waiting }
	if err := appendSome(t, s, 2, 0); err != nil {
		t.Errorf("with enough space, Append returns %v", err)
	}
	if err := s.Flush(t.Context()); err != nil {
		t.Errorf("with enough space, Flush returns %v", err)
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

// TestBallast drops the ballast file as Pebble does on a full disk.
func TestBallast(t *testing.T) {
	s := openQuiet(t, t.TempDir())
	s.space.drop()
	if _, err := os.Stat(s.space.ballast); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the ballast file still exists: %v", err)
	}
	really := s.space.free
	s.space.free = func() int64 { return reserveBytes + ballastBytes - 1 }
	wantStorageFull(t, "without space for the ballast, Append", appendSome(t, s, 1, 0))
	s.space.free = really
	if err := appendSome(t, s, 1, 0); err != nil {
		t.Errorf("with enough space, Append returns %v", err)
	}
	if info, err := os.Stat(s.space.ballast); err != nil || info.Size() != ballastBytes {
		t.Errorf("the ballast file was not restored: %v, %v", info, err)
	}
}
