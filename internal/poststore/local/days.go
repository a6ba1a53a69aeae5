package local

import (
	"context"
	"slices"
	"time"

	"github.com/RoaringBitmap/roaring/v2"
	"github.com/cockroachdb/pebble/v2"

	"earshot"
	"earshot/internal/poststore"
	"earshot/internal/poststore/enginekit"
	"earshot/internal/poststore/local/segment"
)

// Day results: what a tally of a monitor says of one day is kept, together with a
// fingerprint of the very posts it was counted from. Asked again, the fingerprint is
// computed anew, which is far less work than counting, and when it is the same, so are
// the posts, and so is the result. Nothing has to be told when posts come, go or change,
// and a result can not be out of date.

// mostDays is how many days day results are used for. A longer question is counted.
const mostDays = 5000

// A calendar is a question about whole days of a monitor. Tallies by day or hour are kept by
// day. Of the others, which have the same keys every day, whole months are kept as if they
// were one day: that is less to add up.
type calendar struct {
	monitor poststore.SetID
	zone    string
	monthly bool
	starts  []time.Time // of the days, and the end of the last
	tallies []poststore.Tally
	places  []int // of the tallies among those that were asked
}

func (c *calendar) days() int { return len(c.starts) - 1 }

// newCalendar returns what can be answered by results of days, or of months: tallies of
// whole days of a monitor, in the zone of the first of them. It returns nil when there are
// none.
func newCalendar(of *poststore.Selection, ts []poststore.Tally, monthly bool) *calendar {
	if of.Set == 0 || of.From.IsZero() || of.To.IsZero() || !of.From.Before(of.To) ||
		!ofMonitorAlone(*of) {
		return nil
	}
	c := &calendar{monitor: of.Set, monthly: monthly}
	for i := range ts {
		zone := ts[i].Location()
		if monthly == byTime(&ts[i]) || !addsUp(&ts[i]) || c.zone != "" && c.zone != zone.String() {
			continue
		}
		if c.zone == "" {
			if c.starts = dayStarts(of, zone, monthly); c.starts == nil {
				return nil
			}
			c.zone = zone.String()
		}
		c.tallies, c.places = append(c.tallies, ts[i]), append(c.places, i)
	}
	if len(c.tallies) == 0 {
		return nil
	}
	return c
}

// addsUp reports whether the rows of days make up the rows of all of them. The authors
// of two days may be the same, and so may surnames. What is by sets is not kept: posts may be
// sorted otherwise and be the same. Nor is what is of some sources: nobody asks for it twice.
func addsUp(t *poststore.Tally) bool {
	return !slices.Contains(t.By, poststore.BySets) && !slices.Contains(t.By, poststore.ByEthnicity) && len(t.Sources) == 0 &&
		(!slices.Contains(t.Sum, poststore.Authors) || byTime(t))
}

// byTime reports whether a tally has rows of its own for each day.
func byTime(t *poststore.Tally) bool {
	return slices.Contains(t.By, poststore.ByDay) || slices.Contains(t.By, poststore.ByHour)
}

