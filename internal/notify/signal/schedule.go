package signal

import (
	"slices"
	"time"

	"earshot"
)

// inHours reports whether a local time is in one of some parts of the week. without is the result if
// there are none.
func inHours(list []earshot.Hours, t time.Time, without bool) bool {
	if len(list) == 0 {
		return without
	}
	return slices.ContainsFunc(list, func(h earshot.Hours) bool { return contains(h, t) })
}

// contains reports whether a local time is in a part of the week. The clock decides, so a part of the
// night may be an hour longer or shorter when clocks change.
func contains(h earshot.Hours, t time.Time) bool {
	clock := earshot.Clock(60*t.Hour() + t.Minute())
	on := func(day time.Weekday) bool { return len(h.Days) == 0 || slices.Contains(h.Days, day) }
	yesterday := (t.Weekday() + 6) % 7
	if h.From < h.To {
		return on(t.Weekday()) && clock >= h.From && clock < h.To
	}
	return on(t.Weekday()) && clock >= h.From || on(yesterday) && clock < h.To
}

// endOfQuiet returns the first minute from now on that is not quiet, or the zero time if that is now,
// or if all of the week is quiet.
func endOfQuiet(list []earshot.Hours, now time.Time) time.Time {
	if !inHours(list, now, false) {
		return time.Time{}
	}
	t := now.Truncate(time.Minute)
	for range 8 * 24 * 60 {
		if t = t.Add(time.Minute); !inHours(list, t, false) {
			return t
		}
	}
	return time.Time{}
}
