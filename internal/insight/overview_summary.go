package insight

import (
	"cmp"
	"context"
	"slices"

	"earshot"
	"earshot/internal/poststore"
)

// A Summary describes a monitor in a few numbers.
type Summary struct {
	Days          earshot.Days // days with results; zero if there are none
	Posts         int64
	Previous      *Previous // nil if some of its days have no results
	ByDay         []int64   // posts of each day
	Spikes        []UnusualDay
	Categories    []CategoryTotal
	Labels        int    // of these posts, that calibrate the shares of sentiments
	NeedsTraining string // message if an opinion monitor has no model yet, or empty
}

// A spike has far more posts than expected. About one in forty days exceeds its prediction interval
// by chance, which is too often for a summary.
const (
	maxSpikes        = 5
	minSpikeDistance = 2  // from the expectation; see [UnusualDay.distance]
	minSpikeExcess   = 10 // posts more than expected
)

// Summary summarizes the posts of m on the requested days that have results, and counts the posts
// of the previous period. It uses only day counts.
func (s *Service) Summary(ctx context.Context, m *earshot.Monitor, days earshot.Days) (*Summary, error) {
	days, err := s.limitDays(m, days)
	if err != nil {
		return nil, err
	}
	if days.Len() <= 0 {
		return &Summary{Categories: newTotals(m.Categories)}, nil
	}
	sum, counted := &Summary{Days: days}, days
	if before, comparable := s.previousDays(m, days); comparable {
		sum.Previous, counted.Start = &Previous{Days: before}, before.Start
	}
	c, err := s.countDays(ctx, m, counted, nil, append([]poststore.Tally{allPosts}, sentimentFeeling.tallies()...)...)
	if err != nil {
		return nil, err
	}
	for day, date := range c.dates {
		if date.Before(days.Start) {
			sum.Previous.Posts += c.posts(0, day)
			continue
		}
		sum.Posts += c.posts(0, day)
		sum.ByDay = append(sum.ByDay, c.posts(0, day))
	}
	if sum.Spikes, err = s.findSpikes(ctx, m, days); err != nil {
		return nil, err
	}
	return sum, s.sumCategories(ctx, m, c, sum)
}

// findSpikes returns the days with far more posts than expected, those with the largest excess first.
func (s *Service) findSpikes(ctx context.Context, m *earshot.Monitor, days earshot.Days) ([]UnusualDay, error) {
	o := &Overview{}
	if err := s.findUnusual(ctx, &overviewQuery{OverviewRequest: OverviewRequest{Parts: []Part{UnusualPart}}, monitor: m, days: days}, o); err != nil {
		return nil, err
	}
	spikes := slices.DeleteFunc(o.Unusual, func(d UnusualDay) bool {
		return d.Change != ChangeMore || d.distance() < minSpikeDistance || d.excess() < minSpikeExcess
	})
	slices.SortStableFunc(spikes, func(a, b UnusualDay) int { return cmp.Compare(b.excess(), a.excess()) })
	return spikes[:min(len(spikes), maxSpikes)], nil
}

// excess returns the number of posts above the expected number.
func (d *UnusualDay) excess() float64 { return float64(d.Posts) - d.Expected.Posts }

// sumCategories sets the totals of the categories.
func (s *Service) sumCategories(ctx context.Context, m *earshot.Monitor, c *dayCounts, sum *Summary) error {
	b := Breakdown{ByDay: newDayBreakdowns(m, sum.Days)}
	if m.HasBasicCategories() {
		last := &dayCounts{dates: c.dates[len(c.dates)-len(b.ByDay):]}
		for _, tally := range c.rows {
			last.rows = append(last.rows, tally[len(c.dates)-len(b.ByDay):])
		}
		posts, l, err := s.felt(ctx, m, poststore.Selection{Set: poststore.MonitorSet(m.ID)}, &sentimentFeeling, last, 1)
		if err != nil {
			return err
		}
		total, used := s.estimateTotal(m, &sentimentFeeling, last, posts, l, m.Categories)
		sum.Categories, sum.Labels = newEstimatedTotals(total), used
		return nil
	}
	if m.Type == earshot.Opinion {
		err := s.WithCategorization(ctx, m, func(categorization Categorization) error {
			return s.fillOpinions(ctx, &overviewQuery{OverviewRequest: OverviewRequest{Parts: []Part{CategoriesPart}}, monitor: m, days: sum.Days, categorization: categorization}, &b)
		})
		if err != nil {
			return err
		}
	}
	b.sum(m)
	sum.Categories, sum.NeedsTraining = b.Categories, b.NeedsTraining
	return nil
}
