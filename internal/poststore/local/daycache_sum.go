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

// maxSumDays is how many days are added up from the day cache. A longer query is counted.
const maxSumDays = 5000

// sumDays counts a tally of complete days of a set by adding up the counts of each day. If the
// tally has no rows of its own for each day, complete months are cached as if they were one day:
// that is less to add up. It returns false when the tally cannot be added up, or takes too much
// memory that way.
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
	all.Top, all.TopSum, all.IncludeKeys = 0, 0, nil // a top row may be anywhere in a day
	q := newDayQuery(poststore.Selection{Set: of.Set}, starts, []poststore.Tally{all}, v.setGenerations)
	if q.shared = false; monthly { // sums change rows
		q.step = monthStep
	}
	sum := newRowSum(t)
	err = s.countDays(ctx, v, q, func(_ int, rows [][]poststore.Row) error { return sum.add(rows[0]) })
	if errors.Is(err, segment.ErrTooManyGroups) {
		return nil, false, nil // to count everything at once takes less memory, or says that it is too much
	}
	if err != nil {
		return nil, false, err
	}
	return enginekit.Truncate(t, sum.rows), true, nil
}

// addsUp reports whether the rows of days add up to the rows of all of them. Two days may have
// the same authors, and the same surnames. Counts by sets, or of some sources, are not added up:
// hardly anybody asks for them twice.
func addsUp(t *poststore.Tally) bool {
	return !slices.Contains(t.By, poststore.BySets) && !slices.Contains(t.By, poststore.ByEthnicity) && len(t.Sources) == 0 &&
		(!slices.Contains(t.Sum, poststore.Authors) || byTime(t))
}

// byTime reports whether a tally has rows of its own for each day.
func byTime(t *poststore.Tally) bool {
	return slices.Contains(t.By, poststore.ByDay) || slices.Contains(t.By, poststore.ByHour)
}

// dayStarts returns where the days, or months, begin, and where the last ends. It returns nil
// when the time is not made of complete days of a well-known zone.
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
		if len(starts) == 0 || starts[len(starts)-1].Before(start) { // a zone may skip a day
			starts = append(starts, start)
		}
	}
	return starts
}

// nextStart returns the day after one, or after its month if monthly and the month ends before the
// end.
func nextStart(day, end earshot.Date, monthly bool) earshot.Date {
	if monthly && day.Day == 1 {
		next := earshot.Date{Year: day.Year, Month: day.Month, Day: 28}.AddDays(4)
		if next.Day = 1; !end.Before(next) {
			return next
		}
	}
	return day.AddDays(1)
}

// A rowSum adds up rows that have the same key.
type rowSum struct {
	rows  []poststore.Row
	index map[string]int // by key; nil: no two days have the same
	name  []byte
	bytes int64
}

func newRowSum(t *poststore.Tally) *rowSum {
	s := new(rowSum)
	if !slices.Contains(t.By, poststore.ByHour) { // days share no hour, but may share a date
		s.index = map[string]int{}
	}
	if len(t.By) == 0 {
		s.rows = []poststore.Row{{Key: []string{}, Sums: make([]int64, len(t.Sum))}}
		s.index[""] = 0
	}
	return s
}

// rowBytes is about how much memory a row takes, without its key.
const rowBytes = 120

// add adds the rows of a day, which it may change. It fails when they become too many.
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

// key returns one string for the key of a row. Several values come with their lengths, because
// they may contain any separator.
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
