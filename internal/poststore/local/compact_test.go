package local

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"earshot"
	"earshot/internal/poststore"
)

func TestFirstRun(t *testing.T) {
	f := func(least int, posts []int, want ...int) {
		t.Helper()
		var parts []*segmentState
		for _, n := range posts {
			parts = append(parts, &segmentState{rows: n})
		}
		var got []int
		for _, p := range firstRun(parts, least) {
			got = append(got, p.rows)
		}
		if len(got) != len(want) {
			t.Errorf("%v: got %v, want %v", posts, got, want)
			return
		}
		for i := range got {
			if got[i] != want[i] {
				t.Errorf("%v: got %v, want %v", posts, got, want)
				return
			}
		}
	}
	const half, most = maxSegmentPosts / 2, maxSegmentPosts
	f(3, nil)
	f(3, []int{1, 2})
	f(3, []int{1, 2, 3}, 1, 2, 3)
	f(3, []int{half, half, 1})
	f(3, []int{half, half, 1, 2, 3}, half, 1, 2, 3)
	f(2, []int{most, most, 5, 6}, 5, 6)
	f(2, []int{half, half, 5, 6}, half, half)
}

// TestCompactingDeletedNeedsNoSpace drops deleted posts even if the disk is full.
func TestCompactingDeletedNeedsNoSpace(t *testing.T) {
	s := openAt(t, t.TempDir())
	add := func(at earshot.Position, guid string) {
		t.Helper()
		post := earshot.Post{Source: "Letters", ContentSource: 3, Team: 1, GUID: guid, Time: time.Unix(int64(at), 0)}
		if err := s.Append(t.Context(), at, []poststore.MatchedPost{{Post: post}}); err != nil {
			t.Fatal(err)
		}
		if err := s.Flush(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	add(1, "a")
	add(2, "b")
	if err := s.Delete(t.Context(), 3, earshot.Deletion{ContentSource: 3, GUIDs: []string{"a"}}); err != nil {
		t.Fatal(err)
	}
	if err := s.Flush(t.Context()); err != nil {
		t.Fatal(err)
	}
	s.space.mu.Lock()
	s.space.free = func() int64 { return 0 }
	s.space.mu.Unlock()
	if err := s.compactAll(t.Context(), false); err != nil {
		t.Fatal(err)
	}
	stats, err := s.Stats(t.Context())
	if err != nil || stats.Segments != 1 || stats.Posts != 1 {
		t.Errorf("got %+v, %v, want one segment with one post", stats, err)
	}
}

func TestClosed(t *testing.T) {
	s, err := Open(t.Context(), Options{Dir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	ctx := context.Background()
	_, _, postsErr := s.Posts(ctx, poststore.Selection{}, 1)
	_, tallyErr := poststore.TallyOne(ctx, s, poststore.Selection{}, poststore.Tally{})
	_, stampsErr := s.Generations(ctx)
	_, statsErr := s.Stats(ctx)
	_, snapshotsErr := s.Snapshots(ctx, 1, earshot.Days{})
	for name, err := range map[string]error{
		"Append":       s.Append(ctx, 1, nil),
		"Delete":       s.Delete(ctx, 1, earshot.Deletion{}),
		"AddSnapshots": s.AddSnapshots(ctx, 1, 1, nil),
		"Rematch":      s.Rematch(ctx, poststore.Rematch{}),
		"Reinfer":      s.Reinfer(ctx, poststore.Reinfer{}),
		"Posts":        postsErr,
		"TallyOne":     tallyErr,
		"Generations":  stampsErr,
		"Stats":        statsErr,
		"Snapshots":    snapshotsErr,
		"Flush":        s.Flush(ctx),
		"Compact":      s.Compact(ctx),
		"Checkpoint":   s.Checkpoint(ctx, t.TempDir()+"/copy"),
		"Close":        s.Close(),
	} {
		if !errors.Is(err, ErrClosed) {
			t.Errorf("%s: got error %v, want %v", name, err, ErrClosed)
		}
	}
}

// TestPostsAreCompressedWhenIdle appends posts fast, which leaves them uncompressed. Compaction
// must compress them once no more posts arrive.
func TestPostsAreCompressedWhenIdle(t *testing.T) {
	s := openAt(t, t.TempDir())
	posts := make([]poststore.MatchedPost, flushPosts/2)
	for i := range posts {
		posts[i].Post = earshot.Post{Source: earshot.Twitter, GUID: fmt.Sprint(i), Contents: "the same words again and again", Time: time.Unix(int64(i), 0)}
	}
	if err := s.Append(t.Context(), 1, posts); err != nil {
		t.Fatal(err)
	}
	if err := s.Flush(t.Context()); err != nil {
		t.Fatal(err)
	}
	before := s.current.Load().segments[0]
	if !before.uncompressed {
		t.Error("posts were compressed while they arrived fast")
	}
	if err := s.Compact(t.Context()); err != nil {
		t.Fatal(err)
	}
	after := s.current.Load().segments
	if len(after) != 1 || after[0].uncompressed || after[0].data.Size() > before.data.Size()*3/4 {
		t.Errorf("got %d segments, the first with %d bytes, before it had %d", len(after), after[0].data.Size(), before.data.Size())
	}
}

// TestErasedPostsLeaveTheFiles checks that compaction removes posts of an erased account soon, while
// a few deleted posts of others may stay.
func TestErasedPostsLeaveTheFiles(t *testing.T) {
	s := openAt(t, t.TempDir())
	var posts []poststore.MatchedPost
	for i := range 100 {
		p := earshot.Post{Source: earshot.Bluesky, GUID: fmt.Sprint(i), Time: time.Unix(int64(i), 0), Author: "bob"}
		if i%10 == 0 {
			p.Author = "ann"
		}
		posts = append(posts, poststore.MatchedPost{Post: p})
	}
	check := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	stored := func() (rows int) {
		for _, p := range s.current.Load().segments {
			rows += p.rows
		}
		return rows
	}
	check(s.Append(t.Context(), 1, posts))
	check(s.Flush(t.Context()))
	check(s.Delete(t.Context(), 2, earshot.Deletion{Source: earshot.Bluesky, GUIDs: []string{"1"}}))
	check(s.Compact(t.Context()))
	if got := stored(); got != 100 {
		t.Errorf("after a deletion: %d rows, want 100", got)
	}
	check(s.Delete(t.Context(), 3, earshot.Deletion{Accounts: []string{"ann"}}))
	check(s.Compact(t.Context()))
	if got := stored(); got != 89 {
		t.Errorf("after an erasure: %d rows, want 89", got)
	}
}
