package digest

import (
	"strings"
	"testing"
	"time"

	"earshot"
)

func TestParseSchedule(t *testing.T) {
	f := func(cron, zone, want string) {
		t.Helper()
		s, err := ParseSchedule(cron, zone)
		got := ""
		if err != nil {
			got = strings.TrimPrefix(err.Error(), "Invalid request body: ")
		} else {
			got = s.String()
		}
		if got != want {
			t.Errorf("%q in %s: got %q, want %q", cron, zone, got, want)
		}
	}
	f("0 8 * * 1", "Europe/Berlin", "Mondays at 8:00 AM, Europe/Berlin")
	f(" 5  8,16 * *  MON-fri ", "UTC", "Mondays to Fridays at 8:05 AM and 4:05 PM, UTC")
	f("0 8 * * 1,4,3", "UTC", "Mondays, Wednesdays, and Thursdays at 8:00 AM, UTC")
	f("0 8 * * 0,7", "UTC", "Sundays at 8:00 AM, UTC")
	f("30 6 * * *", "Asia/Kolkata", "Every day at 6:30 AM, Asia/Kolkata")
	f("0 9 1 * *", "UTC", "On the 1st of each month at 9:00 AM, UTC")
	f("0 9 2,13,23 * *", "UTC", "On the 2nd, 13th, and 23rd of each month at 9:00 AM, UTC")
	f("0 9 L * *", "UTC", "On the last day of each month at 9:00 AM, UTC")
	f("15 * * * *", "UTC", "Every day at minute 15 of every hour, UTC")
	f("@daily", "UTC", "Every day at 12:00 AM, UTC")
	f("@Weekly", "UTC", "Mondays at 12:00 AM, UTC")
	f("@monthly", "UTC", "On the 1st of each month at 12:00 AM, UTC")
	f("0 8 1 */3 *", "UTC", "0 8 1 */3 *, UTC")

	const fields = "cron must have five fields (minute, hour, day of the month, month, weekday), such as 0 8 * * 1 for Mondays at 8:00 AM, or be @daily, @weekly, or @monthly"
	const minute = "cron: the minute must be a number from 0 to 59, because a report is sent at most once per hour"
	f("", "UTC", fields)
	f("0 0 8 * * 1", "UTC", fields)
	f("0 8 * * 1 2026", "UTC", fields)
	f("@hourly", "UTC", fields)
	f("@everysecond", "UTC", fields)
	f("* 8 * * *", "UTC", minute)
	f("*/5 8 * * *", "UTC", minute)
	f("0,30 8 * * *", "UTC", minute)
	f("60 8 * * *", "UTC", minute)
	f("+5 8 * * *", "UTC", minute)
	f("005 8 * * *", "UTC", minute)
	const hour = " is not a valid hour; use * or numbers from 0 to 23, with commas, ranges (a-b) and steps (/n)"
	f("0 25 * * *", "UTC", "cron: '25'"+hour)
	f("0 8,,9 * * *", "UTC", "cron: ''"+hour)
	f("0 9-8 * * *", "UTC", "cron: '9-8'"+hour)
	f("0 */0 * * *", "UTC", "cron: '*/0'"+hour)
	f("0 */24 * * *", "UTC", "cron: '*/24'"+hour)
	f("0 8/2/2 * * *", "UTC", "cron: '8/2/2'"+hour)
	f("0 8L * * *", "UTC", "cron: '8L'"+hour)
	f("0 ? * * *", "UTC", "cron: '?'"+hour)
	f("0 MON * * *", "UTC", "cron: 'MON'"+hour)
	const day = " is not a valid day of the month; use * or numbers from 1 to 31, with commas, ranges (a-b) and steps (/n), L for the last day, or 15W for the working day nearest to the 15th"
	f("0 8 0 * *", "UTC", "cron: '0'"+day)
	f("0 8 32W * *", "UTC", "cron: '32W'"+day)
	f("0 8 LW * *", "UTC", "cron: 'LW'"+day)
	f("0 8 3L * *", "UTC", "cron: '3L'"+day)
	f("0 8 * 13 *", "UTC", "cron: '13' is not a valid month; use * or numbers from 1 to 12 or names such as FEB, with commas, ranges (a-b) and steps (/n)")
	const weekday = " is not a valid weekday; use * or numbers from 0 to 7 or names such as MON, with commas, ranges (a-b) and steps (/n), 5L for the last Friday, or 5#2 for the second one"
	f("0 8 * * x", "UTC", "cron: 'X'"+weekday)
	f("0 8 * * 9#5", "UTC", "cron: '9#5'"+weekday)
	f("0 8 * * 1#6", "UTC", "cron: '1#6'"+weekday)
	f("0 8 * * 1#", "UTC", "cron: '1#'"+weekday)
	f("0 8 * * L", "UTC", "cron: 'L'"+weekday)
	f("0 8 30 2 *", "UTC", "cron: '0 8 30 2 *' never happens")
	f("0 8 31W feb *", "UTC", "cron: '0 8 31W feb *' never happens")
	f("0 8 31 4,6,9,11 *", "UTC", "cron: '0 8 31 4,6,9,11 *' never happens")
	f("0 8 "+strings.Repeat("1,", 30)+"1 * *", "UTC", "cron: the day of the month must have at most 60 characters")
	f("0 "+strings.Repeat(",", 40)+" * * *", "UTC", "cron: the hour must have at most 31 items")
	f("0 8"+strings.Repeat(" ", 300)+"* * *", "UTC", "cron must have at most 200 characters")
	f("0 8 * * *", "Mars/Olympus", "unknown timezone 'Mars/Olympus'")
	f("0 8 * * *", "Local", "timezone is missing")
}

