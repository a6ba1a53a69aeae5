package earshot

import (
	"fmt"
	"strings"
	"time"
)

// A Date is a calendar day. It has no time zone of its own; the owner of the value supplies one.
type Date struct {
	Year  int
	Month time.Month
	Day   int
}

// DateOf returns the calendar day of t in t's own location.
func DateOf(t time.Time) Date {
	y, m, d := t.Date()
	return Date{y, m, d}
}

// ParseDate parses YYYY-MM-DD. It also accepts YYYY-MM-DDT00:00:00, with or without a trailing Z,
// because clients send resultsStart back as start. The error names the expected format, for use
// after "must be" or a colon.
func ParseDate(s string) (Date, error) {
	day, clock, timed := strings.Cut(strings.TrimSpace(s), "T")
	t, err := time.Parse(time.DateOnly, day)
	if err != nil || t.Year() < 1 {
		return Date{}, fmt.Errorf("a date like 2024-01-31")
	}
	if timed {
		if at, err := time.Parse("15:04:05", strings.TrimSuffix(clock, "Z")); err != nil || at.Hour()+at.Minute()+at.Second()+at.Nanosecond() != 0 {
			return Date{}, fmt.Errorf("a date like 2024-01-31, without a time other than midnight")
		}
	}
	return DateOf(t), nil
}

// IsZero reports whether d is the zero Date, which means that no day is set.
func (d Date) IsZero() bool { return d == Date{} }

// AddDays returns the day n days after d.
func (d Date) AddDays(n int) Date { return DateOf(d.utc().AddDate(0, 0, n)) }

// DaysUntil returns the number of days from d to e. It is negative if e is before d.
func (d Date) DaysUntil(e Date) int {
	const day = 24 * 60 * 60
	return int((e.utc().Unix() - d.utc().Unix()) / day) // a Duration overflows after 292 years
}

// Before reports whether d is earlier than e.
func (d Date) Before(e Date) bool { return d.utc().Before(e.utc()) }

// Weekday returns the day of the week of d.
func (d Date) Weekday() time.Weekday { return d.utc().Weekday() }

// Start returns the first instant of the day in loc. If a clock change skips midnight, the day
// starts later; if it repeats midnight, the day starts at the first one.
func (d Date) Start(loc *time.Location) time.Time {
	t := time.Date(d.Year, d.Month, d.Day, 0, 0, 0, 0, loc)
	if DateOf(t).Before(d) { // midnight does not exist, so the day starts at the clock change
		_, t = t.ZoneBounds()
		return t.In(loc)
	}
	for _, back := range []time.Duration{3 * time.Hour, 2 * time.Hour, time.Hour, 30 * time.Minute} {
		if earlier := t.Add(-back); DateOf(earlier) == d {
			return earlier
		}
	}
	return t
}

func (d Date) utc() time.Time { return time.Date(d.Year, d.Month, d.Day, 0, 0, 0, 0, time.UTC) }

// String formats d as YYYY-MM-DD.
func (d Date) String() string { return fmt.Sprintf("%04d-%02d-%02d", d.Year, d.Month, d.Day) }

// MarshalText formats d as YYYY-MM-DD. The zero Date becomes the empty string.
func (d Date) MarshalText() ([]byte, error) {
	if d.IsZero() {
		return nil, nil
	}
	return []byte(d.String()), nil
}

// UnmarshalText is the inverse of [Date.MarshalText] and accepts what [ParseDate] accepts.
func (d *Date) UnmarshalText(b []byte) (err error) {
	if len(b) == 0 {
		*d = Date{}
		return nil
	}
	*d, err = ParseDate(string(b))
	return err
}

// Days is a range of days, End exclusive.
type Days struct{ Start, End Date }

// Len returns the number of days.
func (d Days) Len() int { return d.Start.DaysUntil(d.End) }

// Contains reports whether day is in the range.
func (d Days) Contains(day Date) bool { return !day.Before(d.Start) && day.Before(d.End) }

// A Timestamp prints in the specification's format, for example 2024-01-31T08:30:00: wall-clock
// time in its own location, without an offset.
type Timestamp time.Time

// Midnight returns the timestamp that responses use for the start of a day: 00:00:00, even if a
// clock change skips midnight.
func Midnight(d Date) Timestamp { return Timestamp(d.utc()) }

// String formats t as 2024-01-31T08:30:00.
func (t Timestamp) String() string { return string(t.append(nil)) }

// MarshalText implements [encoding.TextMarshaler].
func (t Timestamp) MarshalText() ([]byte, error) { return t.AppendText(nil) }

// AppendText implements [encoding.TextAppender].
func (t Timestamp) AppendText(b []byte) ([]byte, error) { return t.append(b), nil }

// append gives the same result as AppendFormat but is several times faster, which matters because
// responses contain thousands of timestamps.
func (t Timestamp) append(b []byte) []byte {
	year, month, day := time.Time(t).Date()
	hour, minute, second := time.Time(t).Clock()
	if year < 0 || year > 9999 {
		return time.Time(t).AppendFormat(b, "2006-01-02T15:04:05")
	}
	b = append(b, digits(year/100)...)
	b = append(b, digits(year%100)...)
	b = append(append(b, '-'), digits(int(month))...)
	b = append(append(b, '-'), digits(day)...)
	b = append(append(b, 'T'), digits(hour)...)
	b = append(append(b, ':'), digits(minute)...)
	return append(append(b, ':'), digits(second)...)
}

// digits returns the two digits of a number below 100.
func digits(n int) string { return allDigits[2*n : 2*n+2] }

const allDigits = "00010203040506070809" + "10111213141516171819" + "20212223242526272829" + "30313233343536373839" + "40414243444546474849" +
	"50515253545556575859" + "60616263646566676869" + "70717273747576777879" + "80818283848586878889" + "90919293949596979899"

// IsZero reports whether t is the zero time.
func (t Timestamp) IsZero() bool { return time.Time(t).IsZero() }

// timeLayouts are the time formats that request bodies may use. [time.Parse] accepts fractional
// seconds even though the layouts do not mention them.
var timeLayouts = []string{
	"2006-01-02T15:04:05Z07:00",
	"2006-01-02T15:04:05Z0700",
	"2006-01-02T15:04:05",
	"2006-01-02 15:04:05",
	"2006-01-02",
}

// ParseTime parses a date, or a date and time with optional fractional seconds that may end in Z or
// an offset. Without an offset, the time is UTC. The error names the expected format.
func ParseTime(s string) (time.Time, error) {
	for _, layout := range timeLayouts {
		if t, err := time.Parse(layout, strings.TrimSpace(s)); err == nil {
			return t.UTC(), nil
		}
	}
	return time.Time{}, fmt.Errorf("a time like 2024-01-31T08:30:00 or 2024-01-31T08:30:00Z")
}
