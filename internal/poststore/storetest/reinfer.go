package storetest

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"earshot"
	"earshot/internal/poststore"
)

var reinferCases = []testCase{
	{"Infer receives posts that older models or none have processed", func(s *subject) {
		s.addInferred(0, 1, 2, 3)
		s.wantPassed(s.reinfer(2), "seen by 0", "seen by 1")
		s.wantPassed(s.reinfer(2))
		s.wantPassed(s.reinfer(3), "seen by 0", "seen by 1", "seen by 2")
		s.wantPassed(s.reinfer(0))
	}},
	{"inferred attributes are returned", func(s *subject) {
		s.add(poststore.MatchedPost{Post: fullPost()})
		s.reinfer(3)
		want := fullPost()
		infer(&want, 3)
		s.wantSame(s.only(), want)
	}},
	{"inferred attributes are counted, previous ones are not", func(s *subject) {
		s.addInferred(1, 2)
		s.reinfer(3)
		for by, want := range map[poststore.Dim][]string{
			poststore.BySentiment:  {"Basic Negative 2"},
			poststore.ByEmotion:    {"Joy 2"},
			poststore.ByInterest:   {"103 2"},
			poststore.ByLanguage:   {"l3 2"},
			poststore.ByGender:     {"F 2"},
			poststore.ByAge:        {"THIRTYFIVE_AND_OVER 2"},
			poststore.ByCountry:    {"C3 2"},
			poststore.ByImageClass: {"3 class 2"},
			poststore.ByBrand:      {"3 brand 2"},
		} {
			s.wantRows(poststore.Tally{By: []poststore.Dim{by}}, want...)
		}
	}},
	{"inferred attributes are selected, previous ones are not", func(s *subject) {
		s.addInferred(0, 1)
		s.reinfer(3)
		s.wantCount(poststore.Selection{Categories: poststore.CategoryFilter{Sentiments: 1 << earshot.Negative}}, 2)
		s.wantCount(poststore.Selection{Categories: poststore.CategoryFilter{Sentiments: 1 << earshot.Positive}}, 0)
		s.wantCount(poststore.Selection{Where: s.compile(earshot.Criteria{Gender: earshot.Female})}, 2)
		s.wantCount(poststore.Selection{Where: s.compile(earshot.Criteria{Gender: earshot.Male})}, 0)
	}},
	{"cached results of days are updated after each reinference", func(s *subject) {
		s.addDays(5)
		of := poststore.Selection{Set: 1, From: parseTime("2024-03-01T00:00:00Z"), To: parseTime("2024-03-06T00:00:00Z")}
		daily := poststore.Tally{By: []poststore.Dim{poststore.ByDay, poststore.ByLanguage}}
		whole := poststore.Tally{By: []poststore.Dim{poststore.ByLanguage}}
		for range 2 { // the second result may come from a cache
			s.wantRowsOf(of, daily)
			s.wantRowsOf(of, whole)
		}
		for models := uint32(1); models <= 3; models++ {
			s.reinfer(models)
			var want []string
			for day := range 5 {
				want = append(want, fmt.Sprintf("2024-03-%02d,l%d 1", day+1, models))
			}
			for range 2 {
				s.wantRowsOf(of, daily, want...)
				s.wantRowsOf(of, whole, fmt.Sprintf("l%d 5", models))
			}
		}
	}},
	{"reinferred posts keep their sets", func(s *subject) {
		s.addFruit()
		s.rematch(2, noon, earshot.Criteria{Keywords: "apple"})
		s.rematch(3, noon, earshot.Criteria{})
		s.rematch(3, noon, earshot.Criteria{Keywords: "nothing"})
		s.reinfer(1)
		s.wantPosts(poststore.Selection{Set: 1}, "a", "b", "c")
		s.wantPosts(poststore.Selection{Set: 2}, "a", "b", "d")
		s.wantCount(poststore.Selection{Set: 3}, 0)
		s.wantGenerations(nil)
	}},
	{"a rematch uses newly inferred attributes", func(s *subject) {
		s.addFruit()
		s.reinfer(1)
		s.rematch(1, noon, earshot.Criteria{Gender: earshot.Male})
		s.wantPosts(poststore.Selection{Set: 1}, "a", "b", "c", "d")
		s.reinfer(2)
		s.rematch(1, noon, earshot.Criteria{Gender: earshot.Male})
		s.wantCount(poststore.Selection{Set: 1}, 0)
	}},
	{"reinferred posts keep their journal position", func(s *subject) {
		for _, guid := range []string{"a", "b", "c"} {
			s.add(postAt(guid, "2024-03-01T12:00:00Z"))
		}
		s.reinfer(1)
		s.wantPosition(3)
		s.check(s.Rematch(s.ctx(), poststore.Rematch{Rules: poststore.Rules{1: {Where: s.compile(earshot.Criteria{}), UpTo: 2}}}))
		s.wantPosts(poststore.Selection{Set: 1}, "a", "b")
	}},
	{"a deletion finds reinferred posts", func(s *subject) {
		s.addLetters()
		s.reinfer(1)
		s.remove(earshot.Deletion{ContentSource: 3, GUIDs: []string{"a"}})
		s.remove(earshot.Deletion{ContentSource: 3, URLs: []string{"https://example.com/b"}})
		s.wantPosts(poststore.Selection{ContentSource: 3}, "c", "d")
		s.remove(earshot.Deletion{ContentSource: 3, Batch: "two"})
		s.reinfer(2)
		s.wantCount(poststore.Selection{ContentSource: 3}, 0)
	}},
	{"a reinferred post is replaced by one with the same key", func(s *subject) {
		s.addInferred(0, 1)
		s.reinfer(2)
		s.add(postAt("seen by 1", "2024-03-05T12:00:00Z", 1))
		s.wantPosts(poststore.Selection{}, "seen by 1", "seen by 0")
		s.wantRows(poststore.Tally{By: []poststore.Dim{poststore.ByLanguage}}, "l2 1")
		s.wantPassed(s.reinfer(2), "seen by 1")
	}},
	{"posts replaced, deleted or appended during Reinfer are left alone", func(s *subject) {
		s.addLetters()
		s.duringReinfer(4, func() {
			s.add(custom(3, "a", func(p *earshot.Post) { p.Title = "replaced" }), post("new", nil))
			s.remove(earshot.Deletion{ContentSource: 3, GUIDs: []string{"b"}})
		})
		posts, _, err := s.Posts(s.ctx(), poststore.Selection{}, 100)
		s.check(err)
		got := []string{}
		for _, p := range posts {
			got = append(got, fmt.Sprintf("%d/%s/%s seen by %d", p.ContentSource, p.GUID, p.Title, p.InferredBy))
		}
		slices.Sort(got)
		want := []string{"0/new/ seen by 0", "0/z/ seen by 4", "3/a/replaced seen by 0", "3/c/ seen by 4", "3/d/ seen by 4", "4/a/ seen by 4"}
		if !slices.Equal(got, want) {
			s.Errorf("got %q, want %q", got, want)
		}
		s.wantPassed(s.reinfer(4), "a", "new")
	}},
	{"a rematch during Reinfer takes effect", func(s *subject) {
		s.addFruit()
		s.duringReinfer(1, func() { s.rematch(1, noon, earshot.Criteria{Keywords: "pear"}) })
		s.wantPosts(poststore.Selection{Set: 1}, "c")
		s.wantRowsOf(poststore.Selection{Set: 1}, poststore.Tally{By: []poststore.Dim{poststore.ByLanguage}}, "l1 1")
	}},
	{"a canceled Reinfer leaves each post unchanged or updated, and a repeat does the rest", func(s *subject) {
		s.addDays(9)
		ctx, cancel := context.WithCancel(s.ctx())
		err := s.Reinfer(ctx, poststore.Reinfer{Models: 2, Infer: func(posts []earshot.Post) {
			cancel()
			inferAll(posts, 2)
		}})
		if err != nil && !errors.Is(err, context.Canceled) {
			s.Errorf("got error %v, want %v", err, context.Canceled)
		}
		posts, _, err := s.Posts(s.ctx(), poststore.Selection{Set: 1}, 100)
		s.check(err)
		for _, p := range posts {
			want := post(p.GUID, nil).Post
			want.Time = p.Time
			if p.InferredBy > 0 {
				infer(&want, 2)
			}
			s.wantSame(p, want)
		}
		s.reinfer(2)
		s.wantRowsOf(poststore.Selection{Set: 1}, poststore.Tally{By: []poststore.Dim{poststore.ByLanguage}}, "l2 9")
	}},
	{"Reinfer fails if the identity of a post changes or it stays outdated", func(s *subject) {
		s.addInferred(0, 1)
		for name, change := range map[string]func(p *earshot.Post){
			"another guid":           func(p *earshot.Post) { p.GUID += "!" },
			"another source":         func(p *earshot.Post) { p.Source = earshot.Reddit },
			"another content source": func(p *earshot.Post) { p.ContentSource = 9 },
			"another time":           func(p *earshot.Post) { p.Time = p.Time.Add(1) },
			"an older version":       func(p *earshot.Post) { p.InferredBy = 1 },
		} {
			err := s.Reinfer(s.ctx(), poststore.Reinfer{Models: 2, Infer: func(posts []earshot.Post) {
				inferAll(posts, 2)
				change(&posts[0])
			}})
			if err == nil {
				s.Errorf("%s: got no error", name)
			}
		}
		s.reinfer(2)
		s.wantPosts(poststore.Selection{}, "seen by 0", "seen by 1")
	}},
	{"a stored post is independent of the slice passed to Infer", func(s *subject) {
		s.add(poststore.MatchedPost{Post: fullPost()})
		var kept []earshot.Post
		s.check(s.Reinfer(s.ctx(), poststore.Reinfer{Models: 5, Infer: func(posts []earshot.Post) {
			posts[0].InferredBy = 5
			kept = posts
		}}))
		scribble(&kept[0])
		want := fullPost()
		want.InferredBy = 5
		s.wantSame(s.only(), want)
	}},
	{"Reinfer reports its progress up to all outdated posts", func(s *subject) {
		s.addDays(5)
		s.addInferred(2)
		var last int64
		s.check(s.Reinfer(s.ctx(), poststore.Reinfer{
			Models: 2,
			Infer:  func(posts []earshot.Post) { inferAll(posts, 2) },
			Progress: func(done, total int64) {
				if done <= last || done > total || total != 5 {
					s.Errorf("got progress %d of %d after %d, want up to 5", done, total, last)
				}
				last = done
			},
		}))
		if last != 5 {
			s.Errorf("got final progress %d, want 5", last)
		}
	}},
	{"Reinfer without outdated posts calls neither function", func(s *subject) {
		unwanted := poststore.Reinfer{
			Models:   2,
			Infer:    func(posts []earshot.Post) { s.Errorf("Infer received %d posts", len(posts)) },
			Progress: func(done, total int64) { s.Errorf("got progress %d of %d", done, total) },
		}
		s.check(s.Reinfer(s.ctx(), unwanted))
		s.addInferred(2, 3)
		s.check(s.Reinfer(s.ctx(), unwanted))
	}},
}
