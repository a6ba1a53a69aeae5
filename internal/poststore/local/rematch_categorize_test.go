package local

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"testing"
	"time"

	"earshot"
	"earshot/internal/poststore"
)

// Sets of the tests, and the set whose generation records the last categorization.
var (
	firstSet  = poststore.CategorySet(5, 0)
	secondSet = poststore.ScoreBitSet(5, 0, 3)
	sortedID  = poststore.CategorizedSet(1)
)

// categorizeInto returns a Rematch that assigns all posts of monitor 1 to one of two sets, calls do
// for each post, and records a generation.
func categorizeInto(set poststore.SetID, stamp int64, do func()) poststore.Rematch {
	return poststore.Rematch{
		Rules: poststore.Rules{sortedID: {Generation: stamp}},
		Categorizations: []poststore.Categorization{{Posts: 1, Sets: []poststore.SetID{firstSet, secondSet}, Categorize: func(sets []poststore.SetID, _ *earshot.Post) []poststore.SetID {
			do()
			return append(sets, set)
		}}},
	}
}

func nothing() {}

// wantCategorized checks the number of posts in each set, and the generation.
func wantCategorized(t *testing.T, s *Store, first, second, stamp int64) {
	t.Helper()
	got := map[string]int64{}
	rows, err := poststore.TallyOne(t.Context(), s, poststore.Selection{}, poststore.Tally{By: []poststore.Dim{poststore.BySets}, Sets: []poststore.SetID{firstSet, secondSet}})
	check(t, err)
	for _, row := range rows {
		got[row.Key[0]] = row.Posts
	}
	want := map[string]int64{"\x01": first, "\x02": second}
	maps.DeleteFunc(want, func(_ string, n int64) bool { return n == 0 })
	if delete(got, "\x00"); !maps.Equal(got, want) {
		t.Errorf("got %v posts by sets, want %v", got, want)
	}
	stamps, err := s.Generations(t.Context())
	if check(t, err); stamps[sortedID] != stamp {
		t.Errorf("got generation %d, want %d", stamps[sortedID], stamp)
	}
}

// TestCategorizeCrashes stops the store before and after a categorization is committed. Sets and
// generation must change together.
func TestCategorizeCrashes(t *testing.T) {
	for _, marked := range []bool{false, true} {
		dir := t.TempDir()
		s := openFiles(t, dir, 1, 2)
		check(t, s.Rematch(t.Context(), categorizeInto(firstSet, 1, nothing)))
		r := categorizeInto(secondSet, 2, nothing)
		x := &rematchJob{Store: s, Rematch: r, upTo: s.Durable()}
		changes, err := x.compare(t.Context(), s.current.Load())
		check(t, err)
		if len(changes) != 4 {
			t.Errorf("%d sets change, want two in each of two segments", len(changes))
		}
		if marked {
			check(t, s.commitRematch(changes, r))
		}
		s.crash()
		s = openFiles(t, dir)
		if marked {
			wantCategorized(t, s, 0, 2*perBatch, 2)
		} else {
			wantCategorized(t, s, 2*perBatch, 0, 1)
		}
		wantPosts(t, s, 2*perBatch)
		check(t, s.Compact(t.Context()))
		check(t, s.Rematch(t.Context(), categorizeInto(firstSet, 3, nothing)))
		wantCategorized(t, s, 2*perBatch, 0, 3)
	}
}

// TestCategorizeLeavesLaterPosts checks that a categorization ignores posts appended after it
// began, even if they are already on disk.
func TestCategorizeLeavesLaterPosts(t *testing.T) {
	s := openFiles(t, t.TempDir(), 1, 2)
	check(t, s.Rematch(t.Context(), categorizeInto(firstSet, 1, nothing)))
	r := categorizeInto(secondSet, 2, nothing)
	x := &rematchJob{Store: s, Rematch: r, upTo: 1}
	changes, err := x.compare(t.Context(), s.current.Load())
	check(t, err)
	check(t, s.commitRematch(changes, r))
	wantCategorized(t, s, perBatch, perBatch, 2)
}

// TestCategorizeOlderSegments categorizes segments before the From time of the rules.
func TestCategorizeOlderSegments(t *testing.T) {
	s := openFiles(t, t.TempDir(), 1, 2)
	r := categorizeInto(firstSet, 1, nothing)
	r.From = time.Date(2030, time.January, 1, 0, 0, 0, 0, time.UTC)
	check(t, s.Rematch(t.Context(), r))
	wantCategorized(t, s, 2*perBatch, 0, 1)
}

// TestCategorizeWithoutSpace checks that Rematch fails without changes if the disk is full.
func TestCategorizeWithoutSpace(t *testing.T) {
	s := openFiles(t, t.TempDir(), 1)
	really := s.space.free
	s.space.free = func() int64 { return reserveBytes }
	wantStorageFull(t, "without space, Rematch", s.Rematch(t.Context(), categorizeInto(firstSet, 1, nothing)))
	wantCategorized(t, s, 0, 0, 0)
	s.space.free = really
	check(t, s.Rematch(t.Context(), categorizeInto(firstSet, 1, nothing)))
	wantCategorized(t, s, perBatch, 0, 1)
}

// TestCategorizeDamage checks that Rematch quarantines a segment with unreadable posts and
// categorizes the others.
func TestCategorizeDamage(t *testing.T) {
	s := openFiles(t, t.TempDir(), 1, 2)
	path := s.path(s.current.Load().segments[1].id)
	hurt := false
	check(t, s.Rematch(t.Context(), categorizeInto(firstSet, 1, func() {
		if !hurt {
			hurt = true
			check(t, os.Truncate(path, 0))
		}
	})))
	stats, err := s.Stats(t.Context())
	if err != nil || len(stats.Quarantined) != 1 || stats.Quarantined[0].Name != filepath.Base(path) {
		t.Errorf("got %+v, %v, want %s quarantined", stats, err, filepath.Base(path))
	}
	wantCategorized(t, s, perBatch, 0, 1)
}

