package storetest

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"sync"
	"time"

	"earshot"
	"earshot/internal/poststore"
)

var generationCases = []testCase{
	{"a new store has no stamps", func(s *subject) {
		s.add(postAt("a", "2024-03-01T12:00:00Z", 1))
		s.wantGenerations(nil)
	}},
	{"a rule leaves its stamp, the last one stays", func(s *subject) {
		s.setGeneration(poststore.Rules{1: {Generation: 1}, 2: {Generation: 7}})
		s.wantGenerations(map[poststore.SetID]int64{1: 1, 2: 7})
		s.addFruit()
		s.remove(earshot.Deletion{ContentSource: 3})
		s.setGeneration(poststore.Rules{1: {Generation: 5, Where: s.compile(earshot.Criteria{Keywords: "apple"}), UpTo: earshot.EndOfJournal}})
		s.wantGenerations(map[poststore.SetID]int64{1: 5, 2: 7})
		s.setGeneration(poststore.Rules{1: {Generation: 3}})
		s.wantGenerations(map[poststore.SetID]int64{1: 3, 2: 7})
	}},
	{"a rule without a stamp removes it", func(s *subject) {
		s.setGeneration(poststore.Rules{1: {Generation: 1}, 2: {Generation: 2}, 3: {Generation: 3}})
		s.setGeneration(poststore.Rules{1: {}, 2: {Where: s.compile(earshot.Criteria{Keywords: "apple"}), UpTo: earshot.EndOfJournal}, 4: {}})
		s.wantGenerations(map[poststore.SetID]int64{3: 3})
	}},
	{"a rematch from a moment on leaves its stamp, too, also where there is nothing to match", func(s *subject) {
		s.check(s.Rematch(s.ctx(), poststore.Rematch{From: noon, Rules: poststore.Rules{1: {Generation: 4}}}))
		s.wantGenerations(map[poststore.SetID]int64{1: 4})
	}},
	{"a rematch that fails leaves no stamp, also where there is nothing to match", func(s *subject) {
		ctx, cancel := context.WithCancel(s.ctx())
		cancel()
		fail := func() {
			err := s.Rematch(ctx, poststore.Rematch{Rules: poststore.Rules{1: {Generation: 9}, 2: {Generation: 9}}})
			if !errors.Is(err, context.Canceled) {
				s.Errorf("got error %v, want %v", err, context.Canceled)
			}
		}
		fail()
		s.wantGenerations(nil)
		s.addFruit()
		s.setGeneration(poststore.Rules{2: {Generation: 1}})
		fail()
		s.wantGenerations(map[poststore.SetID]int64{2: 1})
		s.wantPosts(poststore.Selection{Set: 1}, "a", "b", "c")
	}},
	{"stamps are the caller's to change", func(s *subject) {
		s.setGeneration(poststore.Rules{1: {Generation: 1}})
		got, err := s.Generations(s.ctx())
		s.check(err)
		got[1] = 2
		s.wantGenerations(map[poststore.SetID]int64{1: 1})
	}},
	{"a rematch tells how many posts it has looked at, all of them in the end", func(s *subject) {
		s.addDays(5)
		if done, total := s.progress(time.Time{}); done != 5 || total != 5 {
			s.Errorf("in the end it has looked at %d posts of %d, want all 5", done, total)
		}
	}},
	{"a rematch from a moment on has looked at all it had to in the end", func(s *subject) {
		s.addDays(5)
		done, total := s.progress(parseTime("2024-03-04T00:00:00Z"))
		if done != total || total < 2 || total > 5 { // a store may examine more posts than necessary
			s.Errorf("in the end it has looked at %d posts of %d, want all of at least 2", done, total)
		}
	}},
}

func (s *subject) setGeneration(r poststore.Rules) {
	s.Helper()
	s.check(s.Rematch(s.ctx(), poststore.Rematch{Rules: r}))
}

// addDays appends a post of monitor 1 on each of the first days of March.
func (s *subject) addDays(days int) {
	s.Helper()
	for day := range days {
		s.add(postAt(fmt.Sprint(day), fmt.Sprintf("2024-03-%02dT12:00:00Z", day+1), 1))
	}
}

// progress rematches from a time on and returns the highest reported number of examined posts and
// the highest reported total.
func (s *subject) progress(from time.Time) (most, of int64) {
	s.Helper()
	var mu sync.Mutex
	s.check(s.Rematch(s.ctx(), poststore.Rematch{From: from, Rules: poststore.Rules{1: {}}, Progress: func(done, total int64) {
		mu.Lock()
		defer mu.Unlock()
		if done < 0 || done > total {
			s.Errorf("it says that it has looked at %d posts of %d", done, total)
		}
		most, of = max(most, done), max(of, total)
	}}))
	return most, of
}

func (s *subject) wantGenerations(want map[poststore.SetID]int64) {
	s.Helper()
	got, err := s.Generations(s.ctx())
	s.check(err)
	if !maps.Equal(got, want) {
		s.Errorf("got the stamps %v, want %v", got, want)
	}
}
