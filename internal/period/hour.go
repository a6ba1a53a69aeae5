package period

import (
	"time"

	"earshot"
)

// hours returns the hours of the zone's clock between two days. Where a clock
// change repeats an hour both are listed; one that it skips is not.
func hours(days earshot.Days, loc *time.Location) ([]Step, error) {
	if days.Len() > maxHours/24 {
		return nil, earshot.Errorf(earshot.Invalid, "The selected range has more than %d hours", maxHours)
	}
	var steps []Step
	end := days.End.Start(loc)
	for t := days.Start.Start(loc); t.Before(end); {
		next := nextHour(t)
		steps = append(steps, Step{Start: t, End: next, StartDate: earshot.Timestamp(t), EndDate: earshot.Timestamp(next)})
		t = next
	}
	return steps, nil
}

// Hour returns when the hour of the clock began in which t falls, in t's own
// location: the Start of one of the steps that Steps returns.
func Hour(t time.Time) time.Time {
	began := t.Add(-sinceFullHour(t))
	// A change by half an hour begins an hour in its middle.
	if changed, _ := earshot.ZoneBounds(t); !changed.IsZero() && began.Before(changed) {
		return changed.In(t.Location())
	}
	return began
}

// nextHour returns when the hour of the clock ends in which t falls.
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
