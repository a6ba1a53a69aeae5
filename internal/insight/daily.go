package insight

import (
	"context"
	"time"

	"earshot"
	"earshot/internal/poststore"
)

// A daily is what was counted on each of some days, in several ways.
type daily struct {
	dates []earshot.Date
	rows  [][][]poststore.Row // for each tally, for each date
}

// mostDays bounds what one question may ask for: more than twenty years.
const mostDays = 8000

// daily counts the posts of m on those of the days that have results. It is the one way in
// which days are counted, so that the figures of different metrics agree. Sources are those
// that count, none for all.
func (s *Service) daily(ctx context.Context, m *earshot.Monitor, days earshot.Days, sources []earshot.Source, ts ...poststore.Tally) (*daily, error) {
	days, err := s.countable(m, days)
	if err != nil {
		return nil, err
	}
	c := &daily{dates: dates(days), rows: make([][][]poststore.Row, len(ts))}
	if len(c.dates) == 0 {
		return c, nil
	}
	zone := m.Location()
	for i := range ts {
		ts[i].Zone = zone
	}
	c.rows, err = s.Store.Days(ctx, poststore.Selection{Monitor: m.ID, Sources: sources}, starts(days, zone), ts)
	return c, err
}

// countable returns those of the days that have results, unless they are too many.
func (s *Service) countable(m *earshot.Monitor, days earshot.Days) (earshot.Days, error) {
	days = s.withResults(m, days)
	if days.Len() > mostDays {
		return days, earshot.Errorf(earshot.Invalid, "The selected range has more than %d days", mostDays)
	}
	return days, nil
}

// dates lists days.
func dates(days earshot.Days) []earshot.Date {
	list := make([]earshot.Date, 0, max(days.Len(), 0))
	for day := days.Start; day.Before(days.End); day = day.AddDays(1) {
		list = append(list, day)
	}
	return list
}

// starts returns when days begin, and when the last one ends.
func starts(days earshot.Days, zone *time.Location) []time.Time {
	list := make([]time.Time, 0, days.Len()+1)
	for day := days.Start; !days.End.Before(day); day = day.AddDays(1) {
		list = append(list, day.Start(zone))
	}
	return list
}

// posts returns how many posts the one row of a tally without dimensions has on a day.
func (c *daily) posts(tally, day int) int64 { return c.rows[tally][day][0].Posts }

// total adds up such rows.
func (c *daily) total(tally int) (posts int64) {
	for day := range c.dates {
		posts += c.posts(tally, day)
	}
	return posts
}

// A Count is a number of posts that have something in common, and what that is.
type Count struct {
	Name  string
	Posts int64
}

// counts returns the rows of a tally by one dimension.
func (c *daily) counts(tally, day int) []Count {
	return countsOf(c.rows[tally][day])
}

// countsOf returns rows by one dimension.
func countsOf(rows []poststore.Row) []Count {
	list := make([]Count, len(rows))
	for i, row := range rows {
		list[i] = Count{row.Key[0], row.Posts}
	}
	return list
}

// everything and by are the tallies that most metrics ask for.
var everything = poststore.Tally{}

func by(d poststore.Dim) poststore.Tally { return poststore.Tally{By: []poststore.Dim{d}} }

func top(d poststore.Dim, n int) poststore.Tally {
	return poststore.Tally{By: []poststore.Dim{d}, Top: n}
}
