package local

import (
	"fmt"
	"testing"

	"earshot"
	"earshot/internal/poststore"
)

// TestFindInSegments finds posts in memory, on disk, in compacted segments, and after a restart.
func TestFindInSegments(t *testing.T) {
	dir := t.TempDir()
	s := openAt(t, dir)
	var keys []earshot.PostKey
	for i := range 30 {
		m := trackedPost(fmt.Sprint(i), int64(i))
		keys = append(keys, m.Post.Key())
		if err := s.Append(t.Context(), earshot.Position(i+1), []poststore.MatchedPost{m}); err != nil {
			t.Fatal(err)
		}
		if i%7 == 0 {
			if err := s.Flush(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
	}
	want := func() {
		t.Helper()
		posts, err := s.Find(t.Context(), keys)
		if err != nil || len(posts) != len(keys) {
			t.Errorf("got %d posts, want %d: %v", len(posts), len(keys), err)
		}
	}
	want()
	if err := s.Compact(t.Context()); err != nil {
		t.Fatal(err)
	}
	want()
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	s = openAt(t, dir)
	want()
}

// TestFindOnStaleView checks that find fails if the view is no longer current.
func TestFindOnStaleView(t *testing.T) {
	s := openAt(t, t.TempDir())
	old := s.current.Load()
	if err := s.Append(t.Context(), 1, []poststore.MatchedPost{trackedPost("a", 1)}); err != nil {
		t.Fatal(err)
	}
	if _, err := s.find(t.Context(), old, nil); err != errStale {
		t.Errorf("got error %v, want %v", err, errStale)
	}
}

// TestDamageFoundByOtherQueries checks that queries other than tallies quarantine a damaged segment
// and return results without it.
func TestDamageFoundByOtherQueries(t *testing.T) {
	f := func(section string, ask func(s *Store, keys []earshot.PostKey) int) {
		t.Helper()
		dir := t.TempDir()
		s := openFiles(t, dir, 1, 2, 3)
		posts, _, err := s.Posts(t.Context(), poststore.Selection{}, 1000)
		if err != nil {
			t.Fatal(err)
		}
		var keys []earshot.PostKey
		for _, p := range posts {
			keys = append(keys, p.Key())
		}
		path := s.path(s.current.Load().segments[1].id)
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
		hurtSection(t, path, section)
		s = openFiles(t, dir)
		if got := ask(s, keys); got != 2*perBatch {
			t.Errorf("%s: got %d posts, want %d", section, got, 2*perBatch)
		}
		if stats, err := s.Stats(t.Context()); err != nil || len(stats.Quarantined) != 1 {
			t.Errorf("%s: got %+v, %v, want one quarantined segment", section, stats, err)
		}
	}
	find := func(s *Store, keys []earshot.PostKey) int {
		posts, err := s.Find(t.Context(), keys)
		if err != nil {
			t.Fatal(err)
		}
		return len(posts)
	}
	words := func(s *Store, _ []earshot.PostKey) (n int) {
		total, err := s.Words(t.Context(), poststore.Selection{}, 1000, func([]poststore.Word) { n++ })
		if err != nil || total != int64(n) {
			t.Fatalf("got words of %d of %d posts: %v", n, total, err)
		}
		return n
	}
	f("key", find)
	f("key", words)
}
