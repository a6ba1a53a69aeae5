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
	{"a new store has no generations", func(s *subject) {
		s.add(postAt("a", "2024-03-01T12:00:00Z", 1))
		s.wantGenerations(nil)
	}},
	{"the generation of the last rule is recorded", func(s *subject) {
		s.setGeneration(poststore.Rules{1: {Generation: 1}, 2: {Generation: 7}})
		s.wantGenerations(map[poststore.SetID]int64{1: 1, 2: 7})
		s.addFruit()
		s.remove(earshot.Deletion{ContentSource: 3})
		s.setGeneration(poststore.Rules{1: {Generation: 5, Where: s.compile(earshot.Criteria{Keywords: "apple"}), UpTo: earshot.EndOfJournal}})
		s.wantGenerations(map[poststore.SetID]int64{1: 5, 2: 7})
		s.setGeneration(poststore.Rules{1: {Generation: 3}})
		s.wantGenerations(map[poststore.SetID]int64{1: 3, 2: 7})
	}},
	{"a rule without a generation removes it", func(s *subject) {
		s.setGeneration(poststore.Rules{1: {Generation: 1}, 2: {Generation: 2}, 3: {Generation: 3}})
		s.setGeneration(poststore.Rules{1: {}, 2: {Where: s.compile(earshot.Criteria{Keywords: "apple"}), UpTo: earshot.EndOfJournal}, 4: {}})
		s.wantGenerations(map[poststore.SetID]int64{3: 3})
	}},
	{"a partial rematch records its generation, even without posts", func(s *subject) {
		s.check(s.Rematch(s.ctx(), poststore.Rematch{From: noon, Rules: poststore.Rules{1: {Generation: 4}}}))
		s.wantGenerations(map[poststore.SetID]int64{1: 4})
	}},
	{"a failed rematch records no generation, even without posts", func(s *subject) {
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
	{"callers may modify the returned generations", func(s *subject) {
		s.setGeneration(poststore.Rules{1: {Generation: 1}})
		got, err := s.Generations(s.ctx())
		s.check(err)
		got[1] = 2
		s.wantGenerations(map[poststore.SetID]int64{1: 1})
	}},
	{"a rematch reports its progress up to all posts", func(s *subject) {
		s.addDays(5)
		if done, total := s.progress(time.Time{}); done != 5 || total != 5 {
			s.Errorf("got final progress %d of %d, want 5 of 5", done, total)
		}
	}},
	{"a partial rematch reports its progress up to its total", func(s *subject) {
		s.addDays(5)
		done, total := s.progress(parseTime("2024-03-04T00:00:00Z"))
		if done != total || total < 2 || total > 5 { // a store may examine more posts than necessary
			s.Errorf("got final progress %d of %d, want all of at least 2", done, total)
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
			s.Errorf("got progress %d of %d", done, total)
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
		s.Errorf("got generations %v, want %v", got, want)
	}
}
