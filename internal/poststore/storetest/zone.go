package storetest

import (
	"time"
	_ "time/tzdata" // the zones below are known wherever the tests run

	"earshot/internal/poststore"
)

var zoneCases = []testCase{
	{"without a zone days and hours are those of UTC", func(s *subject) {
		s.addAt("2024-02-29T23:59:59Z", "2024-03-01T00:00:00Z", "2024-03-01T00:59:59Z")
		s.wantRows(poststore.Tally{By: []poststore.Dim{poststore.ByDay}}, "2024-03-01 2", "2024-02-29 1")
		s.wantRows(poststore.Tally{By: []poststore.Dim{poststore.ByHour}}, "2024-03-01T00:00:00Z 2", "2024-02-29T23:00:00Z 1")
	}},
	{"days and hours before 1970 are whole too", func(s *subject) {
		s.addAt("1969-12-31T23:30:00Z", "1969-12-31T00:00:00Z", "1970-01-01T00:00:00Z")
		s.wantRows(poststore.Tally{By: []poststore.Dim{poststore.ByDay}}, "1969-12-31 2", "1970-01-01 1")
		s.wantRows(poststore.Tally{By: []poststore.Dim{poststore.ByHour}}, "1969-12-31T00:00:00Z 1", "1969-12-31T23:00:00Z 1", "1970-01-01T00:00:00Z 1")
	}},
	{"a day is a day of the zone", func(s *subject) {
		s.addAt("2024-03-01T04:59:59Z", "2024-03-01T05:00:00Z", "2024-03-02T04:59:59Z")
		s.wantRows(poststore.Tally{By: []poststore.Dim{poststore.ByDay}, Zone: s.zone("America/New_York")}, "2024-03-01 2", "2024-02-29 1")
	}},
	{"hours of a half-hour zone begin at the half hour of UTC", func(s *subject) {
		s.addAt("2024-03-01T06:29:59Z", "2024-03-01T06:30:00Z", "2024-03-01T07:29:59Z")
		s.wantRows(poststore.Tally{By: []poststore.Dim{poststore.ByHour}, Zone: s.zone("Asia/Kolkata")}, "2024-03-01T06:30:00Z 2", "2024-03-01T05:30:00Z 1")
	}},
	{"hours of a quarter-hour zone begin at the quarter", func(s *subject) {
		s.addAt("2024-03-01T06:14:59Z", "2024-03-01T06:15:00Z")
		s.wantRows(poststore.Tally{By: []poststore.Dim{poststore.ByHour}, Zone: s.zone("Asia/Kathmandu")}, "2024-03-01T05:15:00Z 1", "2024-03-01T06:15:00Z 1")
	}},
	{"the day on which clocks go forward has 23 hours", func(s *subject) {
		s.addEveryHalfHour("2024-03-31T00:00:00Z", 48)
		berlin := s.zone("Europe/Berlin")
		s.wantRows(poststore.Tally{By: []poststore.Dim{poststore.ByDay}, Zone: berlin}, "2024-03-31 44", "2024-04-01 4")
		s.wantHours(berlin, "2024-03-31", 22) // its first hour began before the posts did
	}},
	{"the day on which clocks go back has 25 hours, the repeated one twice", func(s *subject) {
		s.addEveryHalfHour("2024-10-26T22:00:00Z", 50)
		berlin := s.zone("Europe/Berlin")
		s.wantRows(poststore.Tally{By: []poststore.Dim{poststore.ByDay}, Zone: berlin}, "2024-10-27 50")
		s.wantHours(berlin, "2024-10-27", 25)
	}},
	{"an hour cut by a change of half an hour begins with the change", func(s *subject) {
		// At 15:00 UTC the clocks of Lord Howe Island went from 2:00 back to 1:30.
		s.addAt("2024-04-06T14:10:00Z", "2024-04-06T14:45:00Z", "2024-04-06T15:00:00Z", "2024-04-06T15:29:59Z", "2024-04-06T15:30:00Z")
		s.wantRows(poststore.Tally{By: []poststore.Dim{poststore.ByHour}, Zone: s.zone("Australia/Lord_Howe")},
			"2024-04-06T14:00:00Z 2", "2024-04-06T15:00:00Z 2", "2024-04-06T15:30:00Z 1")
	}},
	{"fractions of a second belong to their hour", func(s *subject) {
		s.addAt("2024-03-01T11:59:59.999Z", "2024-03-01T12:00:00.001Z")
		s.wantRows(poststore.Tally{By: []poststore.Dim{poststore.ByHour}}, "2024-03-01T11:00:00Z 1", "2024-03-01T12:00:00Z 1")
	}},
	{"days combine with other dimensions", func(s *subject) {
		s.addAt("2024-03-01T01:00:00Z", "2024-03-01T02:00:00Z", "2024-03-02T01:00:00Z")
		s.wantRows(poststore.Tally{By: []poststore.Dim{poststore.BySource, poststore.ByDay}, Zone: s.zone("Asia/Tokyo")}, "Twitter,2024-03-01 2", "Twitter,2024-03-02 1")
	}},
}

func (s *subject) zone(name string) *time.Location {
	s.Helper()
	loc, err := time.LoadLocation(name)
	s.check(err)
	return loc
}

// addAt appends a post for each moment.
func (s *subject) addAt(moments ...string) {
	s.Helper()
	for _, at := range moments {
		s.add(postAt(at, at))
	}
}

// addEveryHalfHour appends n posts, half an hour apart.
func (s *subject) addEveryHalfHour(from string, n int) {
	s.Helper()
	for i := range n {
		s.addAt(moment(from).Add(time.Duration(i) * 30 * time.Minute).Format(time.RFC3339))
	}
}

// wantHours checks that the posts of a day, two an hour, are in so many rows of
// hours.
func (s *subject) wantHours(zone *time.Location, day string, want int) {
	s.Helper()
	rows, err := s.Tally(s.ctx(), poststore.Tally{By: []poststore.Dim{poststore.ByDay, poststore.ByHour}, Zone: zone})
	s.check(err)
	got := 0
	for _, r := range rows {
		if r.Key[0] != day {
			continue
		}
		got++
		if r.Posts != 2 {
			s.Errorf("got the row %s, want 2 posts an hour", line(r))
		}
	}
	if got != want {
		s.Errorf("got %d hours on %s, want %d", got, day, want)
	}
}
