package local

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"earshot"
	"earshot/internal/poststore"
)

// TestKeysInLargeSegments checks that few keys are looked up in Pebble rather than by a scan, and
// that posts are found where they are now after they were edited, flushed, compacted and deleted.
func TestKeysInLargeSegments(t *testing.T) {
	s := openAt(t, t.TempDir())
	start := time.Date(2024, time.March, 1, 0, 0, 0, 0, time.UTC)
	at := earshot.Position(0)
	add := func(guids []string, hours int) {
		t.Helper()
		at++
		var posts []poststore.MatchedPost
		for i, guid := range guids {
			posts = append(posts, poststore.MatchedPost{Post: earshot.Post{
				Source: earshot.Twitter, GUID: guid, Time: start.Add(time.Duration(hours)*time.Hour + time.Duration(i)*time.Second),
			}})
		}
		if err := s.Append(t.Context(), at, posts); err != nil {
			t.Fatal(err)
		}
	}
	flush := func() {
		t.Helper()
		if err := s.Flush(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	keys := poststore.NewKeySet(slices.Values([]earshot.PostKey{{Source: earshot.Twitter, GUID: "7"}, {Source: earshot.Twitter, GUID: "nobody"}}))
	of := poststore.Selection{Keys: keys}
	want := func(hours int, total int64) {
		t.Helper()
		posts, n, err := s.Posts(t.Context(), of, 10)
		if err != nil {
			t.Fatal(err)
		}
		if n != total || n > 0 && posts[0].Time.Sub(start).Truncate(time.Hour) != time.Duration(hours)*time.Hour {
			t.Fatalf("got %d posts %v, want %d from hour %d", n, posts, total, hours)
		}
	}

	var guids []string
	for n := range 1000 {
		guids = append(guids, fmt.Sprint(n))
	}
	add(guids, 0)
	flush()
	v, err := s.acquire()
	if err != nil {
		t.Fatal(err)
	}
	if err := s.locateKeys(t.Context(), v, &of); err != nil {
		t.Fatal(err)
	}
	if !s.keyRows.has(v.segments[0], keys) {
		t.Error("few keys of a large segment were not looked up")
	}
	want(0, 1)

	add([]string{"7"}, 48) // edited, with another time
	want(48, 1)
	s.keyRows = keyRowCache{}
	if err := s.locateKeys(t.Context(), v, &of); err != nil {
		t.Fatal(err)
	}
	if s.keyRows.has(v.segments[0], keys) {
		t.Error("keys were looked up for a view that is not current")
	}
	v.release()
	want(48, 1)
	flush()
	want(48, 1)
	if err := s.Compact(t.Context()); err != nil {
		t.Fatal(err)
	}
	want(48, 1)
	at++
	if err := s.Delete(t.Context(), at, earshot.Deletion{Source: earshot.Twitter, GUIDs: []string{"7"}}); err != nil {
		t.Fatal(err)
	}
	want(0, 0)
}
