package storetest

import (
	"time"
	_ "time/tzdata" // makes the zones below available on every system

	"earshot"
	"earshot/internal/poststore"
)

var zoneCases = []testCase{
	{"by clock counts weekdays and hours in the zone if the place is unknown", func(s *subject) {
		s.addAt("2024-03-03T23:59:59Z", "2024-03-04T00:00:00Z", "2024-03-04T00:30:00Z", "1969-12-31T23:30:00Z")
		by := []poststore.Dim{poststore.ByClock}
		s.wantRows(poststore.Tally{By: by}, "Monday 0 2", "Sunday 23 1", "Wednesday 23 1")
		s.wantRows(poststore.Tally{By: by, Zone: s.zone("Asia/Kolkata")}, "Monday 5 2", "Monday 6 1", "Thursday 5 1")
		s.wantRows(poststore.Tally{By: by, Zone: s.zone("America/New_York")}, "Sunday 19 2", "Sunday 18 1", "Wednesday 18 1")
	}},
	{"by clock counts local weekdays and hours of the author", func(s *subject) {
		at := func(guid string, place earshot.Place) {
			s.add(post(guid, func(p *earshot.Post) { p.Place = place }))
		}
		at("a", earshot.Place{Country: "IND"})
		at("b", earshot.Place{Country: "NPL"})
		at("c", earshot.Place{Country: "USA", State: "CA", City: "San Diego"})
		at("d", earshot.Place{Country: "Atlantis"})
		at("e", earshot.Place{})
		s.wantRows(poststore.Tally{By: []poststore.Dim{poststore.ByClock}, Zone: s.zone("Asia/Tokyo")}, "Friday 17 2", "Friday 21 2", "Friday 4 1")
		s.wantRows(poststore.Tally{By: []poststore.Dim{poststore.ByClock}, Zone: s.zone("Asia/Tokyo"), Top: 1, IncludeKeys: []string{"Friday 4"}}, "Friday 17 2", "Friday 4 1")
	}},
	{"by clock omits a skipped hour and counts a repeated one twice", func(s *subject) {
		berlin := earshot.Place{Country: "DEU"}
		for _, hour := range []string{"2024-03-31T00:30:00Z", "2024-03-31T01:00:00Z", "2024-10-27T00:30:00Z", "2024-10-27T01:30:00Z", "2024-10-27T02:00:00Z"} {
			s.add(post(hour, func(p *earshot.Post) { p.Time, p.Place = parseTime(hour), berlin }))
		}
		s.wantRows(poststore.Tally{By: []poststore.Dim{poststore.ByClock}}, "Sunday 2 2", "Sunday 3 2", "Sunday 1 1")
		// On Lord Howe Island, clocks change by half an hour: at 15:00 UTC they went from 2:00 back
		// to 1:30.
		lordHowe := poststore.Tally{By: []poststore.Dim{poststore.ByClock}, Zone: s.zone("Australia/Lord_Howe")}
		s.addAt("2023-04-01T14:40:00Z", "2023-04-01T15:10:00Z", "2023-04-01T15:40:00Z")
		s.wantRowsOf(poststore.Selection{To: noon}, lordHowe, "Sunday 1 2", "Sunday 2 1")
	}},
	{"without a zone, days and hours are in UTC", func(s *subject) {
		s.addAt("2024-02-29T23:59:59Z", "2024-03-01T00:00:00Z", "2024-03-01T00:59:59Z")
		s.wantRows(poststore.Tally{By: []poststore.Dim{poststore.ByDay}}, "2024-03-01 2", "2024-02-29 1")
		s.wantRows(poststore.Tally{By: []poststore.Dim{poststore.ByHour}}, "2024-03-01T00:00:00Z 2", "2024-02-29T23:00:00Z 1")
	}},
	{"days and hours before 1970 are complete", func(s *subject) {
		s.addAt("1969-12-31T23:30:00Z", "1969-12-31T00:00:00Z", "1970-01-01T00:00:00Z")
		s.wantRows(poststore.Tally{By: []poststore.Dim{poststore.ByDay}}, "1969-12-31 2", "1970-01-01 1")
		s.wantRows(poststore.Tally{By: []poststore.Dim{poststore.ByHour}}, "1969-12-31T00:00:00Z 1", "1969-12-31T23:00:00Z 1", "1970-01-01T00:00:00Z 1")
	}},
	{"a day is a day in the zone", func(s *subject) {
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
		s.wantHours(berlin, "2024-03-31", 22) // its first hour began before the first post
	}},
	{"the day on which clocks go back has 25 hours, the repeated one twice", func(s *subject) {
		s.addEveryHalfHour("2024-10-26T22:00:00Z", 50)
		berlin := s.zone("Europe/Berlin")
		s.wantRows(poststore.Tally{By: []poststore.Dim{poststore.ByDay}, Zone: berlin}, "2024-10-27 50")
		s.wantHours(berlin, "2024-10-27", 25)
	}},
	{"an hour split by a half-hour clock change begins with the change", func(s *subject) {
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

// addAt appends one post per time.
func (s *subject) addAt(moments ...string) {
	s.Helper()
	var posts []poststore.MatchedPost
	for _, at := range moments {
		posts = append(posts, postAt(at, at))
	}
	s.add(posts...)
}

// addEveryHalfHour appends n posts, half an hour apart.
func (s *subject) addEveryHalfHour(from string, n int) {
	s.Helper()
	var moments []string
	for i := range n {
		moments = append(moments, parseTime(from).Add(time.Duration(i)*30*time.Minute).Format(time.RFC3339))
	}
	s.addAt(moments...)
}

// wantHours checks that the posts of a day, two per hour, are in the given number of rows by hour.
func (s *subject) wantHours(zone *time.Location, day string, want int) {
	s.Helper()
	rows, err := poststore.TallyOne(s.ctx(), s, poststore.Selection{}, poststore.Tally{By: []poststore.Dim{poststore.ByDay, poststore.ByHour}, Zone: zone})
	s.check(err)
	got := 0
	for _, r := range rows {
		if r.Key[0] != day {
			continue
		}
		got++
		if r.Posts != 2 {
			s.Errorf("got row %s, want 2 posts per hour", line(r))
		}
	}
	if got != want {
		s.Errorf("got %d hours on %s, want %d", got, day, want)
	}
}
