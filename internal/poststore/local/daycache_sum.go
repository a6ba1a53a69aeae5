package local

import (
	"context"
	"encoding/binary"
	"errors"
	"slices"
	"time"

	"earshot"
	"earshot/internal/poststore"
	"earshot/internal/poststore/enginekit"
	"earshot/internal/poststore/local/segment"
)

// maxSumDays is the maximum number of days to add up from the day cache. Longer ranges are counted
// directly.
const maxSumDays = 5000

// sumDays computes a tally over complete days of a set by adding up cached counts of each day.
// Unless the tally has a row per day or hour, complete months are cached as single intervals, which
// leaves less to add up. It returns false if the tally cannot be added up or doing so takes too
// much memory.
func (s *Store) sumDays(ctx context.Context, v *view, of *poststore.Selection, t *poststore.Tally) (rows []poststore.Row, ok bool, err error) {
	if of.Set == 0 || of.From.IsZero() || of.To.IsZero() || !of.From.Before(of.To) || !isCompleteSet(*of) || !addsUp(t) {
		return nil, false, nil
	}
	monthly := !byTime(t)
	starts := dayStarts(of, t.Location(), monthly)
	if starts == nil {
		return nil, false, nil
	}
	all := *t
	all.Top, all.TopSum, all.IncludeKeys = 0, 0, nil // a top row need not be at the top on any single day
	q := newDayQuery(poststore.Selection{Set: of.Set, Corrections: of.Corrections}, starts, []poststore.Tally{all}, v.setGenerations)
	if q.shared = false; monthly { // rowSum modifies rows
		q.step = monthStep
	}
	sum := newRowSum(t)
	err = s.countDays(ctx, v, q, func(_ int, rows [][]poststore.Row) error { return sum.add(rows[0]) })
	if errors.Is(err, segment.ErrTooManyGroups) {
		return nil, false, nil // counting everything at once takes less memory or reports the error
	}
	if err != nil {
		return nil, false, err
	}
	return enginekit.Truncate(t, sum.rows), true, nil
}

// addsUp reports whether the rows of single days can be added up. Distinct authors and surnames
// cannot because two days may have the same ones. Counts by set, or limited to some sources, are
// rarely requested twice and are not added up either.
func addsUp(t *poststore.Tally) bool {
	return !slices.Contains(t.By, poststore.BySets) && !slices.Contains(t.By, poststore.ByEthnicity) && len(t.Sources) == 0 &&
		(!slices.Contains(t.Sum, poststore.Authors) || byTime(t))
}

// byTime reports whether a tally has separate rows for each day or hour.
func byTime(t *poststore.Tally) bool {
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

// A rowSum adds up rows with the same key.
type rowSum struct {
	rows  []poststore.Row
	index map[string]int // index in rows by key; nil if keys never repeat across days
	name  []byte
	bytes int64
}

func newRowSum(t *poststore.Tally) *rowSum {
	s := new(rowSum)
	if !slices.Contains(t.By, poststore.ByHour) { // two intervals never share an hour but may share a date
		s.index = map[string]int{}
	}
	if len(t.By) == 0 {
		s.rows = []poststore.Row{{Key: []string{}, Sums: make([]int64, len(t.Sum))}}
		s.index[""] = 0
	}
	return s
}

// rowBytes is the approximate memory that a row takes, excluding its key.
const rowBytes = 120

// add adds the rows of a day, which it may modify. It returns an error if the rows take too much
// memory.
func (s *rowSum) add(rows []poststore.Row) error {
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
			s.bytes += int64(len(key))
		}
		s.rows = append(s.rows, *row)
		if s.bytes += rowBytes; s.bytes > segment.MaxQueryBytes {
			return segment.ErrTooManyGroups
		}
	}
	return nil
}

// key returns the key of a row as one string. Multiple values are prefixed with their lengths
// because they may contain any separator.
func (s *rowSum) key(row *poststore.Row) string {
	if len(row.Key) == 1 {
		return row.Key[0]
	}
	s.name = s.name[:0]
	for _, k := range row.Key {
		s.name = append(binary.AppendUvarint(s.name, uint64(len(k))), k...)
	}
	return string(s.name)
}
