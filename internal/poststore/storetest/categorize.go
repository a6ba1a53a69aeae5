package storetest

import (
	"context"
	"errors"
	"sync"
	"time"

	"earshot"
	"earshot/internal/poststore"
)

// Sets that the cases assign posts to.
var (
	setX = poststore.CategorySet(1<<40, 0)
	setY = poststore.ScoreBitSet(1<<40, 0, 0)
	setZ = poststore.ScoreBitSet(1<<40, 1, 3)
)

var categorizeCases = []testCase{
	{"a categorization assigns posts of its set, and no others", func(s *subject) {
		s.addFruit()
		s.categorize(categorized{"a": {setX}, "b": {setX, setY}, "d": {setX}})
		s.wantSet(setX, "a", "b")
		s.wantSet(setY, "b")
		s.wantSet(setZ)
		s.wantPosts(poststore.Selection{Set: 1}, "a", "b", "c")
		s.wantCount(poststore.Selection{}, 4)
	}},
	{"Categorize receives complete posts", func(s *subject) {
		s.add(poststore.MatchedPost{Post: fullPost(), Sets: []poststore.SetID{1}})
		var handed earshot.Post
		s.check(s.Rematch(s.ctx(), poststore.Rematch{Categorizations: []poststore.Categorization{{Posts: 1, Categorize: func(_ []poststore.SetID, p *earshot.Post) []poststore.SetID {
			handed = *p // the store does not use it again
			return nil
		}}}}))
		s.wantSame(handed, fullPost())
	}},
	{"categorizing again removes old assignments", func(s *subject) {
		s.addFruit()
		s.categorize(categorized{"a": {setX}, "b": {setX, setY}, "c": {setY}})
		s.categorize(categorized{"b": {setY, setX}, "c": {setX, setX}})
		s.wantSet(setX, "b", "c")
		s.wantSet(setY, "b")
		s.categorize(nil)
		s.wantSet(setX)
		s.wantSet(setY)
	}},
	{"categorizing twice is the same as once", func(s *subject) {
		s.addFruit()
		for range 2 {
			s.categorize(categorized{"a": {setX}, "c": {setY}})
			s.wantSet(setX, "a")
			s.wantSet(setY, "c")
		}
	}},
	{"posts in a retained set are not categorized again", func(s *subject) {
		s.addFruit()
		s.categorize(categorized{"a": {setX}, "b": {setX, setY}, "c": {setX}})
		again := categorized{"a": {setY}, "b": {setY, setZ}, "c": {setY}, "d": {setX}}
		s.check(s.Rematch(s.ctx(), poststore.Rematch{
			Rules:           poststore.Rules{1: {Where: s.compile(earshot.Criteria{Keywords: "apple"}), UpTo: earshot.EndOfJournal}},
			Categorizations: []poststore.Categorization{{Posts: 1, Sets: allSets, Retained: []poststore.SetID{setX}, Categorize: again.categorize}},
		}))
		s.wantSet(setX, "a", "b", "d")
		s.wantSet(setY, "b")
		s.wantSet(setZ)
	}},
	{"sets outside a categorization are unchanged", func(s *subject) {
		s.addFruit()
		s.rematch(2, time.Time{}, earshot.Criteria{Keywords: "apple"})
		s.check(s.Rematch(s.ctx(), poststore.Rematch{Categorizations: []poststore.Categorization{
			{Posts: 1, Sets: []poststore.SetID{setX}, Categorize: categorized{"a": {setX}, "c": {setX}}.categorize},
			{Posts: 2, Sets: []poststore.SetID{setY, setZ}, Categorize: categorized{"a": {setY}, "d": {setY, setZ}}.categorize},
		}}))
		s.check(s.Rematch(s.ctx(), poststore.Rematch{Categorizations: []poststore.Categorization{{Posts: 2, Sets: []poststore.SetID{setZ}}}}))
		s.wantSet(setX, "a", "c")
		s.wantSet(setY, "a", "d")
		s.wantSet(setZ)
	}},
	{"a categorization applies after the rules", func(s *subject) {
		s.addFruit()
		all := categorized{"a": {setX}, "b": {setX}, "c": {setX}, "d": {setX}}
		s.categorize(all)
		s.wantSet(setX, "a", "b", "c")
		s.check(s.Rematch(s.ctx(), poststore.Rematch{
			Rules:           poststore.Rules{1: {Where: s.compile(earshot.Criteria{Keywords: "apple"}), UpTo: earshot.EndOfJournal, Generation: 3}},
			Categorizations: []poststore.Categorization{{Posts: 1, Sets: allSets, Categorize: all.categorize}},
		}))
		s.wantSet(setX, "a", "b", "d")
		s.wantGenerations(map[poststore.SetID]int64{1: 3})
	}},
	{"a categorization covers posts of any time", func(s *subject) {
		s.add(postAt("a", "2024-03-01T11:59:59Z", 1), postAt("b", "2024-03-01T12:00:00Z", 1), postAt("c", "2024-03-02T00:00:00Z", 1))
		s.check(s.Rematch(s.ctx(), poststore.Rematch{
			From:            parseTime("2024-03-02T00:00:00Z"),
			Rules:           poststore.Rules{1: {}},
			Categorizations: []poststore.Categorization{{Posts: 1, Sets: allSets, Categorize: categorized{"a": {setX}, "b": {setY}, "c": {setX}}.categorize}},
		}))
		s.wantSet(setX, "a")
		s.wantSet(setY, "b")
	}},
	{"a post appended during a categorization keeps its sets", func(s *subject) {
		s.add(postAt("a", "2024-03-01T12:00:00Z", 1), postAt("b", "2024-03-02T12:00:00Z", 1, setX))
		s.duringCategorization(categorized{"a": {setX}, "b": {setX}, "c": {setX}}, func() {
			s.add(postAt("b", "2024-03-02T12:00:00Z", 1, setY), postAt("c", "2024-03-03T12:00:00Z", 1, setY))
		})
		s.wantSet(setX, "a")
		s.wantSet(setY, "c", "b")
	}},
	{"a post deleted during a categorization does not come back", func(s *subject) {
		s.addFruit()
		gone := custom(3, "e", nil)
		gone.Sets = []poststore.SetID{1, setX}
		s.add(gone)
		s.duringCategorization(categorized{"a": {setX}, "e": {setX, setY}}, func() { s.remove(earshot.Deletion{ContentSource: 3}) })
		s.wantSet(setX, "a")
		s.wantSet(setY)
	}},
	{"a replaced post has the sets of its new version", func(s *subject) {
		s.addFruit()
		s.categorize(categorized{"a": {setX, setY}, "b": {setX}})
		s.add(postAt("a", "2024-03-01T12:00:00Z", 1, setZ), postAt("e", "2024-03-01T13:00:00Z", 1, setX, setZ))
		s.wantSet(setX, "e", "b")
		s.wantSet(setY)
		s.wantSet(setZ, "e", "a")
	}},
	{"posts keep their category sets when they are reinferred", func(s *subject) {
		s.addFruit()
		s.categorize(categorized{"a": {setX, setY}, "b": {setX}})
		s.reinfer(5)
		s.wantSet(setX, "a", "b")
		s.wantSet(setY, "a")
	}},
	{"a rule alone does not change category sets", func(s *subject) {
		s.addFruit()
		s.categorize(categorized{"a": {setX}, "c": {setX}})
		s.rematch(1, time.Time{}, earshot.Criteria{Keywords: "apple"})
		s.wantSet(setX, "a", "c")
		s.wantPosts(poststore.Selection{Set: 1, Categories: inSets(setX)}, "a")
	}},
	{"a categorization reports its progress up to all posts", func(s *subject) {
		s.addDays(5)
		var done, total int64
		s.check(s.Rematch(s.ctx(), poststore.Rematch{
			Categorizations: []poststore.Categorization{{Posts: 1, Sets: allSets, Categorize: categorized{"0": {setX}}.categorize}, {Posts: 2, Categorize: categorized{}.categorize}},
			Progress: func(d, t int64) {
				if d < done || d > t {
					s.Errorf("got progress %d of %d after %d", d, t, done)
				}
				done, total = d, t
			},
		}))
		if done != 5 || total != 5 {
			s.Errorf("got final progress %d of %d, want 5 of 5", done, total)
		}
	}},
	{"a generation may belong to a category set, and be removed", func(s *subject) {
		s.addFruit()
		id := poststore.CategorizedSet(1)
		s.check(s.Rematch(s.ctx(), poststore.Rematch{
			From: noon, Rules: poststore.Rules{id: {Generation: 7}}, Categorizations: []poststore.Categorization{{Posts: 1, Sets: allSets, Categorize: categorized{"a": {setX}}.categorize}},
		}))
		s.wantGenerations(map[poststore.SetID]int64{id: 7})
		s.wantSet(setX, "a")
		s.check(s.Rematch(s.ctx(), poststore.Rematch{Rules: poststore.Rules{id: {}, setX: {}, setY: {}}}))
		s.wantGenerations(nil)
		s.wantSet(setX)
		s.wantPosts(poststore.Selection{Set: 1}, "a", "b", "c")
	}},
}

