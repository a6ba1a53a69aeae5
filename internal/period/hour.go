package period

import (
	"iter"
	"time"

	"earshot"
)

// hours returns the local hours of days. An hour that a clock change repeats is listed twice; an
// hour that it skips is not listed.
func hours(days earshot.Days, loc *time.Location) (iter.Seq[Step], error) {
	if days.Len() > maxHours/24 {
		return nil, earshot.Errorf(earshot.Invalid, "The selected range has more than %d hours", maxHours)
	}
	return func(yield func(Step) bool) {
		end := days.End.Start(loc)
		for t := days.Start.Start(loc); t.Before(end); {
			next := nextHour(t)
			if !yield(Step{Start: t, End: next, StartDate: earshot.Timestamp(t), EndDate: earshot.Timestamp(next)}) {
				return
			}
			t = next
		}
	}, nil
}

// Hour returns the start of the local hour that contains t, in the location of t. It is the Start
// of one of the steps returned by [Steps].
func Hour(t time.Time) time.Time {
	began := t.Add(-sinceFullHour(t))
	// A clock change by half an hour starts a new hour in the middle.
	if changed, _ := earshot.ZoneBounds(t); !changed.IsZero() && began.Before(changed) {
		return changed.In(t.Location())
	}
	return began
}

// nextHour returns the end of the local hour that contains t.
func nextHour(t time.Time) time.Time {
	next := t.Add(time.Hour - sinceFullHour(t))
	if _, changes := earshot.ZoneBounds(t); !changes.IsZero() && changes.Before(next) {
		return changes.In(t.Location())
	}
	return next
}

func sinceFullHour(t time.Time) time.Duration {
	return time.Duration(t.Minute())*time.Minute + time.Duration(t.Second())*time.Second + time.Duration(t.Nanosecond())
}