func TestCron(t *testing.T) {
	f := func(cron string, want ...string) {
		t.Helper()
		s, err := ParseSchedule(cron, "UTC")
		if err != nil {
			t.Errorf("%s: %v", cron, err)
			return
		}
		at, list := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC), make([]time.Time, 0, len(want))
		for i, w := range want {
			at = s.Next(at)
			list = append(list, at)
			if got := at.Format("2006-01-02 15:04 Mon"); got != w {
				t.Errorf("%s: got %s as time %d, want %s", cron, got, i+1, w)
			}
		}
		for i := len(list) - 1; i > 0; i-- {
			if got := s.Previous(list[i].Add(-time.Second)); !got.Equal(list[i-1]) {
				t.Errorf("%s: got %v before %v, want %v", cron, got, list[i], list[i-1])
			}
		}
	}
	f("0 8 L * *", "2026-01-31 08:00 Sat", "2026-02-28 08:00 Sat", "2026-03-31 08:00 Tue")
	f("0 8 1W,31W * *", "2026-01-01 08:00 Thu", "2026-01-30 08:00 Fri", "2026-02-02 08:00 Mon", "2026-03-02 08:00 Mon", "2026-03-31 08:00 Tue")
	f("0 8 * * FRIL", "2026-01-30 08:00 Fri", "2026-02-27 08:00 Fri")
	f("0 8 * * 7#1,MON#5", "2026-01-04 08:00 Sun", "2026-02-01 08:00 Sun", "2026-03-01 08:00 Sun", "2026-03-30 08:00 Mon")
	f("0 8 * 2 1#5", "2044-02-29 08:00 Mon", "2072-02-29 08:00 Mon")
	f("0 8 29 2 ?", "2028-02-29 08:00 Tue", "2032-02-29 08:00 Sun")
	f("0 8 13 * 5", "2026-01-02 08:00 Fri", "2026-01-09 08:00 Fri", "2026-01-13 08:00 Tue") // one of them
	f("0 8 */12 * 5", "2026-02-13 08:00 Fri", "2026-03-13 08:00 Fri")                       // both
	f("0 8 * * 5-7", "2026-01-02 08:00 Fri", "2026-01-03 08:00 Sat", "2026-01-04 08:00 Sun", "2026-01-09 08:00 Fri")
	f("0 8 * * 7-1", "2026-01-04 08:00 Sun", "2026-01-05 08:00 Mon", "2026-01-11 08:00 Sun")
	f("0 8 * * 4/2", "2026-01-01 08:00 Thu", "2026-01-03 08:00 Sat", "2026-01-08 08:00 Thu")
	f("5 20/2 30 jan-mar/2 *", "2026-01-30 20:05 Fri", "2026-01-30 22:05 Fri", "2026-03-30 20:05 Mon")
}

// An expression is checked and its times are computed at once, however rare they are.
func TestCostOfCron(t *testing.T) {
	start := time.Now()
	for range 100 {
		for _, cron := range []string{
			"0 0 * 2 9#5" + strings.Repeat(",9#5", 13), "0 0 * 2 1#5" + strings.Repeat(",1#5", 13), "0 0 31W" + strings.Repeat(",31W", 13) + " 2 *",
			"0 0 29W,30W,31W 2 1#5", "0 0 31 2 *", "0 0 */31 2 */7",
		} {
			if s, err := ParseSchedule(cron, "America/Sao_Paulo"); err == nil {
				s.Previous(s.Next(start))
			}
		}
	}
	if took := time.Since(start); took > 10*time.Second {
		t.Errorf("took %v", took)
	}
}

