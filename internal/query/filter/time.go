package filter

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"earshot"
	"earshot/internal/period"
	"earshot/internal/poststore"
)

// A timeRange is a range of hours as the clocks of a monitor show them. The zone of its times is
// meaningless.
type timeRange struct{ from, to time.Time }

// maxTimeRange is the maximum length of a timeRange, as of an explanation.
const maxTimeRange = 31 * 24 * time.Hour

// parseTimeRange parses a range of hours like 2026-03-10T14:00..2026-03-10T18:00. The end is
// exclusive.
func parseTimeRange(value string) (r timeRange, err error) {
	from, to, _ := strings.Cut(value, "..")
	if r.from, err = parseFullHour(from); err == nil {
		r.to, err = parseFullHour(to)
	}
	if err != nil {
		return r, fmt.Errorf("time '%s' is not a range of hours like 2026-03-10T14:00..2026-03-10T18:00", earshot.Clip(value, 100))
	}
	if length := r.to.Sub(r.from); length <= 0 || length > maxTimeRange {
		return r, fmt.Errorf("time '%s' must span 1 hour to 31 days", earshot.Clip(value, 100))
	}
	return r, nil
}

const hourFormat = "2006-01-02T15:04"

func parseFullHour(text string) (time.Time, error) {
	at, err := time.Parse(hourFormat, strings.TrimSpace(text))
	if err == nil && at.Minute() != 0 {
		err = fmt.Errorf("%s is not a full hour", text)
	}
	return at, err
}

// having returns the condition that a post is from one of the hours of the range in a time zone.
func (r timeRange) having(zone *time.Location) poststore.Having {
	h := poststore.Having{By: poststore.ByHour, Zone: zone}
	in := func(t time.Time) time.Time {
		return time.Date(t.Year(), t.Month(), t.Day(), t.Hour(), 0, 0, 0, zone)
	}
	const step = 30 * time.Minute // clocks may change by half an hour
	for at := in(r.from); at.Before(in(r.to)); at = at.Add(step) {
		h.Keys = append(h.Keys, period.Hour(at).UTC().Format(time.RFC3339))
	}
	h.Keys = slices.Compact(h.Keys)
	return h
}