var uncategorizedCases = []testCase{
	{"assigning a post to another set fails and changes nothing", func(s *subject) {
		s.wantUncategorized(func(ctx context.Context, r poststore.Rematch) {
			r.Categorizations = append(r.Categorizations, poststore.Categorization{Posts: 1, Sets: []poststore.SetID{setZ}, Categorize: categorized{"a": {setZ}, "b": {setY}}.categorize})
			if err := s.Rematch(ctx, r); err == nil {
				s.Error("got no error")
			}
		})
	}},
	{"a canceled categorization changes nothing", func(s *subject) {
		s.wantUncategorized(func(ctx context.Context, r poststore.Rematch) {
			ctx, cancel := context.WithCancel(ctx)
			defer cancel()
			r.Categorizations = append(r.Categorizations, poststore.Categorization{Posts: 1, Sets: []poststore.SetID{setZ}, Categorize: func(sets []poststore.SetID, _ *earshot.Post) []poststore.SetID {
				cancel()
				return append(sets, setZ)
			}})
			if err := s.Rematch(ctx, r); !errors.Is(err, context.Canceled) {
				s.Errorf("got error %v, want %v", err, context.Canceled)
			}
		})
	}},
	{"a panic in Categorize reaches the caller and changes nothing", func(s *subject) {
		s.wantUncategorized(func(ctx context.Context, r poststore.Rematch) {
			defer func() {
				if recover() == nil {
					s.Error("Rematch did not panic")
				}
			}()
			r.Categorizations = append(r.Categorizations, poststore.Categorization{Posts: 1, Sets: []poststore.SetID{setZ}, Categorize: func([]poststore.SetID, *earshot.Post) []poststore.SetID { panic("no") }})
			err := s.Rematch(ctx, r)
			s.Errorf("got error %v", err)
		})
	}},
}

