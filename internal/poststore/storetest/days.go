package storetest

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"earshot"
	"earshot/internal/poststore"
)

var daysCases = []testCase{
	{"each day is counted separately", func(s *subject) {
		s.add(postAt("a", "2024-03-01T00:00:00Z", 1), postAt("b", "2024-03-01T23:59:59Z", 1), postAt("c", "2024-03-03T00:00:00Z", 1),
			postAt("before", "2024-02-29T23:59:59Z", 1), postAt("after", "2024-03-04T00:00:00Z", 1), postAt("another's", "2024-03-02T12:00:00Z", 2))
		s.wantDays(poststore.Selection{Set: 1}, s.marchDays(1, 4), []poststore.Tally{{}, {By: []poststore.Dim{poststore.BySource}}},
			"[ 2] [ 0] [ 1]", "[Twitter 2] [] [Twitter 1]")
	}},
	{"a day includes its start and excludes the next, in any time zone", func(s *subject) {
		s.addMonitored("2024-03-30T22:59:59Z", "2024-03-30T23:00:00Z", "2024-03-31T21:59:59Z", "2024-03-31T22:00:00Z")
		berlin := s.zone("Europe/Berlin")
		var starts []time.Time
		for day := 30; day <= 33; day++ {
			starts = append(starts, time.Date(2024, time.March, day, 0, 0, 0, 0, berlin))
		}
		s.wantDays(poststore.Selection{Set: 1}, starts, []poststore.Tally{{}}, "[ 1] [ 2] [ 1]")
	}},
	{"days may begin at any time and may be empty", func(s *subject) {
		s.addMonitored("2024-03-01T12:00:00Z", "2024-03-01T12:00:00.5Z", "2024-03-01T12:00:01Z")
		starts := []time.Time{parseTime("2024-03-01T12:00:00Z"), parseTime("2024-03-01T12:00:00.5Z"), parseTime("2024-03-01T12:00:00.5Z"), parseTime("2024-03-01T12:00:01.000000001Z")}
		s.wantDays(poststore.Selection{Set: 1}, starts, []poststore.Tally{{}}, "[ 1] [ 0] [ 2]")
		starts = []time.Time{parseTime("2024-03-01T12:00:00.1Z"), parseTime("2024-03-01T12:00:00.6Z")}
		s.wantDays(poststore.Selection{Set: 1}, starts, []poststore.Tally{{}}, "[ 1]")
	}},
	{"From and To of the selection are ignored", func(s *subject) {
		s.addMonitored("2024-03-01T12:00:00Z", "2024-03-02T12:00:00Z")
		s.wantDays(poststore.Selection{Set: 1, From: parseTime("2030-01-01T00:00:00Z"), To: parseTime("2031-01-01T00:00:00Z")},
			s.marchDays(1, 3), []poststore.Tally{{}}, "[ 1] [ 1]")
	}},
	{"top rows are per day, followed by the included keys", func(s *subject) {
		s.addTags("2024-03-01", "a", "a", "a", "b", "b", "c", "d")
		s.addTags("2024-03-02", "d", "d", "c")
		tally := poststore.Tally{By: []poststore.Dim{poststore.ByHashtag}, Top: 1}
		keeping := tally
		keeping.IncludeKeys = []string{"d", "a", "nothing"}
		wide := keeping
		wide.Top = 2
		s.wantDays(poststore.Selection{Set: 1}, s.marchDays(1, 4), []poststore.Tally{tally, keeping, wide},
			"[a 3] [d 2] []", "[a 3 d 1] [d 2] []", "[a 3 b 2 d 1] [d 2 c 1] []")
	}},
	{"authors are counted once per day", func(s *subject) {
		s.add(by("a", "2024-03-01T01:00:00Z", "ann"), by("b", "2024-03-01T02:00:00Z", "ANN"), by("c", "2024-03-02T01:00:00Z", "ann"), by("d", "2024-03-02T01:00:00Z", "bob"))
		s.wantDays(poststore.Selection{Set: 1}, s.marchDays(1, 3), []poststore.Tally{{Sum: []poststore.Measure{poststore.Authors}}}, "[ 2 1] [ 2 2]")
	}},
	{"hours and clocks of a day are those of the tally's zone", func(s *subject) {
		s.addMonitored("2024-03-01T18:10:00Z", "2024-03-01T18:40:00Z")
		kolkata := s.zone("Asia/Kolkata")
		s.wantDays(poststore.Selection{Set: 1}, s.marchDays(1, 2), []poststore.Tally{
			{By: []poststore.Dim{poststore.ByHour}, Zone: kolkata},
			{By: []poststore.Dim{poststore.ByDay}, Zone: kolkata},
			{By: []poststore.Dim{poststore.ByDay}},
			{By: []poststore.Dim{poststore.ByClock}, Zone: kolkata},
		}, "[2024-03-01T17:30:00Z 1 2024-03-01T18:30:00Z 1]", "[2024-03-01 1 2024-03-02 1]", "[2024-03-01 2]", "[Friday 23 1 Saturday 0 1]")
	}},
	{"days respect all conditions of the selection", func(s *subject) {
		s.addFruit()
		days, all := s.marchDays(1, 3), []poststore.Tally{{}}
		s.wantDays(poststore.Selection{}, days, all, "[ 4] [ 0]")
		s.wantDays(poststore.Selection{Set: 1}, days, all, "[ 3] [ 0]")
		s.wantDays(poststore.Selection{Set: 1, Sources: []earshot.Source{earshot.Twitter}}, days, all, "[ 3] [ 0]")
		s.wantDays(poststore.Selection{Set: 1, Sources: []earshot.Source{earshot.Reddit}}, days, all, "[ 0] [ 0]")
		s.wantDays(poststore.Selection{Set: 1, Where: s.compile(earshot.Criteria{Keywords: "apple"})}, days, all, "[ 2] [ 0]")
		s.wantDays(poststore.Selection{Set: 1, Authors: []string{"bob"}}, days, all, "[ 1] [ 0]")
		s.wantDays(poststore.Selection{Set: 1, Sites: []string{"example.org"}}, days, all, "[ 0] [ 0]")
	}},
	{"no days or no tallies have no results", func(s *subject) {
		s.addFruit()
		s.wantDays(poststore.Selection{Set: 1}, nil, []poststore.Tally{{}}, "")
		s.wantDays(poststore.Selection{Set: 1}, s.marchDays(1, 1), []poststore.Tally{{}}, "")
		s.wantDays(poststore.Selection{Set: 1}, s.marchDays(1, 3), nil)
	}},
	{"days change with their posts", func(s *subject) {
		days, all := s.marchDays(1, 3), []poststore.Tally{{By: []poststore.Dim{poststore.ByLanguage}}, {}}
		of := poststore.Selection{Set: 1}
		s.wantDays(of, days, all, "[] []", "[ 0] [ 0]")
		s.add(inLanguage("a", "2024-03-01T12:00:00Z", "en"), inLanguage("b", "2024-03-02T12:00:00Z", "en"))
		s.wantDays(of, days, all, "[en 1] [en 1]", "[ 1] [ 1]")
		s.add(inLanguage("a", "2024-03-01T12:00:00Z", "fr")) // a new version
		s.wantDays(of, days, all, "[fr 1] [en 1]", "[ 1] [ 1]")
		s.add(inLanguage("a", "2024-03-02T13:00:00Z", "fr")) // moves to another day
		s.wantDays(of, days, all, "[] [en 1 fr 1]", "[ 0] [ 2]")
		s.reinfer(5)
		s.wantDays(of, days, all, "[] [l5 2]", "[ 0] [ 2]")
		s.check(s.Rematch(s.ctx(), poststore.Rematch{Rules: poststore.Rules{1: {}}}))
		s.wantDays(of, days, all, "[] []", "[ 0] [ 0]")
	}},
	{"an invalid tally is an error", func(s *subject) {
		if answers, err := s.Days(s.ctx(), poststore.Selection{}, s.marchDays(1, 3), []poststore.Tally{{}, {Top: -1}}); err == nil {
			s.Errorf("got %v and no error", answers)
		}
	}},
	{"Days returns the error of a canceled context", func(s *subject) {
		s.addFruit()
		ctx, cancel := context.WithCancel(s.ctx())
		cancel()
		if _, err := s.Days(ctx, poststore.Selection{Set: 1}, s.marchDays(1, 3), []poststore.Tally{{}}); !errors.Is(err, context.Canceled) {
			s.Errorf("got error %v, want %v", err, context.Canceled)
		}
	}},
	{"all days are from the same state of the store", func(s *subject) {
		var asking sync.WaitGroup
		done := make(chan struct{})
		for range 2 {
			asking.Go(func() { s.addUpDaysUntil(done) })
		}
		for range 12 {
			s.add(s.batch(20)...)
		}
		close(done)
		asking.Wait()
	}},
}

