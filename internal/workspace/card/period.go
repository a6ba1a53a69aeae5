package card

import (
	"errors"
	"slices"
	"strings"
	"time"

	"earshot"
	"earshot/internal/jsonvalue"
)

// A Period is a range of days: Start and End, or a Range that moves with the calendar.
type Period struct {
	Start earshot.Date
	End   earshot.Date // exclusive
	Range RollingRange
}

// defaultDays is the length of the range if a request has no start.
const defaultDays = 30

// Days fills in defaults: the range ends with the last day that has results and has 30 days.
func (p Period) Days(m *earshot.Monitor, now time.Time) (earshot.Days, error) {
	return p.DaysUntil(m.Results(now).End, earshot.DateOf(now.In(m.Location())))
}

// DaysUntil returns the range. Without an end, it ends before the day end.
func (p Period) DaysUntil(end, today earshot.Date) (earshot.Days, error) {
	days := earshot.Days{Start: p.Start, End: p.End}
	if p.Range != "" {
		if days != (earshot.Days{}) {
			return days, earshot.InvalidParameter("range", string(p.Range), "must be omitted if start or end is set")
		}
		return p.Range.Days(today), nil
	}
	if days.End.IsZero() {
		days.End = end
	}
	if days.Start.IsZero() {
		days.Start = days.End.AddDays(-defaultDays)
	}
	if !p.End.IsZero() && !days.Start.Before(days.End) {
		return days, earshot.InvalidParameter("end", p.End.String(), "a date after start")
	}
	return days, nil
}

// A RollingRange is a range of days relative to the current day. Empty means none.
type RollingRange string

const (
	yesterday   RollingRange = "yesterday"
	last7Days   RollingRange = "last7" // including today, as are the other numbers of days
	last30Days  RollingRange = "last30"
	last90Days  RollingRange = "last90"
	last365Days RollingRange = "last365"
	thisWeek    RollingRange = "thisweek" // weeks start on Monday
	lastWeek    RollingRange = "lastweek"
	thisMonth   RollingRange = "thismonth"
	lastMonth   RollingRange = "lastmonth"
)

var rollingRanges = []RollingRange{yesterday, last7Days, last30Days, last90Days, last365Days, thisWeek, lastWeek, thisMonth, lastMonth}

// UnmarshalText implements [encoding.TextUnmarshaler].
func (r *RollingRange) UnmarshalText(text []byte) error {
	if *r = RollingRange(text); *r == "" || slices.Contains(rollingRanges, *r) {
		return nil
	}
	return errors.New("one of " + strings.Join(jsonvalue.Map(rollingRanges, func(r RollingRange) string { return string(r) }), ", "))
}

// Days returns the days of the range on a day. A week or month that is not over ends with that day.
func (r RollingRange) Days(today earshot.Date) earshot.Days {
	tomorrow := today.AddDays(1)
	monday := today.AddDays(-(int(today.Weekday()) + 6) % 7)
	first := earshot.Date{Year: today.Year, Month: today.Month, Day: 1}
	switch r {
	case yesterday:
		return earshot.Days{Start: today.AddDays(-1), End: today}
	case last7Days:
		return earshot.Days{Start: tomorrow.AddDays(-7), End: tomorrow}
	case last90Days:
		return earshot.Days{Start: tomorrow.AddDays(-90), End: tomorrow}
	case last365Days:
		return earshot.Days{Start: tomorrow.AddDays(-365), End: tomorrow}
	case thisWeek:
		return earshot.Days{Start: monday, End: tomorrow}
	case lastWeek:
		return earshot.Days{Start: monday.AddDays(-7), End: monday}
	case thisMonth:
		return earshot.Days{Start: first, End: tomorrow}
	case lastMonth:
		end := first.AddDays(-1)
		return earshot.Days{Start: earshot.Date{Year: end.Year, Month: end.Month, Day: 1}, End: first}
	}
	return earshot.Days{Start: tomorrow.AddDays(-30), End: tomorrow}
}
