package local

import (
	"context"
	"slices"
	"time"

	"github.com/RoaringBitmap/roaring/v2"
	"github.com/cockroachdb/pebble/v2"

	"earshot"
	"earshot/internal/postfile"
	"earshot/internal/poststore"
)

// Day results: what a tally of a monitor says of one day is kept, together with a
// fingerprint of the very posts it was counted from. Asked again, the fingerprint is
// computed anew, which is far less work than counting, and when it is the same, so are
// the posts, and so is the result. Nothing has to be told when posts come, go or change,
// and a result can not be out of date.

// mostDays is how many days day results are used for. A longer question is counted.
const mostDays = 5000

// A calendar is a question about whole days of a monitor.
type calendar struct {
	monitor earshot.MonitorID
	zone    string
	starts  []time.Time // of the days, and the end of the last
	tallies []poststore.Tally
	places  []int // of the tallies among those that were asked
}

func (c *calendar) days() int { return len(c.starts) - 1 }

// newCalendar returns what can be answered by day results: tallies of whole days of a
// monitor, in the zone of the first of them. It returns nil when there are none.
func newCalendar(of *poststore.Selection, ts []poststore.Tally) *calendar {
	if of.Monitor == 0 || of.From.IsZero() || of.To.IsZero() || !of.From.Before(of.To) ||
		of.ContentSource != 0 || of.Where != nil || len(of.Sites)+len(of.Authors) > 0 || of.Geotagged {
		return nil
	}
	c := &calendar{monitor: of.Monitor}
	for i := range ts {
		zone := ts[i].Location()
		if !addsUp(&ts[i]) || c.zone != "" && c.zone != zone.String() {
			continue
		}
		if c.zone == "" {
			if c.starts = dayStarts(of, zone); c.starts == nil {
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
// of two days may be the same.
func addsUp(t *poststore.Tally) bool {
	return !slices.Contains(t.Sum, poststore.Authors) ||
		slices.Contains(t.By, poststore.ByDay) || slices.Contains(t.By, poststore.ByHour)
}

// dayStarts returns where the days begin, and where the last ends. It returns nil when
// the time is not whole days of a zone that everybody knows by its name.
func dayStarts(of *poststore.Selection, zone *time.Location) []time.Time {
	known, err := time.LoadLocation(zone.String())
	if err != nil || zone == time.Local {
		return nil
	}
	first, end := earshot.DateOf(of.From.In(known)), earshot.DateOf(of.To.In(known))
	if !first.Start(known).Equal(of.From) || !end.Start(known).Equal(of.To) || first.DaysUntil(end) > mostDays {
		return nil
	}
	var starts []time.Time
	for day := first; !end.Before(day); day = day.AddDays(1) {
		start := day.Start(known)
		if len(starts) == 0 || starts[len(starts)-1].Before(start) { // a zone may skip a day
			starts = append(starts, start)
		}
	}
	return starts
}

// countDays answers the tallies of a calendar, in their order.
func (s *Store) countDays(ctx context.Context, v *view, c *calendar) ([][]poststore.Row, error) {
	prints, settled, err := s.dayPrints(ctx, v, c)
	if err != nil {
		return nil, err
	}
	results := make([][]dayResult, c.days()) // of each day, those of the tallies
	var missing []int
	for i, print := range prints {
		results[i] = make([]dayResult, len(c.tallies))
		if print == (postfile.Print{}) {
			continue // no posts, no rows
		}
		known, err := s.readDay(c, i, print, results[i])
		if err != nil {
			return nil, err
		}
		if !known {
			missing = append(missing, i)
		}
	}
	if len(missing) > 0 {
		if err := s.countMissing(ctx, v, c, missing, results); err != nil {
			return nil, err
		}
		s.keepDays(c, missing, settled, prints, results)
	}
	answers := make([][]poststore.Row, len(c.tallies))
	for i := range c.tallies {
		answers[i] = addUp(&c.tallies[i], results, i)
	}
	return answers, nil
}

// countMissing counts days anew.
func (s *Store) countMissing(ctx context.Context, v *view, c *calendar, missing []int, results [][]dayResult) error {
	budget := postfile.NewBudget(questionBytes)
	counts := make([][]*postfile.Counts, len(v.parts))
	all := &poststore.Selection{From: c.starts[0], To: c.starts[c.days()]}
	err := parallel(ctx, len(v.parts), func(i int) error {
		p := v.parts[i]
		if !p.mayHold(all) {
			return nil
		}
		return reading(p, func() error {
			rows, cuts, err := s.cutDays(p, c)
			if err != nil {
				return err
			}
			counts[i] = make([]*postfile.Counts, len(missing))
			for n, day := range missing {
				of := between(rows, cuts[day], cuts[day+1])
				if of.IsEmpty() {
					continue
				}
				if counts[i][n], err = p.file.Count(ctx, of, c.tallies, budget); err != nil {
					return err
				}
			}
			return nil
		})
	})
	if err != nil {
		return err
	}
	whole := slices.Clone(c.tallies)
	for i := range whole {
		whole[i].Top = 0 // the top of all days may be anywhere in one
	}
	return parallel(ctx, len(missing), func(n int) error {
		var ofDay []*postfile.Counts
		for _, parts := range counts {
			if parts != nil && parts[n] != nil {
				ofDay = append(ofDay, parts[n])
			}
		}
		rows, err := postfile.Sum(whole, ofDay)
		if err != nil {
			return err
		}
		for i := range rows {
			results[missing[n]][i].rows = rows[i]
		}
		return nil
	})
}

// cutDays returns the rows of a calendar's monitor, and which row each of its days
// begins with.
func (s *Store) cutDays(p *part, c *calendar) (rows *roaring.Bitmap, cuts []uint32, err error) {
	if rows, err = s.rowsOf(p, c.monitor); err != nil {
		return nil, nil, err
	}
	cuts = make([]uint32, len(c.starts))
	for i, start := range c.starts {
		if cuts[i], err = p.file.RowsBefore(start); err != nil {
			return nil, nil, err
		}
	}
	return rows, cuts, nil
}

// between returns the rows from one up to, not including, another.
func between(rows *roaring.Bitmap, from, to uint32) *roaring.Bitmap {
	run := roaring.New()
	run.AddRange(uint64(from), uint64(to))
	run.And(rows)
	return run
}

// addUp makes the rows of all days out of those of each.
func addUp(t *poststore.Tally, results [][]dayResult, place int) []poststore.Row {
	sums := newRowSum(t)
	for _, day := range results {
		sums.add(day[place].rows)
	}
	return poststore.Largest(sums.rows(), t.Top)
}

// keepDays writes results of days whose posts are all on disk. That they may be lost is
// no harm.
func (s *Store) keepDays(c *calendar, missing []int, settled []bool, prints []postfile.Print, results [][]dayResult) {
	if s.room.check(0) != nil {
		return
	}
	b := s.db.NewBatch()
	defer b.Close()
	for _, day := range missing {
		if !settled[day] {
			continue
		}
		for i := range c.tallies {
			value := appendResult(prints[day], results[day][i].rows)
			if len(value) > mostResultBytes {
				continue
			}
			if b.Set(c.key(day, i), value, nil) != nil {
				return
			}
		}
	}
	if err := b.Commit(pebble.NoSync); err != nil {
		s.log.Warn("results of days were not kept", "error", err)
	}
}

// readDay reads the results of a day and reports whether all of them are there and of
// the posts that a fingerprint is of.
func (s *Store) readDay(c *calendar, day int, print postfile.Print, results []dayResult) (known bool, err error) {
	for i := range c.tallies {
		value, err := get(s.db, c.key(day, i))
		if err != nil {
			return false, err
		}
		rows, ok := readResult(value, print, &c.tallies[i])
		if !ok {
			return false, nil
		}
		results[i].rows = rows
	}
	return true, nil
}
