package digest

import (
	"math/bits"
	"slices"
	"strconv"
	"strings"
	"time"

	"earshot"
)

// A cron is a parsed cron expression. Computing its times takes at most a fraction of a millisecond,
// whatever the expression is.
type cron struct {
	minute   int
	hours    uint64 // bit n: hour n
	days     cronField
	months   uint64
	weekdays cronField

	everyDay     bool // the day of the month is * or ?
	everyWeekday bool
	both         bool // a day must match both the day of the month and the weekday, rather than one of them
}

// A cronField is a field that can also contain items that depend on the month.
type cronField struct {
	set     uint64
	last    bool     // L: the last day of the month
	nearest uint64   // 15W: the working day that is nearest to the 15th, in the same month
	lasts   uint64   // 5L: the last Friday of the month
	nth     [6]uint8 // 5#2, as bit 5 of nth[2]: the second Friday of the month
}

// cronRange describes a field of a cron expression.
type cronRange struct {
	name     string
	min, max int
	names    []string // of the numbers from min
	special  string   // letters that items may contain
}

var (
	hourRange    = cronRange{name: "hour", max: 23}
	dayRange     = cronRange{name: "day of the month", min: 1, max: 31, special: "LW"}
	monthRange   = cronRange{name: "month", min: 1, max: 12, names: []string{"JAN", "FEB", "MAR", "APR", "MAY", "JUN", "JUL", "AUG", "SEP", "OCT", "NOV", "DEC"}}
	weekdayRange = cronRange{name: "weekday", max: 7, names: []string{"SUN", "MON", "TUE", "WED", "THU", "FRI", "SAT"}, special: "L#"}
)

const (
	maxCronField = 60 // characters
	maxCronItems = 31 // of a list
)

// parseCron parses the five fields of an expression in capital letters.
func parseCron(fields []string) (c cron, err error) {
	if c.minute, err = strconv.Atoi(fields[0]); err != nil || len(fields[0]) > 2 || c.minute < 0 || c.minute > 59 || strings.Trim(fields[0], "0123456789") != "" {
		return c, earshot.InvalidBody("cron: the minute must be a number from 0 to 59, because a report is sent at most once per hour")
	}
	var hours, months cronField
	for i, r := range []struct {
		cronRange
		to *cronField
	}{{hourRange, &hours}, {dayRange, &c.days}, {monthRange, &months}, {weekdayRange, &c.weekdays}} {
		if *r.to, err = r.parse(fields[i+1]); err != nil {
			return c, err
		}
	}
	c.hours, c.months = hours.set, months.set
	if c.weekdays.set&(1<<7) != 0 { // 7 is Sunday, too
		c.weekdays.set |= 1
	}
	day, weekday := fields[2], fields[4]
	c.everyDay, c.everyWeekday = day == "*" || day == "?", weekday == "*" || weekday == "?"
	c.both = strings.HasPrefix(day, "*") || strings.HasPrefix(weekday, "*")
	return c, nil
}

// parse parses a field: a list of items.
func (r cronRange) parse(field string) (f cronField, err error) {
	if len(field) > maxCronField {
		return f, earshot.InvalidBody("cron: the %s must have at most %d characters", r.name, maxCronField)
	}
	if field == "?" && r.special != "" {
		field = "*"
	}
	items := strings.Split(field, ",")
	if len(items) > maxCronItems {
		return f, earshot.InvalidBody("cron: the %s must have at most %d items", r.name, maxCronItems)
	}
	for _, item := range items {
		if !r.add(&f, item) {
			return f, earshot.InvalidBody("cron: '%s' is not a valid %s; %s", earshot.Clip(item, 20), r.name, r.usage())
		}
	}
	return f, nil
}

// usage says what a field may contain.
func (r cronRange) usage() string {
	text := "use * or numbers from " + strconv.Itoa(r.min) + " to " + strconv.Itoa(r.max)
	if r.names != nil {
		text += " or names such as " + r.names[1]
	}
	text += ", with commas, ranges (a-b) and steps (/n)"
	switch r.special {
	case "LW":
		text += ", L for the last day, or 15W for the working day nearest to the 15th"
	case "L#":
		text += ", 5L for the last Friday, or 5#2 for the second one"
	}
	return text
}

// add adds an item, and reports whether it is valid.
func (r cronRange) add(f *cronField, item string) bool {
	head, ok := strings.CutSuffix(item, "L")
	switch {
	case ok && r.special == "LW":
		f.last = true
		return head == ""
	case ok && r.special == "L#":
		n, ok := r.number(head)
		f.lasts |= 1 << (n % 7)
		return ok
	}
	if head, ok = strings.CutSuffix(item, "W"); ok && r.special == "LW" {
		n, ok := r.number(head)
		f.nearest |= 1 << n
		return ok
	}
	if day, nth, ok := strings.Cut(item, "#"); ok && r.special == "L#" {
		n, ok := r.number(day)
		if len(nth) != 1 || nth[0] < '1' || nth[0] > '5' {
			return false
		}
		f.nth[nth[0]-'0'] |= 1 << (n % 7)
		return ok
	}
	set, ok := r.steps(item)
	f.set |= set
	return ok
}

