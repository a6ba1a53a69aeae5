package enginekit

import (
	"encoding/binary"
	"slices"
	"time"

	"earshot"
	"earshot/internal/poststore"
)

// maxSumDays is the maximum number of days to add up. Longer ranges are counted directly.
const maxSumDays = 5000

// SumStarts returns the intervals whose counts add up to a tally, as their starts, followed by the end
// of the last one: complete days of a set. Unless the tally has a row per day or hour, a complete
// month is a single interval, which leaves less to add up. It returns nil if the tally does not add
// up.
func SumStarts(of *poststore.Selection, t *poststore.Tally) []time.Time {
	if of.Set == 0 || of.From.IsZero() || of.To.IsZero() || !of.From.Before(of.To) || !IsCompleteSet(*of) || !addsUp(t) {
		return nil
	}
	return dayStarts(of, t.Location(), !ByTime(t))
}

// addsUp reports whether the rows of single days can be added up. Distinct authors and surnames
// cannot because two days may have the same ones. Counts by set, or limited to some sources, are
// rarely requested twice and are not added up either.
func addsUp(t *poststore.Tally) bool {
	return !slices.Contains(t.By, poststore.BySets) && !slices.Contains(t.By, poststore.ByEthnicity) && len(t.Sources) == 0 &&
		(!slices.Contains(t.Sum, poststore.Authors) || ByTime(t))
}

// ByTime reports whether a tally has separate rows for each day or hour.
func ByTime(t *poststore.Tally) bool {
	return slices.Contains(t.By, poststore.ByDay) || slices.Contains(t.By, poststore.ByHour)
}

// dayStarts returns the start of each day or month of a selection, followed by the end of the last
// one. It returns nil if the selection does not consist of complete days in a well-known time zone.
func dayStarts(of *poststore.Selection, zone *time.Location, monthly bool) []time.Time {
	known, err := earshot.Zone(zone.String())
	if err != nil || zone == time.Local || zone.String() == "" {
		return nil
	}
	first, end := earshot.DateOf(of.From.In(known)), earshot.DateOf(of.To.In(known))
	if !first.Start(known).Equal(of.From) || !end.Start(known).Equal(of.To) || first.DaysUntil(end) > maxSumDays {
		return nil
	}
	var starts []time.Time
	for day := first; !end.Before(day); day = nextStart(day, end, monthly) {
		start := day.Start(known)
		if len(starts) == 0 || starts[len(starts)-1].Before(start) { // a time zone may skip a date
			starts = append(starts, start)
		}
	}
	return starts
}

// nextStart returns the next day, or, if monthly and the day starts a month that is complete by
// end, the first day of the next month.
func nextStart(day, end earshot.Date, monthly bool) earshot.Date {
	if monthly && day.Day == 1 {
		next := earshot.Date{Year: day.Year, Month: day.Month, Day: 28}.AddDays(4)
		if next.Day = 1; !end.Before(next) {
			return next
		}
	}
	return day.AddDays(1)
}

// WithAllRows returns a tally without limits of its rows. A top row need not be at the top on any
// single day.
func WithAllRows(t poststore.Tally) poststore.Tally {
	t.Top, t.TopSum, t.IncludeKeys = 0, 0, nil
	return t
}

// A RowSum adds up the rows of a tally over intervals.
type RowSum struct {
	tally *poststore.Tally
	rows  []poststore.Row
	index map[string]int // index in rows by key; nil if keys never repeat across days
	name  []byte
	bytes int64 // memory that may still be used
}

// NewRowSum returns a sum without rows that takes at most about maxBytes of memory.
func NewRowSum(t *poststore.Tally, maxBytes int64) *RowSum {
	s := &RowSum{tally: t, bytes: maxBytes}
	if !slices.Contains(t.By, poststore.ByHour) { // two intervals never share an hour but may share a date
		s.index = map[string]int{}
	}
	if len(t.By) == 0 {
		s.rows = []poststore.Row{{Key: []string{}, Sums: make([]int64, len(t.Sum))}}
		s.index[""] = 0
	}
	return s
}

// RowBytes is the approximate memory that a row takes, excluding its key.
const RowBytes = 120

// Add adds the rows of an interval, which it retains but does not modify. It returns false if the sum
// takes too much memory.
func (s *RowSum) Add(rows []poststore.Row) bool {
	for i := range rows {
		row := &rows[i]
		if s.index != nil {
			key := s.key(row)
			if at, known := s.index[key]; known {
				s.rows[at].Posts += row.Posts
				for k, n := range row.Sums {
					s.rows[at].Sums[k] = poststore.SaturatingAdd(s.rows[at].Sums[k], n)
				}
				continue
			}
			s.index[key] = len(s.rows)
			s.bytes -= int64(len(key))
		}
		added := *row
		added.Sums = slices.Clone(row.Sums)
		s.rows = append(s.rows, added)
		if s.bytes -= RowBytes; s.bytes < 0 {
			return false
		}
	}
	return true
}

// Rows returns the rows of the tally.
func (s *RowSum) Rows() []poststore.Row { return Truncate(s.tally, s.rows) }

// key returns the key of a row as one string. Multiple values are prefixed with their lengths
// because they may contain any separator.
func (s *RowSum) key(row *poststore.Row) string {
	if len(row.Key) == 1 {
		return row.Key[0]
	}
	s.name = s.name[:0]
	for _, k := range row.Key {
		s.name = append(binary.AppendUvarint(s.name, uint64(len(k))), k...)
	}
	return string(s.name)
}
