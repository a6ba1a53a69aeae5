// Package format writes numbers, shares and dates as people read them. The web app has the same formats:
// web/src/lib/format.ts.
package format

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	"earshot"
)

// Number formats 1234567 as 1,234,567.
func Number(n int64) string {
	digits := strconv.FormatInt(n, 10)
	sign := ""
	if n < 0 {
		sign, digits = "-", digits[1:]
	}
	for i := len(digits) - 3; i > 0; i -= 3 {
		digits = digits[:i] + "," + digits[i:]
	}
	return sign + digits
}

// Plural formats 1 as "1 post" and 1234 as "1,234 posts".
func Plural(n int64, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return Number(n) + " " + many
}

// Compact formats 1234567 as 1.2M. It leaves numbers below 10,000 in full.
func Compact(n float64) string {
	if math.Abs(n) < 10_000 {
		return Number(int64(math.Round(n)))
	}
	for _, unit := range []struct {
		size float64
		name string
	}{{1e3, "K"}, {1e6, "M"}, {1e9, "B"}, {1e12, "T"}} {
		if rounded := math.Round(n/unit.size*10) / 10; math.Abs(rounded) < 1000 || unit.name == "T" {
			return strconv.FormatFloat(rounded, 'f', -1, 64) + unit.name
		}
	}
	return ""
}

// Percent formats a share from 0 to 1 as 43%, with one decimal below 10%.
func Percent(share float64) string {
	p := share * 100
	switch {
	case math.IsNaN(p) || math.IsInf(p, 0):
		return "–"
	case p != 0 && math.Abs(p) < 9.95:
		return oneDecimal(p) + "%"
	}
	return Number(int64(math.Floor(p+0.5))) + "%"
}

// PercentInterval formats a share with its confidence interval, such as "32% (28–37%)".
func PercentInterval(share, low, high float64) string {
	return Percent(share) + " (" + strings.TrimSuffix(Percent(low), "%") + "–" + Percent(high) + ")"
}

// oneDecimal formats a number with one decimal. It rounds half up, where Go rounds half to even.
func oneDecimal(x float64) string {
	if quarters := x * 4; quarters == math.Trunc(quarters) {
		x = math.Nextafter(x, math.Inf(1)) // x.25 and x.75 are the only halves that a float can be
	}
	return strconv.FormatFloat(x, 'f', 1, 64)
}

// Change formats the change from before to now as +12%, or as 25× if it is tenfold or more.
func Change(now, before float64) string {
	switch {
	case before == 0 && now == 0:
		return "±0%"
	case before == 0:
		return "new"
	case now >= 10*before && before > 0:
		return Number(int64(math.Round(now/before))) + "×"
	}
	return signedPercent((now - before) / before)
}

// signedPercent formats a relative change, for example 0.123, as +12%.
func signedPercent(change float64) string {
	p := math.Abs(change) * 100
	text := Number(int64(math.Floor(p + 0.5)))
	if p < 10 {
		text = oneDecimal(p)
	}
	switch {
	case text == "0" || text == "0.0":
		return "±0%"
	case change < 0:
		return "−" + text + "%"
	}
	return "+" + text + "%"
}

// MonthDay formats a date as Mar 5, Day as Mar 5, 2026, and LongDay as Thu, Mar 5, 2026.
func MonthDay(d earshot.Date) string { return d.Start(time.UTC).Format("Jan 2") }
func Day(d earshot.Date) string      { return d.Start(time.UTC).Format("Jan 2, 2006") }
func LongDay(d earshot.Date) string  { return d.Start(time.UTC).Format("Mon, Jan 2, 2006") }

// DateTime formats a local time as Mar 5, 2026, 2:03 PM.
func DateTime(t time.Time) string { return t.Format("Jan 2, 2006, 3:04 PM") }

// DateRange formats a range of days as Mar 1 – 31, 2026.
func DateRange(days earshot.Days) string {
	first, last := days.Start, days.End.AddDays(-1)
	switch {
	case first == last:
		return Day(first)
	case first.Year != last.Year:
		return Day(first) + " – " + Day(last)
	case first.Month != last.Month:
		return MonthDay(first) + " – " + Day(last)
	}
	return fmt.Sprintf("%s – %d, %d", MonthDay(first), last.Day, last.Year)
}

// Times formats a ratio as 4.5 or 12: it has a decimal below 10.
func Times(ratio float64) string {
	if ratio >= 9.95 {
		return Number(int64(math.Round(ratio)))
	}
	return strings.TrimSuffix(oneDecimal(ratio), ".0")
}

// Count formats an expected number of posts, which is not an integer.
func Count(n float64) string {
	if n > 0 && n < 0.95 {
		return oneDecimal(max(n, 0.1))
	}
	return Number(int64(math.Floor(n + 0.5)))
}

// ShortDays formats the first and the last day of a range as Nov 11, Nov 11–13 or Oct 30–Nov 2. It
// adds the year if it is not the current one.
func ShortDays(first, last earshot.Date, today earshot.Date) string {
	text := MonthDay(first)
	switch {
	case first.Year != last.Year:
		return Day(first) + "–" + Day(last)
	case first.Month != last.Month:
		text += "–" + MonthDay(last)
	case first != last:
		text += "–" + strconv.Itoa(last.Day)
	}
	if last.Year != today.Year {
		text += fmt.Sprintf(", %d", last.Year)
	}
	return text
}

// Moment formats a local time as Nov 11 at 12 PM. It adds the year if it is not the current one.
func Moment(t time.Time, today earshot.Date) string {
	d := earshot.DateOf(t)
	return ShortDays(d, d, today) + " at " + Clock(t)
}

// Clock formats a local time of day as 12 PM or 12:30 PM.
func Clock(t time.Time) string {
	if t.Minute() == 0 {
		return t.Format("3 PM")
	}
	return t.Format("3:04 PM")
}

// List joins names: a and b; a, b, and c.
func List(names []string) string {
	switch n := len(names); n {
	case 0:
		return ""
	case 1:
		return names[0]
	case 2:
		return names[0] + " and " + names[1]
	default:
		return strings.Join(names[:n-1], ", ") + ", and " + names[n-1]
	}
}
