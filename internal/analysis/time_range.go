package analysis

import (
	"slices"
	"strings"
	"time"

	"earshot"
)

// maxRange is the maximum time range of a request.
const maxRange = 24 * time.Hour

// Times outside these years are treated as mistakes.
const (
	minYear = 1970
	maxYear = 2099
)

// hostZones are names of time zones that depend on the server or have no meaning.
var hostZones = []string{"local", "localtime", "posixrules", "factory"}

// parseRange returns the time range of a form. The range may be empty: when clocks go forward, the
// skipped hour starts and ends at the same instant.
func parseRange(f Form) (start, end time.Time, err error) {
	zone, err := parseZone(f.Timezone)
	if err != nil {
		return start, end, err
	}
	first, err := parseFormTime("startDate", f.StartDate, zone)
	if err != nil {
		return start, end, err
	}
	last, err := parseFormTime("endDate", f.EndDate, zone)
	if err != nil {
		return start, end, err
	}
	if !first.before(last) {
		return start, end, earshot.InvalidBody("endDate must be after startDate")
	}
	start, end = first.instant, last.instant
	if end.Sub(start) > maxRange && wallClock(end).Sub(wallClock(start)) > maxRange {
		return start, end, earshot.InvalidBody("endDate must be at most 24 hours after startDate")
	}
	return start.UTC(), end.UTC(), nil
}

func parseZone(name string) (*time.Location, error) {
	name = strings.TrimSpace(name)
	if name == "" {
		return nil, earshot.InvalidBody("timezone is missing")
	}
	zone, err := earshot.Zone(name)
	if err != nil || slices.Contains(hostZones, strings.ToLower(name)) {
		return nil, earshot.InvalidBody("timezone '%s' is not a time zone; use a name like UTC or America/New_York", clip(name))
	}
	return zone, nil
}

// Layouts of a time. Go accepts fractional seconds in any of them.
var (
	offsetLayouts = []string{"2006-01-02T15:04:05Z07:00", "2006-01-02T15:04:05Z0700"}
	localLayouts  = []string{"2006-01-02T15:04:05", "2006-01-02 15:04:05", "2006-01-02"}
)

// A formTime is a time in a form.
type formTime struct {
	instant   time.Time
	wallClock time.Time // as written, as if it were UTC; zero if the time has an offset
}

// before compares wall-clock times, or instants if either time has an offset.
func (m formTime) before(o formTime) bool {
	if m.wallClock.IsZero() || o.wallClock.IsZero() {
		return m.instant.Before(o.instant)
	}
	return m.wallClock.Before(o.wallClock)
}

// parseFormTime parses a time. A time without an offset is a wall-clock time in the zone.
func parseFormTime(field, text string, zone *time.Location) (formTime, error) {
	text = strings.TrimSpace(text)
	if text == "" {
		return formTime{}, earshot.InvalidBody("%s is missing", field)
	}
	m, ok := parseTime(text, zone)
	if !ok {
		return formTime{}, earshot.InvalidBody("%s '%s' is not a time like 2024-01-31T08:30:00", field, clip(text))
	}
	if year := m.instant.UTC().Year(); year < minYear || year > maxYear {
		return formTime{}, earshot.InvalidBody("%s '%s' is not between %d and %d", field, clip(text), minYear, maxYear)
	}
	m.instant = m.instant.In(zone)
	return m, nil
}

func parseTime(text string, zone *time.Location) (formTime, bool) {
	for _, layout := range offsetLayouts {
		if t, err := time.Parse(layout, text); err == nil {
			return formTime{instant: t}, true
		}
	}
	for _, layout := range localLayouts {
		if shown, err := time.Parse(layout, text); err == nil {
			return formTime{instant: localTime(zone, shown), wallClock: shown}, true
		}
	}
	return formTime{}, false
}

// localTime returns the instant of a wall-clock time in a zone. If the time occurs twice, it
// returns the first instant. If it is skipped, it returns the instant of the clock change. A later
// wall-clock time is therefore never an earlier instant, and consecutive ranges neither overlap nor
// leave a gap.
func localTime(zone *time.Location, shown time.Time) time.Time {
	const day = 24 * time.Hour // the maximum difference of any zone from UTC
	before := atOffsetOf(shown.Add(-day).In(zone), shown)
	after := atOffsetOf(shown.Add(day).In(zone), shown)
	for _, at := range []time.Time{before, after} {
		if wallClock(at).Equal(shown) {
			return at
		}
	}
	change, _ := before.ZoneBounds()
	return change
}

// atOffsetOf returns the instant of a wall-clock time at the UTC offset of t.
func atOffsetOf(t, shown time.Time) time.Time {
	_, offset := t.Zone()
	return shown.Add(-time.Duration(offset) * time.Second).In(t.Location())
}

// wallClock returns the wall-clock time of t in its zone, as if it were UTC. In this
// representation, a day with a clock change has 24 hours.
func wallClock(t time.Time) time.Time {
	_, offset := t.Zone()
	return t.UTC().Add(time.Duration(offset) * time.Second)
}
