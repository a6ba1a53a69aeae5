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

// rangeOf returns the time that a form is about.
func rangeOf(f Form) (start, end time.Time, err error) {
	zone, err := zoneOf(f.Timezone)
	if err != nil {
		return start, end, err
	}
	if start, err = momentOf("startDate", f.StartDate, zone); err != nil {
		return start, end, err
	}
	if end, err = momentOf("endDate", f.EndDate, zone); err != nil {
		return start, end, err
	}
	if !start.Before(end) {
		return start, end, earshot.InvalidBody("endDate must be after startDate")
	}
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

// momentOf reads a moment. Without an offset it is what the clocks of the zone show.
func momentOf(field, text string, zone *time.Location) (time.Time, error) {
	text = strings.TrimSpace(text)
	if text == "" {
		return time.Time{}, earshot.InvalidBody("%s is missing", field)
	}
	t, ok := parseMoment(text, zone)
	if !ok {
		return time.Time{}, earshot.InvalidBody("%s '%s' is not a time like 2024-01-31T08:30:00", field, clip(text))
	}
	if year := t.UTC().Year(); year < firstYear || year > lastYear {
		return time.Time{}, earshot.InvalidBody("%s '%s' is not between %d and %d", field, clip(text), firstYear, lastYear)
	}
	return t.In(zone), nil
}

func parseMoment(text string, zone *time.Location) (time.Time, bool) {
	for _, layout := range withOffset {
		if t, err := time.Parse(layout, text); err == nil {
			return t, true
		}
	}
	for _, layout := range onClock {
		if shown, err := time.Parse(layout, text); err == nil {
			return onClockOf(zone, shown), true
		}
	}
	return time.Time{}, false
}

// onClockOf returns when the clocks of a zone show a time. Midnight is the beginning of the
// day also where a clock change repeats or swallows it.
func onClockOf(zone *time.Location, shown time.Time) time.Time {
	if shown.Equal(shown.Truncate(24 * time.Hour)) {
		return earshot.DateOf(shown).Start(zone)
	}
	year, month, day := shown.Date()
	return time.Date(year, month, day, shown.Hour(), shown.Minute(), shown.Second(), shown.Nanosecond(), zone)
}

// clock returns what the clocks of t's zone show, as if that were UTC: a day with a clock
// change has 24 hours on them.
func clock(t time.Time) time.Time {
	_, offset := t.Zone()
	return t.UTC().Add(time.Duration(offset) * time.Second)
}