// dayStarts returns where the days begin, and where the last ends. It returns nil when
// the time is not whole days of a zone that everybody knows by its name.
func dayStarts(of *poststore.Selection, zone *time.Location, monthly bool) []time.Time {
	known, err := earshot.Zone(zone.String())
	if err != nil || zone == time.Local || zone.String() == "" {
		return nil
	}
	first, end := earshot.DateOf(of.From.In(known)), earshot.DateOf(of.To.In(known))
	if !first.Start(known).Equal(of.From) || !end.Start(known).Equal(of.To) || first.DaysUntil(end) > mostDays {
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

// nextStart returns the day after one, or after its month when that is wanted and all of
// it is before the end.
func nextStart(day, end earshot.Date, monthly bool) earshot.Date {
	if monthly && day.Day == 1 {
		next := earshot.Date{Year: day.Year, Month: day.Month, Day: 28}.AddDays(4)
		if next.Day = 1; !end.Before(next) {
			return next
		}
	}
	return day.AddDays(1)
}

// How many days, or months, are worked on at a time, so that what is counted of many is not
// in memory all at once.
const (
	stretchDays   = 32
	stretchMonths = 4
)

// countDays answers the tallies of a calendar, in their order. The error wraps
// segment.ErrTooManyGroups when the sums of all days do not fit into memory.
func (s *Store) countDays(ctx context.Context, v *view, c *calendar) ([][]poststore.Row, error) {
	prints, settled, err := s.dayPrints(ctx, v, c.monitor, c.starts)
	if err != nil {
		return nil, err
	}
	sums := make([]*rowSum, len(c.tallies))
	for i := range sums {
		sums[i] = newRowSum(&c.tallies[i])
	}
	step := stretchDays
	if c.monthly {
		step = stretchMonths
	}
	for from := 0; from < c.days(); from += step {
		stretch := prints[from:min(from+step, c.days())]
		results, err := s.countStretch(ctx, v, c, from, stretch, settled)
		if err != nil {
			return nil, err
		}
		for i, sum := range sums {
			for _, day := range results {
				if err := sum.add(day[i]); err != nil {
					return nil, err
				}
			}
		}
	}
	answers := make([][]poststore.Row, len(c.tallies))
	for i, sum := range sums {
		answers[i] = enginekit.Truncate(&c.tallies[i], sum.rows)
	}
	return answers, nil
}

// countStretch returns the rows of some days, for each day those of all tallies.
func (s *Store) countStretch(ctx context.Context, v *view, c *calendar, from int, prints []segment.Fingerprint, settled []bool) ([][][]poststore.Row, error) {
	results := make([][][]poststore.Row, len(prints))
	var missing []int // days of the calendar
	for i, print := range prints {
		results[i] = make([][]poststore.Row, len(c.tallies))
		if print == (segment.Fingerprint{}) {
			continue // no posts, no rows
		}
		known, err := s.readDay(c, from+i, print, results[i])
		if err != nil {
			return nil, err
		}
		if !known {
			missing = append(missing, from+i)
		}
	}
	if len(missing) == 0 {
		return results, nil
	}
	whole := slices.Clone(c.tallies)
	for i := range whole {
		whole[i].Top, whole[i].TopSum, whole[i].IncludeKeys = 0, 0, nil // the top of all days may be anywhere in one
	}
	counted, err := s.countEach(ctx, v, poststore.Selection{Set: c.monitor}, c.starts, missing, whole)
	if err != nil {
		return nil, err
	}
	b := s.db.NewBatch()
	defer b.Close()
	for n, day := range missing {
		results[day-from] = counted[n]
		if settled[day] {
			c.keep(b, day, prints[day-from], counted[n])
		}
	}
	s.keepDays(b)
	return results, nil
}

// countEach counts some of the days anew and returns for each the rows of all tallies.
func (s *Store) countEach(ctx context.Context, v *view, of poststore.Selection, starts []time.Time, days []int, ts []poststore.Tally) ([][][]poststore.Row, error) {
	budget := segment.NewBudget(segment.MaxQueryBytes)
	counts := make([][]*segment.Counts, len(v.segments))
	of.From, of.To = starts[days[0]], starts[days[len(days)-1]+1]
	err := s.eachSegment(ctx, v, &of, func(i int, p *segmentState, rows *roaring.Bitmap) error {
		counts[i] = make([]*segment.Counts, len(days))
		sets := s.setReader(p)
		for n, day := range days {
			ofDay, err := rowsBetween(p, rows, starts[day], starts[day+1])
			if err != nil {
				return err
			}
			if ofDay.IsEmpty() {
				continue
			}
			if counts[i][n], err = p.data.Count(ctx, ofDay, ts, sets, budget); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	results := make([][][]poststore.Row, len(days))
	err = parallel(ctx, len(days), func(n int) error {
		var ofDay []*segment.Counts
		for _, parts := range counts {
			if parts != nil && parts[n] != nil {
				ofDay = append(ofDay, parts[n])
			}
		}
		return summing(v, len(ofDay), func() (err error) {
			results[n], err = segment.Sum(ts, ofDay)
			return err
		})
	})
	return results, err
}

// rowsBetween returns those of some rows whose posts are from a moment to before another.
func rowsBetween(p *segmentState, rows *roaring.Bitmap, from, to time.Time) (*roaring.Bitmap, error) {
	first, err := p.data.RowsBefore(from)
	if err != nil {
		return nil, err
	}
	end, err := p.data.RowsBefore(to)
	if err != nil {
		return nil, err
	}
	return rowRange(rows, first, end), nil
}

// rowRange returns those of some rows, nil for all, from one up to, not including, another.
func rowRange(rows *roaring.Bitmap, from, to uint32) *roaring.Bitmap {
	run := roaring.New()
	run.AddRange(uint64(from), uint64(to))
	if rows != nil {
		run.And(rows)
	}
	return run
}

// keep adds the results of a day to what is written.
func (c *calendar) keep(b *pebble.Batch, day int, print segment.Fingerprint, rows [][]poststore.Row) {
	for i := range c.tallies {
		if value := appendResult(print, rows[i]); len(value) <= mostResultBytes {
			b.Set(c.key(day, i), value, nil) // fails only when the batch is closed
		}
	}
}

// keepDays writes results of days whose posts are all on disk. That they may be lost is
// no harm.
func (s *Store) keepDays(b *pebble.Batch) {
	if b.Empty() || s.space.check(int64(b.Len())) != nil {
		return
	}
	if err := b.Commit(pebble.NoSync); err != nil {
		s.log.Warn("results of days were not kept", "error", err)
	}
}

// readDay reads the results of a day and reports whether all of them are there and of
// the posts that a fingerprint is of.
func (s *Store) readDay(c *calendar, day int, print segment.Fingerprint, results [][]poststore.Row) (known bool, err error) {
	for i := range c.tallies {
		value, err := get(s.db, c.key(day, i))
		if err != nil {
			return false, err
		}
		rows, ok := readResult(value, print, &c.tallies[i])
		if !ok {
			return false, nil
		}
		results[i] = rows
	}
	return true, nil
}
