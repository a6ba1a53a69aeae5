package local

import (
	"slices"
	"testing"
	"time"

	"earshot"
	"earshot/internal/poststore"
	"earshot/internal/poststore/enginekit"
	"earshot/internal/poststore/local/segment"
	"earshot/internal/test/testenv"
)

// trackedPost returns a post that monitor 1 matches and tracks.
func trackedPost(guid string, likes int64) poststore.MatchedPost {
	return poststore.MatchedPost{
		Post: earshot.Post{Source: earshot.Twitter, GUID: guid, Time: day(1), Likes: earshot.Counted(likes)},
		Sets: []poststore.SetID{1}, Tracked: []poststore.SetID{1},
	}
}

// silentPost returns a tracked post that states no counters.
func silentPost(guid string) poststore.MatchedPost {
	m := trackedPost(guid, 0)
	m.Post.Likes = earshot.Count{}
	return m
}

func wantLikes(t *testing.T, s *Store, guid string, want int64) {
	t.Helper()
	posts, err := s.Find(t.Context(), []earshot.PostKey{{Source: earshot.Twitter, GUID: guid}})
	if err != nil {
		t.Fatal(err)
	}
	if len(posts) != 1 || posts[0].Likes != earshot.Counted(want) {
		t.Errorf("got %+v, want one post with %d likes", posts, want)
	}
}

func wantCounterChanges(t *testing.T, s *Store, want ...int64) {
	t.Helper()
	var got []int64
	for _, c := range counterChanges(t, s, time.Time{}, day(1000)) {
		got = append(got, c.Likes)
	}
	if !slices.Equal(got, want) {
		t.Errorf("got changes %d, want %d", got, want)
	}
}

// counterChanges returns the changes of monitor 1 in chronological order.
func counterChanges(t *testing.T, s *Store, from, to time.Time) (all []poststore.CounterChange) {
	t.Helper()
	if err := s.CounterChanges(t.Context(), 1, from, to, func(c poststore.CounterChange) { all = append(all, c) }); err != nil {
		t.Fatal(err)
	}
	slices.SortFunc(all, func(a, b poststore.CounterChange) int { return a.Time.Compare(b.Time) })
	return all
}

// TestCounterChangesAfterCrash crashes a store at each step of a flush and replays the journal.
// Each change must be recorded once.
func TestCounterChangesAfterCrash(t *testing.T) {
	steps := []struct {
		name string
		do   func(t *testing.T, s *Store)
	}{
		{"immediately", func(*testing.T, *Store) {}},
		{"before the keys are written", func(t *testing.T, s *Store) { s.beginFlush() }},
		{"after the keys are written", func(t *testing.T, s *Store) {
			if err := s.writeKeys(s.beginFlush()); err != nil {
				t.Fatal(err)
			}
		}},
		{"after a compaction dropped the replaced posts", func(t *testing.T, s *Store) {
			s.maintainMu.Lock()
			defer s.maintainMu.Unlock()
			for _, p := range s.current.Load().segments {
				if p.inMemory {
					continue
				}
				if err := s.compact(t.Context(), []*segmentState{p}, nil); err != nil {
					t.Fatal(err)
				}
			}
		}},
		{"after everything is on disk", func(t *testing.T, s *Store) {
			if err := s.Flush(t.Context()); err != nil {
				t.Fatal(err)
			}
		}},
	}
	for _, step := range steps {
		t.Run(step.name, func(t *testing.T) {
			dir := t.TempDir()
			s := openAt(t, dir)
			s.stop() // no background flushes
			s.running.Wait()
			journal := [][]poststore.MatchedPost{
				{trackedPost("a", 1), trackedPost("b", 100), trackedPost("d", 5)},
				{trackedPost("a", 3)},
				{trackedPost("a", 7), trackedPost("c", 50), silentPost("d")},
				{trackedPost("c", 40), trackedPost("b", 100)},
			}
			for i, posts := range journal {
				for j := range posts {
					posts[j].Received = day(2).Add(time.Duration(i) * time.Hour)
				}
			}
			replay := func() {
				t.Helper()
				for i, posts := range journal {
					at := earshot.Position(i + 1)
					if err := s.Append(t.Context(), at, posts); err != nil {
						t.Fatal(err)
					}
					if at == 1 && s.Durable() == 0 {
						if err := s.Flush(t.Context()); err != nil {
							t.Fatal(err)
						}
					}
				}
			}
			replay()
			wantCounterChanges(t, s, 2, 4, -10)
			wantLikes(t, s, "d", 5)
			step.do(t, s)
			s.crash()
			s = openAt(t, dir)
			replay()
			wantCounterChanges(t, s, 2, 4, -10)
			wantLikes(t, s, "d", 5)
			if err := s.Compact(t.Context()); err != nil {
				t.Fatal(err)
			}
			from, to := recKind(recInherited)
			if n := countKeys(t, s.db, from, to); n > 0 {
				t.Errorf("%d records of inherited counters are left although the posts are on disk", n)
			}
			if err := s.Append(t.Context(), 9, []poststore.MatchedPost{trackedPost("c", 41), trackedPost("d", 8)}); err != nil {
				t.Fatal(err)
			}
			wantCounterChanges(t, s, 2, 4, -10, 4)
		})
	}
}

