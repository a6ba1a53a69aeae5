package storetest

import (
	"context"
	"errors"
	"slices"
	"sync"

	"earshot"
	"earshot/internal/poststore"
)

var talliesCases = []testCase{
	{"several tallies return the same rows as each alone, in order", func(s *subject) {
		s.addFruit()
		s.wantTallies(poststore.Selection{Set: 1}, []poststore.Tally{
			{By: []poststore.Dim{poststore.ByLanguage}},
			{},
			{By: []poststore.Dim{poststore.ByAuthor}, Top: 2},
			{Sum: []poststore.Measure{poststore.Authors}},
			{By: []poststore.Dim{poststore.ByLanguage, poststore.ByGender}},
			{By: []poststore.Dim{poststore.ByLanguage}},
		}, []string{"en 2", "fr 1"}, []string{" 3"}, []string{"ann 1", "bob 1"}, []string{" 3 3"}, []string{"en,F 1", "en,M 1", "fr,M 1"}, []string{"en 2", "fr 1"})
	}},
	{"no tallies have no results", func(s *subject) {
		s.addFruit()
		s.wantTallies(poststore.Selection{}, nil)
	}},
	{"each tally has its own zone", func(s *subject) {
		s.add(postAt("a", "2024-03-01T23:30:00Z"))
		s.wantTallies(poststore.Selection{}, []poststore.Tally{
			{By: []poststore.Dim{poststore.ByDay}},
			{By: []poststore.Dim{poststore.ByDay}, Zone: s.zone("Europe/Berlin")},
		}, []string{"2024-03-01 1"}, []string{"2024-03-02 1"})
	}},
	{"each tally counts only its own sources among the selected posts", func(s *subject) {
		s.addEach(
			func(p *earshot.Post) { p.Language, p.Hashtags, p.Likes = "en", []string{"x", "y"}, earshot.Counted(3) },
			func(p *earshot.Post) { p.Source, p.Language, p.Likes = earshot.Reddit, "en", earshot.Counted(5) },
			func(p *earshot.Post) { p.Source, p.Language, p.Hashtags = earshot.Bluesky, "fr", []string{"x"} },
		)
		byLanguage, byTag := []poststore.Dim{poststore.ByLanguage}, []poststore.Dim{poststore.ByHashtag}
		microblogs := []earshot.Source{earshot.Twitter, earshot.Bluesky}
		s.wantTallies(poststore.Selection{}, []poststore.Tally{
			{By: byLanguage},
			{By: byLanguage, Sources: microblogs},
			{By: byTag, Sources: microblogs},
			{By: byTag, Sources: []earshot.Source{earshot.Bluesky}},
			{Sum: []poststore.Measure{poststore.Likes}, Sources: []earshot.Source{earshot.Reddit}},
			{Sources: []earshot.Source{"nowhere"}},
			{By: byLanguage, Sources: []earshot.Source{"nowhere"}},
		}, []string{"en 2", "fr 1"}, []string{"en 1", "fr 1"}, []string{"x 2", "y 1"}, []string{"x 1"}, []string{" 1 5"}, []string{" 0"}, []string{})
		s.wantTallies(poststore.Selection{Sources: []earshot.Source{earshot.Twitter}}, []poststore.Tally{{Sources: microblogs}}, []string{" 1"})
		s.wantDays(poststore.Selection{}, s.marchDays(1, 3), []poststore.Tally{{Sources: microblogs}, {}}, "[ 2] [ 0]", "[ 3] [ 0]")
	}},
	{"complete days of a set are counted by each tally for its own sources", func(s *subject) {
		a, b := postAt("a", "2024-03-01T12:00:00Z", 1), postAt("b", "2024-03-02T12:00:00Z", 1)
		b.Post.Source = earshot.Reddit
		s.add(a, b)
		days := poststore.Selection{Set: 1, From: parseTime("2024-03-01T00:00:00Z"), To: parseTime("2024-03-03T00:00:00Z")}
		twitter := []earshot.Source{earshot.Twitter}
		for range 2 {
			s.wantTallies(days, []poststore.Tally{{}, {Sources: twitter}, {}}, []string{" 2"}, []string{" 1"}, []string{" 2"})
			s.wantDays(days, s.marchDays(1, 3), []poststore.Tally{{}}, "[ 1] [ 1]")
			s.wantDays(days, s.marchDays(1, 3), []poststore.Tally{{Sources: twitter}}, "[ 1] [ 0]")
		}
	}},
	{"one invalid tally fails the call", func(s *subject) {
		if rows, err := s.Tallies(s.ctx(), poststore.Selection{}, []poststore.Tally{{}, {Top: -1}}); err == nil {
			s.Errorf("got %v and no error", rows)
		}
	}},
	{"Tallies returns the error of a canceled context", func(s *subject) {
		s.addFruit()
		ctx, cancel := context.WithCancel(s.ctx())
		cancel()
		if _, err := s.Tallies(ctx, poststore.Selection{}, []poststore.Tally{{}}); !errors.Is(err, context.Canceled) {
			s.Errorf("got error %v, want %v", err, context.Canceled)
		}
	}},
	{"all tallies are from the same state of the store", func(s *subject) {
		var asking sync.WaitGroup
		done := make(chan struct{})
		for range 2 {
			asking.Go(func() { s.compareUntil(done) })
		}
		for range 12 {
			s.add(s.batch(20)...)
		}
		close(done)
		asking.Wait()
	}},
}

// compareUntil repeatedly counts the same posts in two ways, which must agree.
func (s *subject) compareUntil(done <-chan struct{}) {
	ts := []poststore.Tally{{}, {By: []poststore.Dim{poststore.BySource}}}
	for {
		all, err := s.Tallies(s.ctx(), poststore.Selection{Set: 1}, ts)
		if err != nil {
			s.Error(err)
			return
		}
		var sum int64
		for _, r := range all[1] {
			sum += r.Posts
		}
		if total := all[0][0].Posts; sum != total {
			s.Errorf("got a total of %d posts and %d by source", total, sum)
			return
		}
		select {
		case <-done:
			return
		default:
		}
	}
}

// wantTallies checks the rows of several tallies, each formatted as for wantRows.
func (s *subject) wantTallies(of poststore.Selection, ts []poststore.Tally, want ...[]string) {
	s.Helper()
	all, err := s.Tallies(s.ctx(), of, ts)
	s.check(err)
	if len(all) != len(want) {
		s.Fatalf("got %d results, want %d", len(all), len(want))
	}
	for i, rows := range all {
		got := []string{}
		for _, r := range rows {
			got = append(got, line(r))
		}
		if !slices.Equal(got, want[i]) {
			s.Errorf("tally %d: got rows %q, want %q", i, got, want[i])
		}
	}
}