func FuzzParseSchedule(f *testing.F) {
	for _, cron := range []string{"0 8 * * 1", "30 2 L,15W */2 MON-FRI/2", "0 0 29 2 1#5,5L", "@weekly", "0 0 ? JAN ?", "59 23 31 * 7"} {
		f.Add(cron, int64(1772366400))
	}
	f.Fuzz(func(t *testing.T, cron string, unix int64) {
		s, err := ParseSchedule(cron, "Europe/Berlin")
		if err != nil {
			return
		}
		if again, err := ParseSchedule(s.Cron, "Europe/Berlin"); err != nil || again.Cron != s.Cron {
			t.Fatalf("%q became %q, which is %v, %v", cron, s.Cron, again, err)
		}
		from := time.Unix(unix%(1<<32), 0)
		next := s.Next(from)
		if !next.After(from) || next.Sub(from) > 41*366*24*time.Hour {
			t.Fatalf("%q: the time after %v is %v", cron, from, next)
		}
		if got := s.Previous(next); !got.Equal(next) {
			t.Fatalf("%q: the time until %v is %v", cron, next, got)
		}
		if got := s.Previous(next.Add(-time.Second)); got.After(from) {
			t.Fatalf("%q: %v is between %v and %v", cron, got, from, next)
		}
		_ = s.String()
	})
}

// A year in zones with clock changes: every time on the wall counts once. The reference walks through
// the minutes of the year and looks at the clock.
func TestClockChanges(t *testing.T) {
	for _, zone := range []string{"UTC", "Europe/Berlin", "America/New_York", "Australia/Lord_Howe", "America/Sao_Paulo", "Asia/Kathmandu"} {
		for _, cron := range []string{"30 2 * * *", "0 2 * * *", "15 0 * * *", "45 1 * * *", "0 3 * * 0", "0 * * * *", "59 23 31 * *", "0 8 * * 1-5", "30 1 29 2 *"} {
			if cron == "0 * * * *" && zone != "Europe/Berlin" && zone != "Australia/Lord_Howe" {
				continue // takes long
			}
			year := 2026
			if zone == "America/Sao_Paulo" {
				year = 2018 // the last year with changes, at midnight
			}
			t.Run(zone+" "+cron, func(t *testing.T) { checkYear(t, zone, cron, year) })
		}
	}
}

func checkYear(t *testing.T, zone, cron string, year int) {
	s, err := ParseSchedule(cron, zone)
	if err != nil {
		t.Fatal(err)
	}
	loc, _ := earshot.Zone(zone)
	start, end := time.Date(year, 1, 1, 0, 0, 0, 0, loc), time.Date(year+1, 1, 1, 0, 0, 0, 0, loc)
	want := reference(t, cron, start, end)
	var got []time.Time
	for at := s.Next(start.Add(-time.Second)); !at.IsZero() && at.Before(end); at = s.Next(at) {
		got = append(got, at)
		if n := len(got); n > 366 && n%25 > 0 {
			continue
		}
		if p := s.Previous(at); !p.Equal(at) {
			t.Errorf("the time until %v is %v", at, p)
		}
		if p := s.Previous(at.Add(time.Minute)); !p.Equal(at) {
			t.Errorf("the time until a minute after %v is %v", at, p)
		}
	}
	for i := range max(len(got), len(want)) {
		if i >= len(got) || i >= len(want) || !got[i].Equal(want[i]) {
			t.Fatalf("got %d times, want %d; they differ at %d: got %v, want %v", len(got), len(want), i, at(got, i), at(want, i))
		}
	}
	for i := 1; i < len(got); i++ {
		if len(got) > 366 && got[i].Sub(got[i-1]) == time.Hour && i%25 > 0 {
			continue // far from clock changes, some are enough
		}
		if p := s.Previous(got[i].Add(-time.Second)); !p.Equal(got[i-1]) {
			t.Errorf("the time before %v is %v, want %v", got[i], p, got[i-1])
		}
	}
}

func at(list []time.Time, i int) any {
	if i < len(list) {
		return list[i]
	}
	return "none"
}

// reference returns the times of a simple cron expression: for each time on the wall, the first
// minute at which the clock shows it or has moved past it.
func reference(t *testing.T, cron string, start, end time.Time) (list []time.Time) {
	t.Helper()
	fields := strings.Fields(cron)
	is := func(field string, n int) bool {
		from, to, ok := strings.Cut(field, "-")
		if !ok {
			to = from
		}
		return field == "*" || number(t, from) <= n && n <= number(t, to)
	}
	due := func(w time.Time) bool {
		return is(fields[0], w.Minute()) && is(fields[1], w.Hour()) && is(fields[2], w.Day()) && is(fields[3], int(w.Month())) && is(fields[4], int(w.Weekday()))
	}
	shown := wallOf(start, start.Location()).Add(-time.Minute) // the latest time that the clock has shown
	for at := start; at.Before(end); at = at.Add(time.Minute) {
		now, found := wallOf(at, start.Location()), false
		for w := shown.Add(time.Minute); !w.After(now); w = w.Add(time.Minute) {
			found = found || due(w)
			shown = w
		}
		if found {
			list = append(list, at)
		}
	}
	return list
}

func number(t *testing.T, text string) (n int) {
	for _, c := range text {
		if c < '0' || c > '9' {
			t.Fatalf("%q is not a number", text)
		}
		n = 10*n + int(c-'0')
	}
	return n
}
