package earshot

import (
	"fmt"
	"strings"
	"time"
)

// A Date is a calendar day, of whatever time zone its owner uses.
type Date struct {
	Year  int
	Month time.Month
	Day   int
}

// DateOf returns the day on which t falls in t's own location.
func DateOf(t time.Time) Date {
	y, m, d := t.Date()
	return Date{y, m, d}
}

// ParseDate reads YYYY-MM-DD. YYYY-MM-DDT00:00:00 is taken too, because
// programs hand resultsStart back as a start.
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

func (d Date) IsZero() bool { return d == Date{} }

// AddDays returns the day n days after d.
func (d Date) AddDays(n int) Date { return DateOf(d.utc().AddDate(0, 0, n)) }

// DaysUntil returns how many days e lies after d.
func (d Date) DaysUntil(e Date) int {
	const day = 24 * 60 * 60
	return int((e.utc().Unix() - d.utc().Unix()) / day) // a Duration ends after 292 years
}

func (d Date) Before(e Date) bool { return d.utc().Before(e.utc()) }

func (d Date) Weekday() time.Weekday { return d.utc().Weekday() }

// Start returns the first instant of the day in loc. Where a clock change swallows
// midnight the day begins later, and where it repeats midnight the first one counts.
func (d Date) Start(loc *time.Location) time.Time {
	t := time.Date(d.Year, d.Month, d.Day, 0, 0, 0, 0, loc)
	if DateOf(t).Before(d) { // midnight does not exist: the day begins where the clock jumped
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

func (d Date) String() string { return fmt.Sprintf("%04d-%02d-%02d", d.Year, d.Month, d.Day) }

// MarshalText and UnmarshalText spell the zero Date as nothing.
func (d Date) MarshalText() ([]byte, error) {
	if d.IsZero() {
		return nil, nil
	}
	return []byte(d.String()), nil
}

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

// Contains reports whether day lies in the range.
func (d Days) Contains(day Date) bool { return !day.Before(d.Start) && day.Before(d.End) }

// A Timestamp prints as the specification wants it: wall-clock time of its
// location, no offset.
type Timestamp time.Time

// Midnight is the beginning of a day as answers print it, also on the few days
// whose clock skips midnight.
func Midnight(d Date) Timestamp { return Timestamp(d.utc()) }

func (t Timestamp) String() string { return string(t.append(nil)) }

func (t Timestamp) MarshalText() ([]byte, error) { return t.AppendText(nil) }

// AppendText implements encoding.TextAppender.
func (t Timestamp) AppendText(b []byte) ([]byte, error) { return t.append(b), nil }

// append is what AppendFormat does, several times as fast: answers have thousands of them.
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

func (t Timestamp) IsZero() bool { return time.Time(t).IsZero() }

// timeLayouts are the spellings of a moment that arrive in bodies. Go accepts a
// fraction after the seconds without being told.
var timeLayouts = []string{
	"2006-01-02T15:04:05Z07:00",
	"2006-01-02T15:04:05Z0700",
	"2006-01-02T15:04:05",
	"2006-01-02 15:04:05",
	"2006-01-02",
}

// ParseTime reads a moment: with or without a fraction, Z or an offset; UTC
// where neither is given.
func ParseTime(s string) (time.Time, error) {
	for _, layout := range timeLayouts {
		if t, err := time.Parse(layout, strings.TrimSpace(s)); err == nil {
			return t.UTC(), nil
		}
	}
	return time.Time{}, fmt.Errorf("a time like 2024-01-31T08:30:00 or 2024-01-31T08:30:00Z")
}
