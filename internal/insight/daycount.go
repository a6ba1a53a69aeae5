package insight

import (
	"context"
	"time"

	"earshot"
	"earshot/internal/poststore"
)

// dayCounts contains the rows of several tallies for each day of a range.
type dayCounts struct {
	dates []earshot.Date
	rows  [][][]poststore.Row // indexed by tally, then by day
}

// maxDays limits the range of a request to a little more than twenty years.
const maxDays = 8000

// countDays counts the posts of m on each of the days that have results. All metrics by day are
// counted here, so that they agree. Only posts from the given sources count. No sources means all.
func (s *Service) countDays(ctx context.Context, m *earshot.Monitor, days earshot.Days, sources []earshot.Source, ts ...poststore.Tally) (*dayCounts, error) {
	return s.countDaysOf(ctx, m, poststore.Selection{Set: poststore.MonitorSet(m.ID), Sources: sources}, days, ts...)
}

// countDaysOf is countDays for any selection of the posts of m.
func (s *Service) countDaysOf(ctx context.Context, m *earshot.Monitor, sel poststore.Selection, days earshot.Days, ts ...poststore.Tally) (*dayCounts, error) {
	days, err := s.limitDays(m, days)
	if err != nil {
		return nil, err
	}
	c := &dayCounts{dates: listDays(days), rows: make([][][]poststore.Row, len(ts))}
	if len(c.dates) == 0 {
		return c, nil
	}
	zone := m.Location()
	for i := range ts {
		ts[i].Zone = zone
	}
	c.rows, err = s.Store.Days(ctx, sel, dayBounds(days, zone), ts)
	return c, err
}

// limitDays restricts days to those that have results. It is an error if there are more than
// maxDays.
func (s *Service) limitDays(m *earshot.Monitor, days earshot.Days) (earshot.Days, error) {
	days = s.withResults(m, days)
	if days.Len() > maxDays {
		return days, earshot.Errorf(earshot.Invalid, "The selected range has more than %d days", maxDays)
	}
	return days, nil
}

func listDays(days earshot.Days) []earshot.Date {
	list := make([]earshot.Date, 0, max(days.Len(), 0))
	for day := days.Start; day.Before(days.End); day = day.AddDays(1) {
		list = append(list, day)
	}
	return list
}

// dayBounds returns the start of each day, followed by the end of the last one.
func dayBounds(days earshot.Days, zone *time.Location) []time.Time {
	list := make([]time.Time, 0, days.Len()+1)
	for day := days.Start; !days.End.Before(day); day = day.AddDays(1) {
		list = append(list, day.Start(zone))
	}
	return list
}

// posts returns the posts of a day. The tally must have no dimensions.
func (c *dayCounts) posts(tally, day int) int64 { return c.rows[tally][day][0].Posts }

// total returns the posts of all days. The tally must have no dimensions.
func (c *dayCounts) total(tally int) (posts int64) {
	for day := range c.dates {
		posts += c.posts(tally, day)
	}
	return posts
}

// A Count is a number of posts with a common attribute, for example a hashtag, and its name.
type Count struct {
	Name  string
	Posts int64
}

// counts returns the rows of a tally by one dimension.
func (c *dayCounts) counts(tally, day int) []Count {
	return countsOf(c.rows[tally][day])
}

// countsOf converts rows of one dimension.
func countsOf(rows []poststore.Row) []Count {
	list := make([]Count, len(rows))
	for i, row := range rows {
		list[i] = Count{row.Key[0], row.Posts}
	}
	return list
}

// allPosts, countBy and topBy are the tallies that most metrics use.
var allPosts = poststore.Tally{}

func countBy(d poststore.Dim) poststore.Tally { return poststore.Tally{By: []poststore.Dim{d}} }

func topBy(d poststore.Dim, n int) poststore.Tally {
	return poststore.Tally{By: []poststore.Dim{d}, Top: n}
}