// TestCounterChangesAreAddedUp adds changes to sums that were stored before a restart.
func TestCounterChangesAreAddedUp(t *testing.T) {
	dir := t.TempDir()
	now := day(3).Add(time.Minute)
	var s *Store
	for i := range 5 {
		s = openWith(t, dir, &now)
		if err := s.Append(t.Context(), earshot.Position(i+1), []poststore.MatchedPost{trackedPost("a", int64(i)), trackedPost("b", int64(2*i))}); err != nil {
			t.Fatal(err)
		}
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
	}
	s = openWith(t, dir, &now)
	want := []poststore.CounterChange{{Time: day(3), Posted: day(1), Likes: 12}}
	if got := counterChanges(t, s, day(3), day(4)); !slices.Equal(got, want) {
		t.Errorf("got %+v, want %+v", got, want)
	}
}

// TestCounterChangesOfYear stores two million changes as one sum per pair of quarter hours, and
// reads those of a day without the others.
func TestCounterChangesOfYear(t *testing.T) {
	testenv.SkipUnderRace(t)
	const entries, posts, written = 4000, 500, 8 // posts are from this many quarter hours
	now := day(1)
	s := openWith(t, t.TempDir(), &now)
	last := day(1)
	for i := range entries {
		c := s.newCounterUpdate(earshot.Position(i+1), now, nil)
		came := day(1).Add(time.Duration(i) * (365 * 24 * time.Hour / entries))
		for n := range posts {
			m := trackedPost("a", 1)
			m.Post.Time, m.Received = day(1).Add(time.Duration(n%written)*time.Hour), came
			change := enginekit.NewCounterChange(&earshot.Post{}, &m.Post, m.Received)
			key := changeKey{1, segment.Seconds(change.Time), segment.Seconds(change.Posted)}
			c.changes[key] = enginekit.AddChanges(change, c.changes[key])
		}
		s.mu.Lock()
		b := s.db.NewBatch()
		err := c.commit(b)
		b.Close()
		s.mu.Unlock()
		if err != nil {
			t.Fatal(err)
		}
		last = came
	}
	for _, letter := range []byte{recChangeByTime, recChangeByPosted} {
		from, to := recKind(letter)
		if n := countKeys(t, s.db, from, to); n != entries*written {
			t.Errorf("got %d records of kind %c, want %d", n, letter, entries*written)
		}
	}
	f := func(from, to time.Time, wantSums int, wantLikes int64) {
		t.Helper()
		sums, likes := 0, int64(0)
		if err := s.CounterChanges(t.Context(), 1, from, to, func(c poststore.CounterChange) { sums, likes = sums+1, likes+c.Likes }); err != nil {
			t.Fatal(err)
		}
		if sums != wantSums || likes != wantLikes {
			t.Errorf("%v to %v: got %d sums of %d likes, want %d of %d", from, to, sums, likes, wantSums, wantLikes)
		}
	}
	f(day(1), day(2), entries*written, entries*posts)
	f(last.Truncate(poststore.CounterStep), day(1000), written, posts)
	f(day(400), day(1000), 0, 0)
}

// openWith opens a store without background work, whose clock shows *now.
func openWith(t *testing.T, dir string, now *time.Time) *Store {
	t.Helper()
	s, err := Open(t.Context(), Options{Dir: dir, Now: func() time.Time { return *now }})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	s.stop()
	s.running.Wait()
	return s
}
