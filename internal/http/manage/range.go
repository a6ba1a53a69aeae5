package manage

import (
	"errors"
	"slices"
	"strings"
	"time"

	"earshot"
	"earshot/internal/http/rest"
	"earshot/internal/jsonvalue"
)

// dayParams are a range of days: Start and End, or a Range that moves with the calendar.
type dayParams struct {
	Start earshot.Date `query:"start"`
	End   earshot.Date `query:"end"` // exclusive
	Range rollingRange `query:"range"`
}

// defaultDays is the length of the range if a request has no start.
const defaultDays = 30

// days fills in defaults: the range ends with the last day that has results and has 30 days.
func (p dayParams) days(m *earshot.Monitor, now time.Time) (earshot.Days, error) {
	return p.daysUntil(m.Results(now).End, earshot.DateOf(now.In(m.Location())))
}

// daysUntil returns the range. Without an end, it ends before the day end.
func (p dayParams) daysUntil(end, today earshot.Date) (earshot.Days, error) {
	days := earshot.Days{Start: p.Start, End: p.End}
	if p.Range != "" {
		if days != (earshot.Days{}) {
			return days, earshot.InvalidParameter("range", string(p.Range), "must be omitted if start or end is set")
		}
		return p.Range.days(today), nil
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

// ResponseMemory implements [rest.Weighted].
func (p dayParams) ResponseMemory() int64 {
	if p.Range != "" {
		return rest.DayMemory(p.Range.days(earshot.DateOf(time.Now())).Len())
	}
	if p.Start.IsZero() {
		return 0
	}
	end := p.End
	if end.IsZero() { // the last day with results
		end = earshot.DateOf(time.Now())
	}
	return rest.DayMemory(p.Start.DaysUntil(end))
}

// A rollingRange is a range of days relative to the current day. Empty means none.
type rollingRange string

const (
	yesterday   rollingRange = "yesterday"
	last7Days   rollingRange = "last7" // including today, as are the other numbers of days
	last30Days  rollingRange = "last30"
	last90Days  rollingRange = "last90"
	last365Days rollingRange = "last365"
	thisWeek    rollingRange = "thisweek" // weeks start on Monday
	lastWeek    rollingRange = "lastweek"
	thisMonth   rollingRange = "thismonth"
	lastMonth   rollingRange = "lastmonth"
)

var rollingRanges = []rollingRange{yesterday, last7Days, last30Days, last90Days, last365Days, thisWeek, lastWeek, thisMonth, lastMonth}

// UnmarshalText implements [encoding.TextUnmarshaler].
func (r *rollingRange) UnmarshalText(text []byte) error {
	if *r = rollingRange(text); *r == "" || slices.Contains(rollingRanges, *r) {
		return nil
	}
	return errors.New("one of " + strings.Join(jsonvalue.Map(rollingRanges, func(r rollingRange) string { return string(r) }), ", "))
}

// days returns the days of the range on a day. A week or month that is not over ends with that day.
func (r rollingRange) days(today earshot.Date) earshot.Days {
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
