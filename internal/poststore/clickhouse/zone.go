package clickhouse

import (
	"strconv"
	"strings"
	"time"

	"earshot"
)

// A zoneTable describes a time zone within a range of time, so that SQL can convert times without
// time zone data of its own, which may be of another version. A period is a time without a clock
// change.
type zoneTable struct {
	starts  []int64 // when each period begins, in Unix seconds; noBeginning if it has none
	offsets []int64 // seconds east of UTC in each period
}

const (
	hourSeconds = 60 * 60
	daySeconds  = 24 * hourSeconds

	// noBeginning is earlier than all posts.
	noBeginning = -1 << 60

	// maxPeriods bounds the length of expressions. It suffices for two centuries.
	maxPeriods = 500

	// firstSecond and lastSecond bound the times whose keys have the order of the times: years 0 to
	// 9999. A day is left out on both sides, because the year depends on the zone.
	firstSecond = -62167219200 + daySeconds
	lastSecond  = 253402300799 - daySeconds
)

// newZoneTable returns the table of a zone for times from first to last, in Unix seconds. It returns
// false if there is none, because the range is too long.
func newZoneTable(zone *time.Location, first, last int64) (z zoneTable, ok bool) {
	if first < firstSecond || last > lastSecond {
		return z, false
	}
	for t := time.Unix(first, 0).In(zone); ; {
		// See earshot.ZoneBounds: bounds of times at the end of leap years may be too narrow. Then the
		// next step has the same beginning and is not a new period.
		from, to := earshot.ZoneBounds(t)
		start := int64(noBeginning)
		if !from.IsZero() {
			start = from.Unix()
		}
		if n := len(z.starts); n == 0 || z.starts[n-1] != start {
			_, offset := t.Zone()
			z.starts, z.offsets = append(z.starts, start), append(z.offsets, int64(offset))
		}
		switch {
		case to.IsZero() || to.Unix() > last:
			return z, true
		case len(z.starts) == maxPeriods:
			return z, false
		}
		t = to
	}
}

// byPeriod returns an expression for a value that is the same during a period. The numbers are part of
// the SQL, because there may be hundreds.
func (z *zoneTable) byPeriod(values []int64) string {
	var b strings.Builder
	for i := range values {
		if i+1 < len(values) && values[i+1] != values[i] {
			b.WriteString("sec < " + strconv.FormatInt(z.starts[i+1], 10) + ", " + strconv.FormatInt(values[i], 10) + ", ")
		}
	}
	last := strconv.FormatInt(values[len(values)-1], 10)
	if b.Len() == 0 {
		return last
	}
	return "multiIf(" + b.String() + last + ")"
}

// local returns an expression for the local time of a post, as the Unix seconds at which UTC clocks
// show it.
func (z *zoneTable) local() string { return "(sec + " + z.byPeriod(z.offsets) + ")" }

// day returns an expression for the local day of a post, as a number of days since 1970.
func (z *zoneTable) day() string {
	// A million days make the dividend positive, because intDiv rounds toward 0.
	return "toInt64(intDiv(" + z.local() + " + toInt64(86400000000), 86400) - 1000000)"
}

// hour returns an expression for the beginning of the local hour of a post, in Unix seconds, like
// period.Hour.
func (z *zoneTable) hour() string {
	parts := make([]int64, len(z.offsets)) // of an hour that the zone differs from UTC
	full := true                           // whether clocks change at full hours only
	for i, offset := range z.offsets {
		parts[i] = positiveModulo(offset, hourSeconds)
		full = full && (z.starts[i] == noBeginning || positiveModulo(z.starts[i]+offset, hourSeconds) == 0)
	}
	hour := "toInt64(sec - positiveModulo(sec + " + z.byPeriod(parts) + ", toInt64(3600)))"
	if full {
		return hour
	}
	return "greatest(" + hour + ", toInt64(" + z.byPeriod(z.starts) + "))" // a clock change begins a new hour
}

// clock returns an expression for the local weekday and hour of a post, as hours since the beginning
// of Sunday.
func (z *zoneTable) clock() string {
	// 1970 began on a Thursday, four days after a Sunday.
	return "toInt64(intDiv(positiveModulo(" + z.local() + " + 345600, toInt64(604800)), 3600))"
}

// positiveModulo returns the remainder of a division, which is not negative.
func positiveModulo(n, m int64) int64 { return ((n % m) + m) % m }
