// Package period divides a range of days into the steps of a volume: hours, days, full weeks or
// full months in a time zone. It accounts for clock changes, so a day may have 23, 24 or 25 hours.
// The steps of a range neither overlap nor leave gaps.
package period

import (
	"iter"
	"slices"
	"time"

	"earshot"
)

// A Step is one unit of a volume.
type Step struct {
	Start, End         time.Time         // time range of the step; End is exclusive
	StartDate, EndDate earshot.Timestamp // the same in local time, as shown in responses
}

// Earlier returns the earlier of two times.
func Earlier(a, b time.Time) time.Time {
	if a.Before(b) {
		return a
	}
	return b
}

// Later returns the later of two times.
func Later(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}

// maxHours limits the size of a response. It covers more than twenty years.
const maxHours = 200_000

// Steps returns the steps of [Each].
func Steps(days earshot.Days, g earshot.Grouping, loc *time.Location) ([]Step, error) {
	steps, err := Each(days, g, loc)
	if err != nil {
		return nil, err
	}
	return slices.Collect(steps), nil
}

// Each returns the steps of a range in chronological order. Weeks begin on Monday. Each omits weeks
// and months that are not completely within the range; if there are no others, it returns an Invalid
// error. An empty range has no hours and no days. The steps are computed while they are read, any
// number of times.
func Each(days earshot.Days, g earshot.Grouping, loc *time.Location) (iter.Seq[Step], error) {
	switch g {
	case earshot.Hourly:
		return hours(days, loc)
	case earshot.Daily:
		return spans(days.Start, days.End, earshot.Date.AddDays, 1, loc), nil
	case earshot.Weekly:
		return weeks(days, loc)
	case earshot.Monthly:
		return months(days, loc)
	}
	return nil, earshot.Errorf(earshot.Invalid, "Unknown grouping '%s'", g)
}

func weeks(days earshot.Days, loc *time.Location) (iter.Seq[Step], error) {
	untilMonday := (int(time.Monday) - int(days.Start.Weekday()) + 7) % 7
	steps := spans(days.Start.AddDays(untilMonday), days.End, earshot.Date.AddDays, 7, loc)
	if isEmpty(steps) {
		return nil, earshot.Errorf(earshot.Invalid, "The selected range contains no full week")
	}
	return steps, nil
}

func months(days earshot.Days, loc *time.Location) (iter.Seq[Step], error) {
	first := days.Start
	if first.Day != 1 {
		first = addMonths(earshot.Date{Year: first.Year, Month: first.Month, Day: 1}, 1)
	}
	steps := spans(first, days.End, addMonths, 1, loc)
	if isEmpty(steps) {
		return nil, earshot.Errorf(earshot.Invalid, "The selected range contains no full month")
	}
	return steps, nil
}

func isEmpty(steps iter.Seq[Step]) bool {
	for range steps {
		return false
	}
	return true
}

// spans returns consecutive steps of n units each that end no later than end.
func spans(first, end earshot.Date, add func(earshot.Date, int) earshot.Date, n int, loc *time.Location) iter.Seq[Step] {
	return func(yield func(Step) bool) {
		start := first
		for next := add(start, n); !end.Before(next); start, next = next, add(next, n) {
			step := Step{
				Start:     start.Start(loc),
				End:       next.Start(loc),
				StartDate: earshot.Midnight(start),
				EndDate:   earshot.Midnight(next),
			}
			if !yield(step) {
				return
			}
		}
	}
}

// addMonths returns the first day of the month n months after d, which must be the first day of a
// month.
func addMonths(d earshot.Date, n int) earshot.Date {
	return earshot.DateOf(time.Date(d.Year, d.Month+time.Month(n), 1, 0, 0, 0, 0, time.UTC))
}
