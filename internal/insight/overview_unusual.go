package insight

import (
	"cmp"
	"context"
	"math"
	"slices"

	"earshot"
	"earshot/internal/poststore"
)

// An UnusualDay is a day with more or fewer posts than expected.
type UnusualDay struct {
	Day      earshot.Date
	Posts    int64
	Expected Expected
	Change   Change
}

const (
	maxUnusualDays       = 50
	minUnusualDifference = 5 // posts more or fewer than expected
)

// findUnusual sets the days whose number of posts is outside of the interval that [Service.Explain]
// predicts for them, most unusual first. It leaves out a day that is not over, differences of a few
// posts, which a quiet monitor often has, and days with nothing to compare with, because the monitor
// had no posts in the weeks before.
func (s *Service) findUnusual(ctx context.Context, v *overviewQuery, o *Overview) error {
	days := v.days
	if today := earshot.DateOf(s.Now().In(v.monitor.Location())); today.Before(days.End) {
		days.End = today
	}
	if !v.includes(UnusualPart) || days.Len() <= 0 {
		return nil
	}
	counted := s.withResults(v.monitor, earshot.Days{Start: days.Start.AddDays(-7 * baselineWeeks), End: days.End})
	posts, err := s.countEachDay(ctx, v, counted)
	if err != nil {
		return err
	}
	first, err := s.firstDay(ctx, v, counted, posts)
	if err != nil {
		return err
	}
	for _, day := range listDays(days) {
		at := counted.Start.DaysUntil(day)
		var before []Baseline
		for k := 1; k <= baselineWeeks; k++ {
			b := Baseline{}
			if i := at - 7*k; i >= first {
				b.Posts, b.Coverage = posts[i], 1
			}
			before = append(before, b)
		}
		chooseBaselines(before)
		e := Explanation{Posts: posts[at], Expected: expected(before)}
		if change := e.change(); (change == ChangeMore || change == ChangeFewer) && math.Abs(float64(e.Posts)-e.Expected.Posts) >= minUnusualDifference {
			o.Unusual = append(o.Unusual, UnusualDay{day, e.Posts, *e.Expected, change})
		}
	}
	slices.SortStableFunc(o.Unusual, func(a, b UnusualDay) int { return cmp.Compare(b.distance(), a.distance()) })
	o.Unusual = o.Unusual[:min(len(o.Unusual), maxUnusualDays)]
	return nil
}

// firstDay returns the index of the first day with posts of the monitor. Nothing was collected before.
// posts are those of each day that the filter selects.
func (s *Service) firstDay(ctx context.Context, v *overviewQuery, days earshot.Days, posts []int64) (int, error) {
	if posts[0] == 0 && v.Filter != "" {
		all, err := s.countEachDay(ctx, &overviewQuery{monitor: v.monitor, days: v.days}, days)
		if err != nil {
			return 0, err
		}
		posts = all
	}
	if i := slices.IndexFunc(posts, func(n int64) bool { return n > 0 }); i >= 0 {
		return i, nil
	}
	return len(posts), nil
}

// distance returns how far the number of posts is from the expectation. At the end of the interval,
// it is 1.
func (d *UnusualDay) distance() float64 {
	e := d.Expected
	if d.Change == ChangeFewer {
		return (e.Posts - float64(d.Posts)) / (e.Posts - e.Low)
	}
	return (float64(d.Posts) - e.Posts) / (e.High - e.Posts)
}

// countEachDay returns the number of posts of each day.
func (s *Service) countEachDay(ctx context.Context, v *overviewQuery, days earshot.Days) ([]int64, error) {
	sel := v.selection(days)
	counted, err := memoize(ctx, s.Store, &s.overviews, sel, string(UnusualPart)+v.keyOf(nil), func() (*overviewCounts, error) {
		rows, err := s.Store.Days(ctx, sel, dayBounds(days, v.monitor.Location()), []poststore.Tally{allPosts})
		if err != nil {
			return nil, err
		}
		return &overviewCounts{parts: map[Part][][]poststore.Row{UnusualPart: rows[0]}}, nil
	})
	if err != nil {
		return nil, err
	}
	posts := make([]int64, days.Len())
	for day := range posts {
		posts[day] = counted.rows(UnusualPart, day)[0].Posts
	}
	return posts, nil
}
