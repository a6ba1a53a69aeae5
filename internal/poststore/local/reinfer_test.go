package local

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"github.com/RoaringBitmap/roaring/v2"

	"earshot"
	"earshot/internal/poststore"
)

// retell changes posts like models of the given version.
func retell(posts []earshot.Post, models uint32) {
	for i := range posts {
		posts[i].Language, posts[i].InferredBy = fmt.Sprint("l", models), models
	}
}

func newReinfer(models uint32) poststore.Reinfer {
	return poststore.Reinfer{Models: models, Infer: func(posts []earshot.Post) { retell(posts, models) }}
}

// during returns a Reinfer that calls do before the first posts are changed.
func during(models uint32, do func()) poststore.Reinfer {
	first := true
	return poststore.Reinfer{Models: models, Infer: func(posts []earshot.Post) {
		if first {
			first = false
			do()
		}
		retell(posts, models)
	}}
}

// openFiles opens a quiet store with one segment per batch and a small batch size for Reinfer.
func openFiles(t *testing.T, dir string, batches ...earshot.Position) *Store {
	t.Helper()
	s := openQuiet(t, dir)
	s.reinferRows = 4
	for _, batch := range batches {
		appendAll(t, s, batch)
		if err := s.Flush(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	return s
}

// wantInferred counts posts by language, which shows the models that processed them, and compares
// the counts with the posts themselves.
func wantInferred(t *testing.T, s *Store, want map[string]int64) {
	t.Helper()
	rows, err := poststore.TallyOne(t.Context(), s, poststore.Selection{Set: 1}, poststore.Tally{By: []poststore.Dim{poststore.ByLanguage}})
	if err != nil {
		t.Fatal(err)
	}
	counted, told := map[string]int64{}, map[string]int64{}
	for _, row := range rows {
		counted[row.Key[0]] = row.Posts
	}
	posts, _, err := s.Posts(t.Context(), poststore.Selection{Set: 1}, 1000)
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range posts {
		if p.InferredBy > 0 {
			told[fmt.Sprint("l", p.InferredBy)]++
		}
	}
	if !maps.Equal(counted, want) || !maps.Equal(told, want) {
		t.Errorf("got counts %v and posts %v, want %v", counted, told, want)
	}
}

// wantFiles checks that the files on disk are exactly those of the view.
func wantFiles(t *testing.T, s *Store) {
	t.Helper()
	var want []string
	for _, p := range s.current.Load().segments {
		want = append(want, segmentName(p.id))
	}
	slices.Sort(want)
	entries, err := os.ReadDir(s.segmentDir())
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, e := range entries {
		got = append(got, e.Name())
	}
	if !slices.Equal(got, want) {
		t.Errorf("got files %v, want %v", got, want)
	}
}

// TestReinferDuringCompaction compacts all segments except the one being processed. The others are
// processed later.
func TestReinferDuringCompaction(t *testing.T) {
	s := openFiles(t, t.TempDir(), 1, 2, 3, 4, 5)
	handed := 0
	r := during(1, func() {
		if err := s.Compact(t.Context()); err != nil {
			t.Fatal(err)
		}
		if got := len(s.current.Load().segments); got != 2 {
			t.Errorf("got %d segments, want the one being processed and one for the others", got)
		}
	})
	revise := r.Infer
	r.Infer = func(posts []earshot.Post) {
		handed += len(posts)
		revise(posts)
	}
	if err := s.Reinfer(t.Context(), r); err != nil {
		t.Fatal(err)
	}
	if handed != 5*perBatch {
		t.Errorf("Infer received %d posts, want %d", handed, 5*perBatch)
	}
	wantInferred(t, s, map[string]int64{"l1": 5 * perBatch})
	wantPosts(t, s, 5*perBatch)
	wantFiles(t, s)
	if s.reserved != 0 {
		t.Errorf("segment %d is still reserved", s.reserved)
	}
}

// TestReinferDeleted removes the segment being processed. Its posts are processed in their new
// segment, or not at all if they are deleted.
func TestReinferDeleted(t *testing.T) {
	s := openFiles(t, t.TempDir(), 1, 2, 3)
	var told []int64
	r := during(1, func() { compactEverything(t, s) })
	r.Progress = func(done, total int64) { told = append(told, done, total) }
	if err := s.Reinfer(t.Context(), r); err != nil {
		t.Fatal(err)
	}
	wantInferred(t, s, map[string]int64{"l1": 3 * perBatch})
	wantPosts(t, s, 3*perBatch)
	wantFiles(t, s)
	if want := []int64{4, 30, 8, 30, 10, 30, 12, 30, 16, 30, 20, 30, 24, 30, 28, 30, 30, 30}; !slices.Equal(told, want) {
		t.Errorf("got progress %v, want %v", told, want)
	}
	all := earshot.Deletion{ContentSource: 3}
	err := s.Reinfer(t.Context(), during(2, func() {
		if err := errors.Join(s.Delete(t.Context(), 4, all), s.Compact(t.Context())); err != nil {
			t.Fatal(err)
		}
	}))
	if err != nil {
		t.Fatal(err)
	}
	wantPosts(t, s, 0)
	wantFiles(t, s)
}

func compactEverything(t *testing.T, s *Store) {
	t.Helper()
	s.maintainMu.Lock()
	defer s.maintainMu.Unlock()
	if err := s.compact(t.Context(), s.current.Load().segments, nil); err != nil {
		t.Fatal(err)
	}
}

// TestReinferCanceled checks that segments that were completely processed before a cancellation are
// retained.
func TestReinferCanceled(t *testing.T) {
	s := openFiles(t, t.TempDir(), 1, 2, 3)
	ctx, cancel := context.WithCancel(t.Context())
	r, pieces := newReinfer(1), 0
	r.Progress = func(done, total int64) {
		if pieces++; pieces == 5 { // the second piece of the second segment
			cancel()
		}
	}
	if err := s.Reinfer(ctx, r); !errors.Is(err, context.Canceled) {
		t.Errorf("got error %v, want %v", err, context.Canceled)
	}
	wantInferred(t, s, map[string]int64{"l1": perBatch})
	wantFiles(t, s)
	handed := 0
	err := s.Reinfer(t.Context(), poststore.Reinfer{Models: 1, Infer: func(posts []earshot.Post) {
		handed += len(posts)
		retell(posts, 1)
	}})
	if err != nil || handed != 2*perBatch {
		t.Errorf("the second Infer received %d posts, error %v, want %d", handed, err, 2*perBatch)
	}
	wantInferred(t, s, map[string]int64{"l1": 3 * perBatch})
}

// TestReinferLeavesOthersAlone checks that Reinfer rewrites only segments with outdated posts and
// passes only those posts to Infer.
func TestReinferLeavesOthersAlone(t *testing.T) {
	s := openFiles(t, t.TempDir(), 1, 2)
	if err := s.Reinfer(t.Context(), newReinfer(1)); err != nil {
		t.Fatal(err)
	}
	ids := func() (all []uint64) {
		for _, p := range s.current.Load().segments {
			all = append(all, p.id)
		}
		return all
	}
	before := ids()
	if err := s.Reinfer(t.Context(), newReinfer(1)); err != nil {
		t.Fatal(err)
	}
	if after := ids(); !slices.Equal(after, before) {
		t.Errorf("got segments %v and then %v although no posts were outdated", before, after)
	}
	if err := appendSome(t, s, 1, 10); err != nil { // replaces the posts of the first segment
		t.Fatal(err)
	}
	if err := s.Flush(t.Context()); err != nil {
		t.Fatal(err)
	}
	compactEverything(t, s)
	var handed []string
	err := s.Reinfer(t.Context(), poststore.Reinfer{Models: 1, Infer: func(posts []earshot.Post) {
		for _, p := range posts {
			handed = append(handed, p.GUID[:1])
		}
		retell(posts, 1)
	}})
	if err != nil || fmt.Sprint(handed) != "[1 1 1 1 1 1 1 1 1 1]" {
		t.Errorf("Infer received posts of batches %v, error %v", handed, err)
	}
	wantInferred(t, s, map[string]int64{"l1": 2 * perBatch})
	wantPosts(t, s, 2*perBatch)
	wantFiles(t, s)
}

// TestReinferKeepsRetention checks that Reinfer preserves which posts a monitor has ever matched
// and the day on which posts were ingested.
func TestReinferKeepsRetention(t *testing.T) {
	var now testClock
	now.set(time.Date(2026, time.March, 1, 12, 0, 0, 0, time.UTC))
	s, err := Open(t.Context(), Options{Dir: t.TempDir(), UnmatchedDays: 30, Now: now.get})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	var posts []poststore.MatchedPost
	for i, word := range []string{"none", "none", "none", "tea", "coffee"} {
		posts = append(posts, poststore.MatchedPost{Post: earshot.Post{Source: earshot.Twitter, GUID: fmt.Sprint(i), Contents: word, Time: time.Unix(0, 0)}})
	}
	posts[3].Sets = []poststore.SetID{1}
	if err := s.Append(t.Context(), 1, posts); err != nil {
		t.Fatal(err)
	}
	for _, rules := range []poststore.Rules{
		{2: {Where: compile(t, "coffee"), UpTo: earshot.EndOfJournal}},
		{1: {}, 2: {}}, // both monitors no longer match any posts
	} {
		if err := s.Rematch(t.Context(), poststore.Rematch{Rules: rules}); err != nil {
			t.Fatal(err)
		}
	}
	for models := uint32(1); models <= 2; models++ {
		now.set(now.get().AddDate(0, 0, 14))
		if err := s.Reinfer(t.Context(), newReinfer(models)); err != nil {
			t.Fatal(err)
		}
		if err := s.Compact(t.Context()); err != nil {
			t.Fatal(err)
		}
		if stats, err := s.Stats(t.Context()); err != nil || stats.Posts != 5 {
			t.Errorf("on %v: got %d posts, %v, want all 5", now.get(), stats.Posts, err)
		}
	}
	now.set(now.get().AddDate(0, 0, 4))
	if err := s.Compact(t.Context()); err != nil {
		t.Fatal(err)
	}
	if stats, err := s.Stats(t.Context()); err != nil || stats.Posts != 2 {
		t.Errorf("after 32 days: got %d posts, %v, want the 2 that monitors had matched", stats.Posts, err)
	}
}

// TestPieceRows splits rows into those of pieces. Rows beyond the segment are ignored.
func TestPieceRows(t *testing.T) {
	x := newPieceRows(&segmentState{rows: 8}, []piece{{rows: []uint32{1, 2, 5}}, {rows: []uint32{6}}, {rows: []uint32{7}}})
	f := func(want string, rows ...uint32) {
		t.Helper()
		got := ""
		for _, set := range x.split(roaring.BitmapOf(rows...)) {
			if set != nil {
				got += fmt.Sprint(set.ToArray())
			}
			got += ";"
		}
		if got != want {
			t.Errorf("%v: got %s, want %s", rows, got, want)
		}
	}
	f(";;;")
	f(";;;", 0, 3, 4, 8, 1000)
	f("[0 1 2];[0];[0];", 0, 1, 2, 3, 4, 5, 6, 7, 8)
	f("[2];;[0];", 5, 7)
}

// A testClock is a clock that a test can set while the store reads it.
type testClock struct{ seconds atomic.Int64 }

func (c *testClock) get() time.Time  { return time.Unix(c.seconds.Load(), 0).UTC() }
func (c *testClock) set(t time.Time) { c.seconds.Store(t.Unix()) }
