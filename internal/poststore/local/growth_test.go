package local

import (
	"slices"
	"testing"
	"time"

	"earshot"
	"earshot/internal/poststore"
)

// trackedPost returns a post that monitor 1 has and tracks.
func trackedPost(guid string, likes int64) poststore.Matched {
	return poststore.Matched{
		Post:     earshot.Post{Source: earshot.Twitter, GUID: guid, Time: day(1), Likes: earshot.Counted(likes)},
		Monitors: []earshot.MonitorID{1}, Tracked: []earshot.MonitorID{1},
	}
}

func wantGrowth(t *testing.T, s *Store, want ...int64) {
	t.Helper()
	changes, err := s.FigureChanges(t.Context(), 1, time.Time{})
	if err != nil {
		t.Fatal(err)
	}
	var got []int64
	for _, c := range changes {
		got = append(got, c.Likes)
	}
	if !slices.Equal(got, want) {
		t.Errorf("got the changes %d, want %d", got, want)
	}
}

// TestGrowthAfterCrash ends a store at each step on the way to the disk. What the journal
// brings again afterwards is told once.
func TestGrowthAfterCrash(t *testing.T) {
	steps := []struct {
		name string
		do   func(t *testing.T, s *Store)
	}{
		{"at once", func(*testing.T, *Store) {}},
		{"before the keys are written", func(t *testing.T, s *Store) { s.beginFlush() }},
		{"after the keys are written", func(t *testing.T, s *Store) {
			if err := s.writeKeys(s.beginFlush()); err != nil {
				t.Fatal(err)
			}
		}},
		{"after the replaced posts were left out by a merge", func(t *testing.T, s *Store) {
			s.maintain.Lock()
			defer s.maintain.Unlock()
			for _, p := range s.current.Load().parts {
				if p.fresh {
					continue
				}
				if err := s.merge(t.Context(), []*part{p}, nil); err != nil {
					t.Fatal(err)
				}
			}
		}},
		{"after all is on disk", func(t *testing.T, s *Store) {
			if err := s.Flush(t.Context()); err != nil {
				t.Fatal(err)
			}
		}},
	}
	for _, step := range steps {
		t.Run(step.name, func(t *testing.T) {
			dir := t.TempDir()
			s := openAt(t, dir)
			s.stop() // nothing is flushed by itself
			s.running.Wait()
			journal := [][]poststore.Matched{
				{trackedPost("a", 1), trackedPost("b", 100)},
				{trackedPost("a", 3)},
				{trackedPost("a", 7), trackedPost("c", 50)},
				{trackedPost("c", 40), trackedPost("b", 100)},
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
			wantGrowth(t, s, 2, 4, -10)
			step.do(t, s)
			s.crash()
			s = openAt(t, dir)
			replay()
			wantGrowth(t, s, 2, 4, -10)
			if err := s.Settle(t.Context()); err != nil {
				t.Fatal(err)
			}
			if err := s.Append(t.Context(), 9, []poststore.Matched{trackedPost("c", 41)}); err != nil {
				t.Fatal(err)
			}
			wantGrowth(t, s, 2, 4, -10, 1)
		})
	}
}

// TestGrowthAtOneMoment keeps changes apart that a clock cannot tell apart.
func TestGrowthAtOneMoment(t *testing.T) {
	dir := t.TempDir()
	now := day(3)
	var s *Store
	for i := range 5 {
		s = openWith(t, dir, &now)
		if err := s.Append(t.Context(), earshot.Position(i+1), []poststore.Matched{trackedPost("a", int64(i)), trackedPost("b", int64(2*i))}); err != nil {
			t.Fatal(err)
		}
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
	}
	s = openWith(t, dir, &now)
	changes, err := s.FigureChanges(t.Context(), 1, now)
	if err != nil || len(changes) != 8 {
		t.Errorf("got %d changes, want 8: %v", len(changes), err)
	}
	for _, c := range changes {
		if !c.Time.Equal(now) || !c.Posted.Equal(day(1)) {
			t.Errorf("got a change at %v of a post of %v", c.Time, c.Posted)
		}
	}
}

// openWith opens a store with a clock that shows *now, and that does nothing by itself.
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
