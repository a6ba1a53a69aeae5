package storetest

import (
	"slices"
	"time"

	"earshot"
	"earshot/internal/poststore"
)

var histogramCases = []testCase{
	{"a histogram counts posts by time", func(s *subject) {
		s.add(postAt("a", "2024-03-01T00:00:00Z", 1), postAt("b", "2024-03-01T23:59:59Z", 1), postAt("c", "2024-03-03T00:00:00Z", 1),
			postAt("before", "2024-02-29T23:59:59Z", 1), postAt("after", "2024-03-04T00:00:00Z", 1), postAt("another's", "2024-03-02T12:00:00Z", 2))
		s.wantHistogram(poststore.Selection{Set: 1}, s.marchDays(1, 4), 2, 0, 1)
		s.wantHistogram(poststore.Selection{}, s.marchDays(1, 4), 2, 1, 1)
		s.wantHistogram(poststore.Selection{Set: 3}, s.marchDays(1, 4), 0, 0, 0)
	}},
	{"intervals of a histogram may begin at any time and may be empty", func(s *subject) {
		s.addMonitored("2024-03-01T12:00:00Z", "2024-03-01T12:00:00.5Z", "2024-03-01T12:00:01Z")
		s.wantHistogram(poststore.Selection{Set: 1}, []time.Time{
			parseTime("2024-03-01T12:00:00Z"), parseTime("2024-03-01T12:00:00.5Z"), parseTime("2024-03-01T12:00:00.5Z"), parseTime("2024-03-01T12:00:01.000000001Z"),
		}, 1, 0, 2)
		s.wantHistogram(poststore.Selection{Set: 1}, s.marchDays(1, 1))
		s.wantHistogram(poststore.Selection{Set: 1}, nil)
	}},
	{"a histogram ignores From and To and respects all other conditions", func(s *subject) {
		s.addFruit()
		days := s.marchDays(1, 3)
		s.wantHistogram(poststore.Selection{Set: 1, From: parseTime("2030-01-01T00:00:00Z")}, days, 3, 0)
		s.wantHistogram(poststore.Selection{Set: 1, Where: s.compile(earshot.Criteria{Keywords: "apple"})}, days, 2, 0)
		s.wantHistogram(poststore.Selection{Set: 1, Authors: []string{"bob"}}, days, 1, 0)
	}},
	{"a histogram follows replaced and deleted posts", func(s *subject) {
		s.add(postAt("a", "2024-03-01T12:00:00Z", 1), postAt("b", "2024-03-02T12:00:00Z", 1))
		s.add(postAt("a", "2024-03-02T13:00:00Z", 1))
		s.wantHistogram(poststore.Selection{Set: 1, Sources: []earshot.Source{earshot.Twitter}}, s.marchDays(1, 3), 0, 2)
		s.remove(earshot.Deletion{Source: earshot.Twitter, GUIDs: []string{"b"}})
		s.wantHistogram(poststore.Selection{Set: 1, Sources: []earshot.Source{earshot.Twitter}}, s.marchDays(1, 3), 0, 1)
	}},
}

// wantHistogram checks the number of posts in each interval.
func (s *subject) wantHistogram(of poststore.Selection, starts []time.Time, want ...int64) {
	s.Helper()
	got, err := s.Histogram(s.ctx(), of, starts)
	s.check(err)
	if !slices.Equal(got, want) {
		s.Errorf("got histogram %d, want %d", got, want)
	}
}
