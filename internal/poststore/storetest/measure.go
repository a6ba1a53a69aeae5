package storetest

import (
	"math"

	"earshot"
	"earshot/internal/poststore"
)

var measureCases = []testCase{
	{"every measure is added up, in the requested order", func(s *subject) {
		s.add(poststore.MatchedPost{Post: fullPost()})
		s.add(custom(3, "another", func(p *earshot.Post) {
			p.Author, p.Followers, p.Views, p.Likes = "someone", earshot.Counted(7), earshot.Counted(60), earshot.Counted(10)
		}))
		s.wantRows(poststore.Tally{Sum: poststore.Measures}, " 2 2 1007 11 2 3 4 5 66")
		s.wantRows(poststore.Tally{Sum: []poststore.Measure{poststore.Views, poststore.Likes, poststore.Views}}, " 2 66 11 66")
	}},
	{"each measure adds up its own field", func(s *subject) {
		s.add(poststore.MatchedPost{Post: fullPost()})
		for m, want := range map[poststore.Measure]string{
			poststore.Authors: " 1 1", poststore.Impressions: " 1 1000", poststore.Likes: " 1 1", poststore.Shares: " 1 2",
			poststore.Comments: " 1 3", poststore.Replies: " 1 4", poststore.Retweets: " 1 5", poststore.Views: " 1 6",
		} {
			s.wantRows(poststore.Tally{Sum: []poststore.Measure{m}}, want)
		}
	}},
	{"a counter that is not stated adds nothing", func(s *subject) {
		s.add(post("a", nil), post("b", func(p *earshot.Post) { p.Likes = earshot.Counted(0) }))
		s.wantRows(poststore.Tally{Sum: poststore.Measures}, " 2 0 0 0 0 0 0 0 0")
	}},
	{"authors are distinct within a row and across rows", func(s *subject) {
		by := func(author, tag string) func(*earshot.Post) {
			return func(p *earshot.Post) { p.AuthorUsername, p.Hashtags = author, []string{tag} }
		}
		s.addEach(by("ann", "x"), by("ANN", "x"), by("bob", "x"), by("ann", "y"), by("", "y"))
		authors := []poststore.Measure{poststore.Authors}
		s.wantRows(poststore.Tally{By: []poststore.Dim{poststore.ByHashtag}, Sum: authors}, "x 3 2", "y 2 1")
		s.wantRows(poststore.Tally{Sum: authors}, " 5 2")
	}},
	{"authors are distinguished by username first, across days and sources", func(s *subject) {
		s.addEach(
			func(p *earshot.Post) { p.AuthorUsername, p.Author = "ann", "Ann One" },
			func(p *earshot.Post) { p.AuthorUsername, p.Author, p.Time = "ann", "Ann Two", noon.AddDate(0, 1, 0) },
			func(p *earshot.Post) { p.Author, p.Source = "Ann", earshot.Reddit },
		)
		s.wantRows(poststore.Tally{Sum: []poststore.Measure{poststore.Authors}}, " 3 1")
	}},
	{"impressions count an author's followers once per post", func(s *subject) {
		reach := func(p *earshot.Post) { p.Author, p.Followers = "ann", earshot.Counted(100) }
		s.addEach(reach, reach)
		s.wantRows(poststore.Tally{By: []poststore.Dim{poststore.ByAuthor}, Sum: []poststore.Measure{poststore.Impressions}}, "ann 2 200")
	}},
	{"a sum that overflows stays at the maximum", func(s *subject) {
		huge := func(p *earshot.Post) { p.Views = earshot.Counted(math.MaxInt64 - 1) }
		s.addEach(huge, huge, huge)
		s.wantRows(poststore.Tally{Sum: []poststore.Measure{poststore.Views}}, " 3 9223372036854775807")
	}},
}
