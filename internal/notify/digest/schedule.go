package digest

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"earshot"
	"earshot/internal/report/format"
)

// A Schedule is when a report is sent: a cron expression with five fields (minute, hour, day of the
// month, month, weekday) in local time. Every local time counts once: one that a clock change skips is
// moved to the clock change, and one that a clock change repeats means the first.
type Schedule struct {
	Cron string
	cron cron
	zone *time.Location
}

// shortcuts are names of common expressions.
var shortcuts = map[string]string{"@daily": "0 0 * * *", "@weekly": "0 0 * * 1", "@monthly": "0 0 1 * *"}

// ParseSchedule parses a cron expression, or one of @daily, @weekly (on Mondays) and @monthly.
func ParseSchedule(cron, timezone string) (*Schedule, error) {
	if timezone == "" || timezone == "Local" {
		return nil, earshot.InvalidBody("timezone is missing")
	}
	zone, err := earshot.Zone(timezone)
	if err != nil {
		return nil, earshot.InvalidBody("unknown timezone '%s'", earshot.Clip(timezone, 100))
	}
	if len(cron) > 200 {
		return nil, earshot.InvalidBody("cron must have at most 200 characters")
	}
	fields := strings.Fields(strings.ToUpper(cron))
	if full, ok := shortcuts[strings.ToLower(strings.TrimSpace(cron))]; ok {
		fields = strings.Fields(full)
	}
	if len(fields) != 5 {
		return nil, earshot.InvalidBody("cron must have five fields (minute, hour, day of the month, month, weekday), such as 0 8 * * 1 for Mondays at 8:00 AM, or be @daily, @weekly, or @monthly")
	}
	s := &Schedule{Cron: strings.Join(fields, " "), zone: zone}
	if s.cron, err = parseCron(fields); err != nil {
		return nil, err
	}
	if s.Next(time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)).IsZero() {
		return nil, earshot.InvalidBody("cron: '%s' never happens", earshot.Clip(cron, 100))
	}
	return s, nil
}

// Next returns the first time after t, or the zero time if there is none.
func (s *Schedule) Next(t time.Time) time.Time {
	wall := wallOf(t, s.zone)
	for range maxTicks {
		next := s.cron.after(wall)
		if next.IsZero() {
			return time.Time{}
		}
		if at := instant(next, s.zone); at.After(t) {
			return at
		}
		wall = next
	}
	return time.Time{}
}

// Previous returns the last time that is not after t, or the zero time if there is none.
func (s *Schedule) Previous(t time.Time) time.Time {
	// After clocks were turned back, later local times are before t.
	wall := wallOf(t, s.zone).Add(3 * time.Hour)
	for range maxTicks {
		previous := s.cron.before(wall)
		if previous.IsZero() {
			return time.Time{}
		}
		if at := instant(previous, s.zone); !at.After(t) {
			return at
		}
		wall = previous
	}
	return time.Time{}
}

// maxTicks bounds how many local times are tried. A clock that skips a day skips 24 of them.
const maxTicks = 50

// wallOf returns the local time at t, as a time in UTC.
func wallOf(t time.Time, zone *time.Location) time.Time {
	t = t.In(zone)
	year, month, day := t.Date()
	hour, minute, second := t.Clock()
	return time.Date(year, month, day, hour, minute, second, 0, time.UTC)
}

// instant returns when it is a local time in a zone: the first time if there are two, and the clock change
// if there is none.
func instant(wall time.Time, zone *time.Location) time.Time {
	t := time.Date(wall.Year(), wall.Month(), wall.Day(), wall.Hour(), wall.Minute(), 0, 0, zone)
	from, to := earshot.ZoneBounds(t)
	switch shown := wallOf(t, zone); {
	case shown.After(wall):
		return from.In(zone)
	case shown.Before(wall):
		return to.In(zone)
	case from.IsZero():
		return t
	}
	_, before := from.Add(-time.Second).Zone()
	_, offset := t.Zone()
	if earlier := t.Add(time.Duration(offset-before) * time.Second); earlier.Before(from) {
		return earlier
	}
	return t
}

// String returns the schedule in words, for example "Mondays at 8:00 AM, Europe/Berlin".
func (s *Schedule) String() string {
	fields := strings.Fields(s.Cron)
	days, ok1 := daysInWords(fields[2], fields[3], fields[4])
	at, ok2 := timesInWords(fields[0], fields[1])
	if !ok1 || !ok2 {
		return s.Cron + ", " + s.zone.String()
	}
	return days + " " + at + ", " + s.zone.String()
}

func timesInWords(minute, hour string) (string, bool) {
	m, _ := strconv.Atoi(minute)
	if hour == "*" {
		return fmt.Sprintf("at minute %d of every hour", m), true
	}
	hours, ok := numbers(hour)
	if !ok {
		return "", false
	}
	list := make([]string, len(hours))
	for i, h := range hours {
		list[i] = time.Date(0, 1, 1, h, m, 0, 0, time.UTC).Format("3:04 PM")
	}
	return "at " + format.List(list), true
}

func daysInWords(day, month, weekday string) (string, bool) {
	switch {
	case month != "*":
		return "", false
	case day == "*" && weekday == "*":
		return "Every day", true
	case day == "*":
		return weekdaysInWords(weekday)
	case weekday == "*" && day == "L":
		return "On the last day of each month", true
	case weekday == "*":
		list, ok := numbers(day)
		if !ok {
			return "", false
		}
		ordinals := make([]string, len(list))
		for i, n := range list {
			ordinals[i] = ordinal(n)
		}
		return "On the " + format.List(ordinals) + " of each month", true
	}
	return "", false
}

var weekdayNumbers = strings.NewReplacer("SUN", "0", "MON", "1", "TUE", "2", "WED", "3", "THU", "4", "FRI", "5", "SAT", "6")

// weekdaysInWords describes weekdays: one, a list or a range.
func weekdaysInWords(field string) (string, bool) {
	field = weekdayNumbers.Replace(field)
	name := func(n int) string { return time.Weekday(n%7).String() + "s" }
	if from, to, ok := strings.Cut(field, "-"); ok {
		a, err1 := strconv.Atoi(from)
		b, err2 := strconv.Atoi(to)
		if err1 != nil || err2 != nil || b > 7 || a >= b {
			return "", false
		}
		return name(a) + " to " + name(b), true
	}
	list, ok := numbers(field)
	if !ok {
		return "", false
	}
	names := make([]string, len(list))
	for i, n := range list {
		names[i] = name(n)
	}
	return format.List(slices.Compact(names)), true
}

// numbers parses a list like 1,15.
func numbers(field string) ([]int, bool) {
	var list []int
	for part := range strings.SplitSeq(field, ",") {
		n, err := strconv.Atoi(part)
		if err != nil {
			return nil, false
		}
		list = append(list, n)
	}
	slices.Sort(list)
	return slices.Compact(list), true
}

func ordinal(n int) string {
	suffix := "th"
	if n/10%10 != 1 {
		switch n % 10 {
		case 1:
			suffix = "st"
		case 2:
			suffix = "nd"
		case 3:
			suffix = "rd"
		}
	}
	return strconv.Itoa(n) + suffix
}