// steps parses a number, a range or *, with an optional step.
func (r cronRange) steps(item string) (set uint64, ok bool) {
	item, after, stepped := strings.Cut(item, "/")
	step := 1
	if stepped {
		if step, ok = digits(after); !ok || step < 1 || step > r.max {
			return 0, false
		}
	}
	from, to := r.min, r.max
	if r.name == weekdayRange.name {
		to = 6
	}
	if item != "*" {
		first, last, isRange := strings.Cut(item, "-")
		if from, ok = r.number(first); !ok {
			return 0, false
		}
		switch {
		case isRange:
			if to, ok = r.number(last); !ok {
				return 0, false
			}
			if r.name == weekdayRange.name && from == 7 && to != 7 {
				from = 0
			}
		case !stepped:
			to = from
		case r.name == weekdayRange.name && from == 7:
			from = 0
		}
		if from > to {
			return 0, false
		}
	}
	for n := from; n <= to; n += step {
		set |= 1 << n
	}
	return set, true
}

// number parses a number of the range, or a name.
func (r cronRange) number(text string) (n int, ok bool) {
	if i := slices.Index(r.names, text); i >= 0 {
		return r.min + i, true
	}
	n, ok = digits(text)
	if n < r.min || n > r.max {
		return 0, false
	}
	return n, ok
}

// digits parses a number of one or two digits.
func digits(text string) (int, bool) {
	if text == "" || len(text) > 2 || strings.Trim(text, "0123456789") != "" {
		return 0, false
	}
	n, err := strconv.Atoi(text)
	return n, err == nil
}

// maxMonths is how many months are searched: the 29th of February is on a certain weekday at least
// once in 40 years.
const maxMonths = 12*40 + 2

// after returns the first time after wall, a time in UTC, or the zero time if there is none.
func (c *cron) after(wall time.Time) time.Time {
	month := time.Date(wall.Year(), wall.Month(), 1, 0, 0, 0, 0, time.UTC)
	for range maxMonths {
		for days := c.daysOf(month); days != 0; days &= days - 1 {
			day := month.AddDate(0, 0, bits.TrailingZeros64(days)-1)
			for hours := c.hours; hours != 0; hours &= hours - 1 {
				if at := c.at(day, bits.TrailingZeros64(hours)); at.After(wall) {
					return at
				}
			}
		}
		month = month.AddDate(0, 1, 0)
	}
	return time.Time{}
}

// before returns the last time before wall, a time in UTC, or the zero time if there is none.
func (c *cron) before(wall time.Time) time.Time {
	month := time.Date(wall.Year(), wall.Month(), 1, 0, 0, 0, 0, time.UTC)
	for range maxMonths {
		for days := c.daysOf(month); days != 0; {
			n := bits.Len64(days) - 1
			days &^= 1 << n
			for hours := c.hours; hours != 0; {
				hour := bits.Len64(hours) - 1
				hours &^= 1 << hour
				if at := c.at(month.AddDate(0, 0, n-1), hour); at.Before(wall) {
					return at
				}
			}
		}
		month = month.AddDate(0, -1, 0)
	}
	return time.Time{}
}

func (c *cron) at(day time.Time, hour int) time.Time {
	return day.Add(time.Duration(hour)*time.Hour + time.Duration(c.minute)*time.Minute)
}

// daysOf returns the days of a month, given its first, on which the expression has times.
func (c *cron) daysOf(first time.Time) (set uint64) {
	if c.months&(1<<first.Month()) == 0 {
		return 0
	}
	last := first.AddDate(0, 1, -1).Day()
	weekday := func(day int) int { return (int(first.Weekday()) + day - 1) % 7 }
	for day := 1; day <= last; day++ {
		onDay := c.days.set&(1<<day) != 0 || c.days.last && day == last
		w := weekday(day)
		onWeekday := c.weekdays.set&(1<<w) != 0 || c.weekdays.nth[(day-1)/7+1]&(1<<w) != 0 || day > last-7 && c.weekdays.lasts&(1<<w) != 0
		for near := c.days.nearest; near != 0 && !onDay; near &= near - 1 {
			n := bits.TrailingZeros64(near)
			onDay = n <= last && day == workingDay(n, last, weekday)
		}
		matches := onDay || onWeekday
		switch {
		case c.everyWeekday:
			matches = onDay
		case c.everyDay:
			matches = onWeekday
		case c.both:
			matches = onDay && onWeekday
		}
		if matches {
			set |= 1 << day
		}
	}
	return set
}

// workingDay returns the working day that is nearest to a day of a month with last days.
func workingDay(day, last int, weekday func(day int) int) int {
	for _, offset := range []int{0, -1, 1, -2, 2} {
		n := day + offset
		if w := weekday(max(n, 1)); 1 <= n && n <= last && w != int(time.Saturday) && w != int(time.Sunday) {
			return n
		}
	}
	return 0
}
