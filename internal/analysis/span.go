package analysis

import (
	"slices"
	"strings"
	"time"

	"earshot"
)

// longestRange is how much time a request may be about.
const longestRange = 24 * time.Hour

// Times outside these years are mistakes.
const (
	firstYear = 1970
	lastYear  = 2099
)

// hostZones are names that mean something of the server's own, or nothing at all.
var hostZones = []string{"local", "localtime", "posixrules", "factory"}

// rangeOf returns the time that a form is about. There may be none in it: where clocks go
// forward, what they skip has a beginning and an end that are the same moment.
func rangeOf(f Form) (start, end time.Time, err error) {
	zone, err := zoneOf(f.Timezone)
	if err != nil {
		return start, end, err
	}
	first, err := momentOf("startDate", f.StartDate, zone)
	if err != nil {
		return start, end, err
	}
	last, err := momentOf("endDate", f.EndDate, zone)
	if err != nil {
		return start, end, err
	}
	if !first.before(last) {
		return start, end, earshot.InvalidBody("endDate must be after startDate")
	}
	start, end = first.at, last.at
	if end.Sub(start) > longestRange && clock(end).Sub(clock(start)) > longestRange {
		return start, end, earshot.InvalidBody("endDate must be at most 24 hours after startDate")
	}
	return start.UTC(), end.UTC(), nil
}

func zoneOf(name string) (*time.Location, error) {
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

// Spellings of a moment. Go accepts a fraction after the seconds without being told.
var (
	withOffset = []string{"2006-01-02T15:04:05Z07:00", "2006-01-02T15:04:05Z0700"}
	onClock    = []string{"2006-01-02T15:04:05", "2006-01-02 15:04:05", "2006-01-02"}
)

// A moment is a time of a form.
type moment struct {
	at    time.Time
	shown time.Time // what was written, as if it were UTC; zero when it has an offset
}

// before compares what clocks show, and moments as soon as one of them has an offset.
func (m moment) before(o moment) bool {
	if m.shown.IsZero() || o.shown.IsZero() {
		return m.at.Before(o.at)
	}
	return m.shown.Before(o.shown)
}

// momentOf reads a moment. Without an offset it is what the clocks of the zone show.
func momentOf(field, text string, zone *time.Location) (moment, error) {
	text = strings.TrimSpace(text)
	if text == "" {
		return moment{}, earshot.InvalidBody("%s is missing", field)
	}
	m, ok := parseMoment(text, zone)
	if !ok {
		return moment{}, earshot.InvalidBody("%s '%s' is not a time like 2024-01-31T08:30:00", field, clip(text))
	}
	if year := m.at.UTC().Year(); year < firstYear || year > lastYear {
		return moment{}, earshot.InvalidBody("%s '%s' is not between %d and %d", field, clip(text), firstYear, lastYear)
	}
	m.at = m.at.In(zone)
	return m, nil
}

func parseMoment(text string, zone *time.Location) (moment, bool) {
	for _, layout := range withOffset {
		if t, err := time.Parse(layout, text); err == nil {
			return moment{at: t}, true
		}
	}
	for _, layout := range onClock {
		if shown, err := time.Parse(layout, text); err == nil {
			return moment{at: onClockOf(zone, shown), shown: shown}, true
		}
	}
	return moment{}, false
}

// onClockOf returns when the clocks of a zone show a time: the first time where they show it
// twice and, where a clock change skips it, the moment of the change. So what is later on the
// clock is not earlier, and ranges that follow one another neither overlap nor leave a gap.
func onClockOf(zone *time.Location, shown time.Time) time.Time {
	const day = 24 * time.Hour // no clock differs from UTC by more
	before := withOffsetAt(shown.Add(-day).In(zone), shown)
	after := withOffsetAt(shown.Add(day).In(zone), shown)
	for _, at := range []time.Time{before, after} {
		if clock(at).Equal(shown) {
			return at
		}
	}
	change, _ := before.ZoneBounds()
	return change
}

// withOffsetAt returns when the clock shows a time if its offset from UTC is that at t.
func withOffsetAt(t, shown time.Time) time.Time {
	_, offset := t.Zone()
	return shown.Add(-time.Duration(offset) * time.Second).In(t.Location())
}

// clock returns what the clocks of t's zone show, as if that were UTC: a day with a clock
// change has 24 hours on them.
func clock(t time.Time) time.Time {
	_, offset := t.Zone()
	return t.UTC().Add(time.Duration(offset) * time.Second)
}
