package storetest

import (
	"fmt"

	"earshot"
	"earshot/internal/poststore"
)

var tallyCases = []testCase{
	{"a tally without dimensions has one row, even if no posts are selected", func(s *subject) {
		likes := []poststore.Measure{poststore.Likes, poststore.Authors}
		s.wantRows(poststore.Tally{Sum: likes}, " 0 0 0")
		s.add(post("a", func(p *earshot.Post) { p.Likes, p.Author = earshot.Counted(2), "ann" }), post("b", nil))
		s.wantRows(poststore.Tally{Sum: likes}, " 2 2 1")
		s.wantRowsOf(poststore.Selection{Set: 9}, poststore.Tally{Sum: likes}, " 0 0 0")
	}},
	{"a tally by a dimension has no rows if no posts are selected", func(s *subject) {
		for _, d := range poststore.Dims {
			s.wantRows(poststore.Tally{By: []poststore.Dim{d}})
		}
	}},
	{"rows are sorted largest first, ties by key", func(s *subject) {
		s.addTagged("d", "c", "b", "a", "c", "b", "z", "z", "z")
		s.wantRows(poststore.Tally{By: []poststore.Dim{poststore.ByHashtag}}, "z 3", "b 2", "c 2", "a 1", "d 1")
	}},
	{"top rows are truncated after ties are sorted by key", func(s *subject) {
		s.addTagged("d", "c", "b", "a", "c", "b", "z", "z", "z")
		for top, want := range map[int][]string{1: {"z 3"}, 2: {"z 3", "b 2"}, 4: {"z 3", "b 2", "c 2", "a 1"}, 99: {"z 3", "b 2", "c 2", "a 1", "d 1"}} {
			s.wantRows(poststore.Tally{By: []poststore.Dim{poststore.ByHashtag}, Top: top}, want...)
		}
	}},
	{"rows of included keys follow the top rows in tally order", func(s *subject) {
		s.addTagged("d", "c", "b", "a", "c", "b", "z", "z", "z")
		by := []poststore.Dim{poststore.ByHashtag}
		s.wantRows(poststore.Tally{By: by, Top: 1, IncludeKeys: []string{"d", "c", "nothing"}}, "z 3", "c 2", "d 1")
		s.wantRows(poststore.Tally{By: by, Top: 2, IncludeKeys: []string{"z"}}, "z 3", "b 2")
		s.wantRows(poststore.Tally{By: by, IncludeKeys: []string{"a"}}, "z 3", "b 2", "c 2", "a 1", "d 1")
	}},
	{"rows with the largest sums follow the top rows in tally order", func(s *subject) {
		for i, likes := range []int64{7, 0, 9, 9, 3, 1} {
			tag := string(rune('a' + i))
			s.add(post(tag, func(p *earshot.Post) { p.Hashtags, p.Likes = []string{tag}, earshot.Counted(likes) }))
		}
		s.add(post("b again", func(p *earshot.Post) { p.Hashtags = []string{"b"} }), post("f again", func(p *earshot.Post) { p.Hashtags, p.Likes = []string{"f"}, earshot.Counted(2) }))
		t := poststore.Tally{By: []poststore.Dim{poststore.ByHashtag}, Sum: []poststore.Measure{poststore.Likes, poststore.Authors}, Top: 1, TopSum: 1}
		s.wantRows(t, "b 2 0 0", "c 1 9 0")
		t.TopSum = 4 // of those with a sum of 3, the one with more posts
		s.wantRows(t, "b 2 0 0", "f 2 3 0", "a 1 7 0", "c 1 9 0", "d 1 9 0")
		t.TopSum = 99 // none with a sum of 0
		s.wantRowsOf(poststore.Selection{Authors: []string{"nobody"}}, t)
		t.Top = 2
		s.wantRows(t, "b 2 0 0", "f 2 3 0", "a 1 7 0", "c 1 9 0", "d 1 9 0", "e 1 3 0")
	}},
	{"authors with the largest sums are included however few posts they have", func(s *subject) {
		var many, once []poststore.MatchedPost
		for i := range 40 {
			many = append(many, post(fmt.Sprint(i), func(p *earshot.Post) { p.Author, p.Followers = fmt.Sprint("many", i%4), earshot.Counted(1) }))
			once = append(once, post(fmt.Sprint("once", i), func(p *earshot.Post) { p.Author, p.Followers = fmt.Sprint("once", i), earshot.Counted(int64(100*i)) }))
		}
		s.add(many...)
		s.add(once...)
		t := poststore.Tally{By: []poststore.Dim{poststore.ByAuthor}, Sum: []poststore.Measure{poststore.Impressions}, Top: 2, TopSum: 2}
		s.wantRows(t, "many0 10 10", "many1 10 10", "once38 1 3800", "once39 1 3900")
	}},
	{"ties of combinations are sorted by key", func(s *subject) {
		s.add(
			post("1", func(p *earshot.Post) { p.Language, p.Gender = "en", earshot.Male }),
			post("2", func(p *earshot.Post) { p.Language, p.Gender = "en", earshot.Female }),
			post("3", func(p *earshot.Post) { p.Language, p.Gender = "ar", earshot.Male }),
		)
		s.wantRows(poststore.Tally{By: []poststore.Dim{poststore.ByLanguage, poststore.ByGender}}, "ar,M 1", "en,F 1", "en,M 1")
		s.wantRows(poststore.Tally{By: []poststore.Dim{poststore.ByGender, poststore.ByLanguage}}, "F,en 1", "M,ar 1", "M,en 1")
	}},
	{"a post with several values counts in one row per value", func(s *subject) {
		s.add(post("a", func(p *earshot.Post) { p.Hashtags = []string{"x", "y"} }), post("b", func(p *earshot.Post) { p.Hashtags = []string{"y"} }))
		s.wantRows(poststore.Tally{By: []poststore.Dim{poststore.ByHashtag}}, "y 2", "x 1")
	}},
	{"a value that a post has twice counts once", func(s *subject) {
		s.add(post("a", func(p *earshot.Post) { p.Hashtags = []string{"x", "y", "x", ""} }))
		s.wantRows(poststore.Tally{By: []poststore.Dim{poststore.ByHashtag}}, "x 1", "y 1")
	}},
	{"a post without a value in one dimension is in no row", func(s *subject) {
		s.add(
			post("a", func(p *earshot.Post) { p.Language = "en" }),
			post("b", func(p *earshot.Post) { p.Gender = earshot.Male }),
			post("c", func(p *earshot.Post) { p.Language, p.Gender = "en", earshot.Male }),
		)
		s.wantRows(poststore.Tally{By: []poststore.Dim{poststore.ByLanguage, poststore.ByGender}}, "en,M 1")
	}},
	{"several values combine with the other dimensions", func(s *subject) {
		s.add(
			post("a", func(p *earshot.Post) { p.Hashtags, p.Language, p.Likes = []string{"x", "y"}, "en", earshot.Counted(1) }),
			post("b", func(p *earshot.Post) { p.Hashtags, p.Language, p.Likes = []string{"x"}, "fr", earshot.Counted(10) }),
			post("c", func(p *earshot.Post) {
				p.Hashtags, p.Language, p.Likes = []string{"y", "x"}, "en", earshot.Counted(100)
			}),
		)
		s.wantRows(poststore.Tally{By: []poststore.Dim{poststore.ByLanguage, poststore.ByHashtag}, Sum: []poststore.Measure{poststore.Likes}},
			"en,x 2 101", "en,y 2 101", "fr,x 1 10")
		s.wantRows(poststore.Tally{By: []poststore.Dim{poststore.ByHashtag, poststore.ByHashtag}}, "x,x 3", "x,y 2", "y,x 2", "y,y 2")
	}},
	{"values are distinct whatever they contain", func(s *subject) {
		s.add(
			post("1", func(p *earshot.Post) { p.Author, p.ParentGUID = "a", "b\x00c" }),
			post("2", func(p *earshot.Post) { p.Author, p.ParentGUID = "a\x00b", "c" }),
		)
		s.wantRows(poststore.Tally{By: []poststore.Dim{poststore.ByAuthor, poststore.ByParent}}, "a,b\x00c 1", "a\x00b,c 1")
	}},
	{"a tally counts the selected posts", func(s *subject) {
		s.addFruit()
		s.wantRowsOf(poststore.Selection{Set: 1, Where: s.compile(earshot.Criteria{Keywords: "apple"})}, poststore.Tally{By: []poststore.Dim{poststore.ByLanguage}}, "en 1", "fr 1")
	}},
	{"an invalid tally is an error", func(s *subject) {
		for _, t := range []poststore.Tally{
			{By: []poststore.Dim{0}}, {By: []poststore.Dim{poststore.ByDay, 99}}, {Sum: []poststore.Measure{-1}}, {Top: -1},
			{TopSum: 1}, {TopSum: -1, Sum: []poststore.Measure{poststore.Likes}}, {IncludeKeys: []string{"a"}}, {By: []poststore.Dim{poststore.ByDay, poststore.BySource}, IncludeKeys: []string{"a"}},
		} {
			if rows, err := poststore.TallyOne(s.ctx(), s, poststore.Selection{}, t); err == nil {
				s.Errorf("%+v: got %v and no error", t, rows)
			}
		}
	}},
}

// addTagged appends one post per hashtag.
func (s *subject) addTagged(tags ...string) {
	s.Helper()
	for i, tag := range tags {
		s.add(post(fmt.Sprint(i), func(p *earshot.Post) { p.Hashtags = []string{tag} }))
	}
}