// marchDays returns the starts of days of March 2024, followed by the end of the last day.
func (s *subject) marchDays(from, end int) (starts []time.Time) {
	for day := from; day <= end; day++ {
		starts = append(starts, time.Date(2024, time.March, day, 0, 0, 0, 0, time.UTC))
	}
	return starts
}

// addMonitored appends posts at the given times, all in monitor 1.
func (s *subject) addMonitored(moments ...string) {
	s.Helper()
	for i, at := range moments {
		s.add(postAt(fmt.Sprint(i), at, 1))
	}
}

// addTags appends one post per hashtag on a day, all in monitor 1.
func (s *subject) addTags(day string, tags ...string) {
	s.Helper()
	for i, tag := range tags {
		m := postAt(fmt.Sprint(day, i), day+"T12:00:00Z", 1)
		m.Post.Hashtags = []string{tag}
		s.add(m)
	}
}

// by returns a post by an author in monitor 1.
func by(guid, at, author string) poststore.MatchedPost {
	m := postAt(guid, at, 1)
	m.Post.Author = author
	return m
}

// inLanguage returns a post in a language in monitor 1.
func inLanguage(guid, at, language string) poststore.MatchedPost {
	m := postAt(guid, at, 1)
	m.Post.Language = language
	return m
}

// wantDays calls Days three times because stores cache results. It checks the rows of each tally,
// formatted as "[key posts key posts] [key posts]" with one bracket per day.
func (s *subject) wantDays(of poststore.Selection, starts []time.Time, ts []poststore.Tally, want ...string) {
	s.Helper()
	for range 3 {
		answers, err := s.Days(s.ctx(), of, starts, ts)
		s.check(err)
		got := []string{}
		for _, days := range answers {
			got = append(got, dayLines(days))
		}
		if len(got) != len(want) || !slices.Equal(got, want) {
			s.Errorf("got days\n\t%s\nwant\n\t%s", strings.Join(got, "\n\t"), strings.Join(want, "\n\t"))
		}
	}
}

// dayLines formats the rows of days in brackets.
func dayLines(days [][]poststore.Row) string {
	var all []string
	for _, rows := range days {
		var lines []string
		for _, r := range rows {
			lines = append(lines, line(r))
		}
		all = append(all, fmt.Sprint("[", strings.Join(lines, " "), "]"))
	}
	return strings.Join(all, " ")
}

// addUpDaysUntil repeatedly adds up the posts of all days. Posts are appended in batches of twenty.
func (s *subject) addUpDaysUntil(done <-chan struct{}) {
	for {
		answers, err := s.Days(s.ctx(), poststore.Selection{Set: 1}, s.marchDays(1, 32), []poststore.Tally{{}})
		if err != nil {
			s.Error(err)
			return
		}
		var sum int64
		for _, rows := range answers[0] {
			sum += rows[0].Posts
		}
		if sum%20 != 0 {
			s.Errorf("got %d posts, which the store never had at any one time", sum)
			return
		}
		select {
		case <-done:
			return
		default:
		}
	}
}