// wantUncategorized calls fail with a Rematch that must not take effect. It checks that it does
// not, and that another Rematch does.
func (s *subject) wantUncategorized(fail func(context.Context, poststore.Rematch)) {
	s.Helper()
	s.addFruit()
	s.categorize(categorized{"a": {setX}})
	fail(s.ctx(), poststore.Rematch{
		Rules:           poststore.Rules{1: {Where: s.compile(earshot.Criteria{Keywords: "apple"}), UpTo: earshot.EndOfJournal, Generation: 1}},
		Categorizations: []poststore.Categorization{{Posts: 1, Sets: []poststore.SetID{setX, setY}, Categorize: categorized{"b": {setX, setY}}.categorize}},
	})
	s.wantSet(setX, "a")
	s.wantSet(setY)
	s.wantSet(setZ)
	s.wantGenerations(nil)
	s.wantPosts(poststore.Selection{Set: 1}, "a", "b", "c")
	s.categorize(categorized{"b": {setY}})
	s.wantSet(setX)
	s.wantSet(setY, "b")
}

// categorized maps guids to the sets that posts belong to.
type categorized map[string][]poststore.SetID

func (m categorized) categorize(sets []poststore.SetID, p *earshot.Post) []poststore.SetID {
	return append(sets, m[p.GUID]...)
}

var allSets = []poststore.SetID{setX, setY, setZ}

// categorize assigns the posts of monitor 1 to sets.
func (s *subject) categorize(into categorized) {
	s.Helper()
	s.check(s.Rematch(s.ctx(), poststore.Rematch{Categorizations: []poststore.Categorization{{Posts: 1, Sets: allSets, Categorize: into.categorize}}}))
}

// duringCategorization categorizes the posts of monitor 1 and calls f on the first progress report.
func (s *subject) duringCategorization(into categorized, f func()) {
	s.Helper()
	var once sync.Once
	s.check(s.Rematch(s.ctx(), poststore.Rematch{
		Categorizations: []poststore.Categorization{{Posts: 1, Sets: allSets, Categorize: into.categorize}},
		Progress:        func(int64, int64) { once.Do(f) },
	}))
}

// inSets returns a filter for the posts in the given sets.
func inSets(sets ...poststore.SetID) poststore.CategoryFilter {
	return poststore.CategoryFilter{Sets: sets}
}

// wantSet checks which posts are in a set, by guid and in order.
func (s *subject) wantSet(id poststore.SetID, want ...string) {
	s.Helper()
	s.wantPosts(poststore.Selection{Categories: inSets(id)}, want...)
}
