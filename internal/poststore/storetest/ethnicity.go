package storetest

import (
	"fmt"
	"slices"
	"strings"

	"earshot"
	"earshot/internal/model/people"
	"earshot/internal/poststore"
)

// surnames are some of the surnames in the census.
var surnames = strings.Fields(`Smith Garcia Nguyen Washington Jones Miller Lee Kim Patel Lopez Brown Davis Wilson Moore Taylor
	Thomas Jackson White Harris Martin Clark Lewis Walker Hall Young Allen King Wright Scott Green`)

var ethnicityCases = []testCase{
	{"by ethnicity estimates posts per group from surnames", func(s *subject) {
		s.addNamed(surnames[:people.MinSurnames], 5)
		s.wantBy(poststore.ByEthnicity, "White 44", "Black 25", "Asian 17", "Latino 11", "Other 3")
	}},
	{"by ethnicity has no rows for few surnames, however many posts", func(s *subject) {
		few := surnames[:people.MinSurnames-1]
		s.addNamed(few, 10)
		s.wantBy(poststore.ByEthnicity)
		s.add(post("handle", func(p *earshot.Post) { p.Author = "kitten99" }), post("no surname", func(p *earshot.Post) { p.Author = "Emma Xqzwk" }), post("nobody", nil))
		s.wantBy(poststore.ByEthnicity)
		s.addNamed(surnames[len(few):people.MinSurnames], 1)
		s.wantBy(poststore.ByEthnicity, "White 80", "Black 49", "Asian 34", "Latino 22", "Other 6")
	}},
	{"by ethnicity counts selected posts of the tally's sources", func(s *subject) {
		s.addNamed(surnames[:people.MinSurnames], 1)
		s.add(post("b", func(p *earshot.Post) { p.Source, p.Author, p.Contents = earshot.Bluesky, "Kim Nguyen", "apple" }))
		tally := poststore.Tally{By: []poststore.Dim{poststore.ByEthnicity}}
		s.wantRows(tally, "White 9", "Black 5", "Asian 4", "Latino 2", "Other 1")
		tally.Sources = []earshot.Source{earshot.Twitter}
		s.wantRows(tally, "White 9", "Black 5", "Asian 3", "Latino 2", "Other 1")
		tally.Sources = []earshot.Source{earshot.Bluesky}
		s.wantRows(tally)
		s.wantRowsOf(poststore.Selection{Where: s.compile(earshot.Criteria{Keywords: "apple"})}, poststore.Tally{By: tally.By})
	}},
	{"by ethnicity estimates each day from its own surnames", func(s *subject) {
		s.addNamed(surnames[:people.MinSurnames], 5)
		s.add(postAt("later", "2024-03-02T12:00:00Z", 1))
		s.wantDays(poststore.Selection{}, s.marchDays(1, 3), []poststore.Tally{{By: []poststore.Dim{poststore.ByEthnicity}}},
			"[White 44 Black 25 Asian 17 Latino 11 Other 3] []")
	}},
	{"by ethnicity may have rows for several days but none for each", func(s *subject) {
		for i, surname := range surnames[:people.MinSurnames] {
			p := postAt(surname, fmt.Sprintf("2024-03-0%dT12:00:00Z", 1+i%2), 1)
			p.Post.Author = "Emma " + surname
			s.add(p)
		}
		days := poststore.Selection{Set: 1, From: parseTime("2024-03-01T00:00:00Z"), To: parseTime("2024-03-03T00:00:00Z")}
		tally := poststore.Tally{By: []poststore.Dim{poststore.ByEthnicity}}
		for range 2 {
			s.wantRowsOf(days, tally, "White 9", "Black 5", "Asian 3", "Latino 2", "Other 1")
			s.wantDays(days, s.marchDays(1, 3), []poststore.Tally{tally}, "[] []")
		}
	}},
	{"by ethnicity counts the latest version of a post", func(s *subject) {
		s.addNamed(surnames[:people.MinSurnames], 1)
		s.add(post("Smith 0", func(p *earshot.Post) { p.Author = "Joe Garcia" }))
		s.wantBy(poststore.ByEthnicity)
	}},
	{"a tally by ethnicity and anything else is an error", func(s *subject) {
		by := []poststore.Dim{poststore.ByEthnicity}
		for _, t := range []poststore.Tally{
			{By: append(slices.Clone(by), poststore.ByDay)}, {By: append(by, by...)}, {By: by, Top: 3}, {By: by, Sum: []poststore.Measure{poststore.Likes}}, {By: by, IncludeKeys: []string{"White"}},
		} {
			if rows, err := poststore.TallyOne(s.ctx(), s, poststore.Selection{}, t); err == nil {
				s.Errorf("%+v: got %v and no error", t, rows)
			}
		}
	}},
}

// addNamed appends the given number of posts for each surname, by different authors.
func (s *subject) addNamed(surnames []string, each int) {
	s.Helper()
	var posts []poststore.MatchedPost
	for _, surname := range surnames {
		for n := range each {
			posts = append(posts, post(fmt.Sprint(surname, " ", n), func(p *earshot.Post) { p.Author = fmt.Sprintf("someone%d (Emma %s)", n, surname) }))
		}
	}
	s.add(posts...)
}