// TestCategorizePanics checks that Rematch releases all locks if Categorize panics.
func TestCategorizePanics(t *testing.T) {
	dir := t.TempDir()
	s := openFiles(t, dir, 1, 2)
	func() {
		defer func() {
			if recover() == nil {
				t.Error("Rematch did not panic")
			}
		}()
		s.Rematch(t.Context(), categorizeInto(firstSet, 1, func() { panic("no model") }))
	}()
	wantCategorized(t, s, 0, 0, 0)
	check(t, s.compact(t.Context(), s.current.Load().segments, nil))
	check(t, s.Rematch(t.Context(), categorizeInto(secondSet, 2, nothing)))
	wantCategorized(t, s, 0, 2*perBatch, 2)
	wantFiles(t, s)
	check(t, s.Close())
}

// TestCategorizeGoexit checks that Rematch changes nothing if Categorize ends its goroutine.
func TestCategorizeGoexit(t *testing.T) {
	s := openFiles(t, t.TempDir(), 1)
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		s.Rematch(t.Context(), categorizeInto(firstSet, 1, runtime.Goexit))
	}()
	<-ended
	wantCategorized(t, s, 0, 0, 0)
}

// TestCloseEndsCategorization checks that Close does not wait until all posts are categorized.
func TestCloseEndsCategorization(t *testing.T) {
	dir := t.TempDir()
	s := openFiles(t, dir, 1, 2)
	closed, closing := make(chan error), false
	err := s.Rematch(t.Context(), categorizeInto(firstSet, 1, func() {
		if !closing {
			closing = true
			go func() { closed <- s.Close() }()
			for !s.closed.Load() {
				runtime.Gosched()
			}
		}
	}))
	if !errors.Is(err, ErrClosed) {
		t.Errorf("Rematch: got error %v, want %v", err, ErrClosed)
	}
	check(t, <-closed)
	wantCategorized(t, openFiles(t, dir), 0, 0, 0)
}

// TestCategorizeChangesNothingElse checks that a categorization writes only rows and generations,
// not the records of monitors.
func TestCategorizeChangesNothingElse(t *testing.T) {
	dir := t.TempDir()
	s := openFiles(t, dir, 1, 2)
	touched := s.current.Load().segments[0].modified
	keys := func() (n int) {
		for _, letter := range []byte{recUnmatched, recEverMatched, recChangedDay} {
			from, to := recKind(letter)
			n += countKeys(t, s.db, from, to)
		}
		return n
	}
	check(t, s.Rematch(t.Context(), categorizeInto(firstSet, 1, nothing)))
	check(t, s.Rematch(t.Context(), categorizeInto(secondSet, 2, nothing)))
	if n := keys(); n > 0 {
		t.Errorf("got %d records of category sets, want none", n)
	}
	if at := s.current.Load().segments[0].modified; !at.Equal(touched) {
		t.Errorf("a segment was modified at %v, want %v", at, touched)
	}
	check(t, s.Delete(t.Context(), 3, earshot.Deletion{ContentSource: 3, GUIDs: []string{"1-0", "1-1", "2-0"}}))
	check(t, s.Flush(t.Context()))
	check(t, s.compact(t.Context(), s.current.Load().segments, nil))
	check(t, each(s.db, recUnmatched, func(key, _ []byte) error {
		if id := poststore.SetID(readID(key, 0)); id.IsCategory() {
			t.Errorf("got a record that a post left category set %d", id)
		}
		return nil
	}))
	wantCategorized(t, s, 0, 2*perBatch-3, 2)
	marks := len(s.current.Load().segments[0].overrides)
	check(t, s.Rematch(t.Context(), categorizeInto(secondSet, 3, nothing)))
	if got := len(s.current.Load().segments[0].overrides); got != marks {
		t.Errorf("categorizing again the same way leaves %d overrides, want %d", got, marks)
	}
}

// TestCategorizeProgress checks that progress is reported while a large segment is categorized.
func TestCategorizeProgress(t *testing.T) {
	s := openFiles(t, t.TempDir())
	const count = 3*categorizeRows + 1
	posts := make([]poststore.MatchedPost, count)
	for i := range posts {
		posts[i] = poststore.MatchedPost{Post: earshot.Post{Source: earshot.Twitter, GUID: fmt.Sprint(i), Time: time.Unix(int64(i), 0)}, Sets: []poststore.SetID{1}}
	}
	check(t, s.Append(t.Context(), 1, posts))
	r := categorizeInto(firstSet, 1, nothing)
	var told []int64
	r.Progress = func(done, total int64) {
		if told = append(told, done); total != count {
			t.Errorf("got progress %d of %d, want a total of %d", done, total, count)
		}
	}
	r.Categorizations = append(r.Categorizations, poststore.Categorization{Posts: 1, Categorize: func(sets []poststore.SetID, _ *earshot.Post) []poststore.SetID { return sets }})
	check(t, s.Rematch(t.Context(), r))
	for i, done := range told {
		if before := max(i-1, 0); done < told[before] || done-told[before] > categorizeRows {
			t.Errorf("got progress %v, want steps of at most %d", told, categorizeRows)
			break
		}
	}
	if last := told[len(told)-1]; last != count {
		t.Errorf("got final progress %d, want %d", last, count)
	}
	wantCategorized(t, s, count, 0, 1)
}
