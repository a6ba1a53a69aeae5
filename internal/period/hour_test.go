package period

import (
	"testing"
	"time"

	"earshot"
)

func TestHours(t *testing.T) {
	tests := []struct {
		name, zone string
		day        string
		hours      int
		at         int // index of the step to check
		start, end string
	}{
		{"an ordinary day", "Europe/Berlin", "2024-03-30", 24, 23, "2024-03-30T23:00:00", "2024-03-31T00:00:00"},
		{"clocks go forward", "Europe/Berlin", "2024-03-31", 23, 1, "2024-03-31T01:00:00", "2024-03-31T03:00:00"},
		{"clocks go back", "Europe/Berlin", "2024-10-27", 25, 3, "2024-10-27T02:00:00", "2024-10-27T03:00:00"},
		{"half an hour off", "Asia/Kolkata", "2024-03-31", 24, 0, "2024-03-31T00:00:00", "2024-03-31T01:00:00"},
		{"midnight is skipped", "America/Sao_Paulo", "2018-11-04", 23, 0, "2018-11-04T01:00:00", "2018-11-04T02:00:00"},
		{"midnight occurs twice", "America/Havana", "2023-11-05", 25, 1, "2023-11-05T00:00:00", "2023-11-05T01:00:00"},
		{"a skipped day", "Pacific/Apia", "2011-12-30", 0, -1, "", ""},
		{"clocks go back by half an hour", "Australia/Lord_Howe", "2024-04-07", 25, 2, "2024-04-07T01:30:00", "2024-04-07T02:00:00"},
		{"clocks go forward by half an hour", "Australia/Lord_Howe", "2024-10-06", 24, 2, "2024-10-06T02:30:00", "2024-10-06T03:00:00"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			loc, day := load(t, tt.zone), date(t, tt.day)
			steps, err := Steps(earshot.Days{Start: day, End: day.AddDays(1)}, earshot.Hourly, loc)
			if err != nil {
				t.Fatal(err)
			}
			if len(steps) != tt.hours {
				t.Fatalf("got %d hours, want %d", len(steps), tt.hours)
			}
			checkHours(t, steps, day, loc)
			if tt.at < 0 {
				return
			}
			if got := steps[tt.at].StartDate.String(); got != tt.start {
				t.Errorf("hour %d: got start %s, want %s", tt.at, got, tt.start)
			}
			if got := steps[tt.at].EndDate.String(); got != tt.end {
				t.Errorf("hour %d: got end %s, want %s", tt.at, got, tt.end)
			}
		})
	}
}

// checkHours checks that the hours fill the day without gaps, and that Hour returns the hour that
// contains a given time.
func checkHours(t *testing.T, steps []Step, day earshot.Date, loc *time.Location) {
	t.Helper()
	at := day.Start(loc)
	for _, s := range steps {
		if !s.Start.Equal(at) {
			t.Errorf("got an hour starting at %s, want %s", s.Start, at)
		}
		for _, at := range []time.Time{s.Start, s.Start.Add(s.End.Sub(s.Start) / 2), s.End.Add(-1)} {
			if got := Hour(at); !got.Equal(s.Start) {
				t.Errorf("Hour(%s): got %s, want %s", at, got, s.Start)
			}
		}
		at = s.End
	}
	if want := day.AddDays(1).Start(loc); !at.Equal(want) {
		t.Errorf("the hours end at %s, want %s", at, want)
	}
}

// TestDateStart checks earshot.Date.Start where clocks change at midnight.
func TestDateStart(t *testing.T) {
	tests := []struct{ zone, day, want string }{
		{"UTC", "2024-01-01", "2024-01-01T00:00:00"},
		{"Asia/Kolkata", "2024-01-01", "2023-12-31T18:30:00"},
		{"America/Sao_Paulo", "2018-11-04", "2018-11-04T03:00:00"}, // 00:00 skipped
		{"America/Sao_Paulo", "2018-02-18", "2018-02-18T03:00:00"}, // 23:00 of the previous day occurs twice
		{"America/Havana", "2023-11-05", "2023-11-05T04:00:00"},    // 00:00 occurs twice
		{"America/Havana", "2023-03-12", "2023-03-12T05:00:00"},    // 00:00 skipped
		{"Asia/Beirut", "2022-03-27", "2022-03-26T22:00:00"},       // 00:00 skipped
		{"Africa/Cairo", "2023-04-28", "2023-04-27T22:00:00"},      // 00:00 skipped
		{"Pacific/Apia", "2011-12-29", "2011-12-29T10:00:00"},
		{"Pacific/Apia", "2011-12-30", "2011-12-30T10:00:00"}, // this date was skipped
		{"Pacific/Apia", "2011-12-31", "2011-12-30T10:00:00"},
		{"America/St_Johns", "2010-11-07", "2010-11-07T02:30:00"}, // 00:00 occurs twice, with 23:01 in between
		{"Pacific/Kwajalein", "1993-08-21", "1993-08-21T12:00:00"},
		{"Pacific/Kwajalein", "1993-08-22", "1993-08-21T12:00:00"},
	}
	for _, tt := range tests {
		if got := instant(date(t, tt.day).Start(load(t, tt.zone))); got != tt.want {
			t.Errorf("%s in %s: got %s, want %s", tt.day, tt.zone, got, tt.want)
		}
	}
}

// TestDayStartsIncrease checks that days follow one another in many time zones and years.
func TestDayStartsIncrease(t *testing.T) {
	for _, zone := range []string{"Europe/Berlin", "America/Sao_Paulo", "America/Havana", "Pacific/Apia", "Australia/Lord_Howe", "Asia/Tehran", "America/St_Johns", "Asia/Gaza"} {
		loc := load(t, zone)
		previous := date(t, "1985-01-01").Start(loc)
		for day := date(t, "1985-01-02"); day.Year < 2026; day = day.AddDays(1) {
			start := day.Start(loc)
			if gap := start.Sub(previous); gap != 0 && (gap < 22*time.Hour || gap > 26*time.Hour) {
				t.Errorf("%s: %s starts %s after the previous day", zone, day, gap)
			}
			if got := earshot.DateOf(start); got != day && day != date(t, "2011-12-30") {
				t.Errorf("%s: %s starts on %s", zone, day, got)
			}
			previous = start
		}
	}
}

// TestHoursOfLastDayOfLeapYear covers time zones that follow rules, as all do some decades ahead.
// The standard library returns wrong bounds for them on that day.
func TestHoursOfLastDayOfLeapYear(t *testing.T) {
	for _, name := range []string{"Europe/Berlin", "America/New_York", "Australia/Sydney"} {
		zone, err := time.LoadLocation(name)
		if err != nil {
			t.Fatal(err)
		}
		for _, year := range []int{2028, 2096} {
			day := earshot.Date{Year: year, Month: time.December, Day: 31}
			steps, err := Steps(earshot.Days{Start: day, End: day.AddDays(1)}, earshot.Hourly, zone)
			if err != nil || len(steps) != 24 {
				t.Errorf("%s %s: got %d hours, %v, want 24", name, day, len(steps), err)
			}
			for i, s := range steps {
				if got := Hour(s.Start.Add(59 * time.Minute)); !got.Equal(s.Start) {
					t.Errorf("%s %s, hour %d: got start %s, want %s", name, day, i, got, s.Start)
				}
			}
		}
	}
}
