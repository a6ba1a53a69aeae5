package insight

import (
	"context"
	"time"

	"earshot"
	"earshot/internal/poststore"
)

// A Result contains the metrics of a day's posts by category and emotion.
type Result struct {
	Day        earshot.Date
	Changed    time.Time // time of the last change to the day's metrics
	Posts      int64
	Relevant   int64 // posts that are not in a hidden category
	Categories []Share
	Emotions   []Share
}

// A Share is the number of a day's posts in a category or with an emotion.
type Share struct {
	Category   earshot.Category
	Posts      int64
	Proportion float64 // estimated fraction of the posts in any category or with any emotion, to two decimal places
}

// Results returns the results of each day. They list all categories and emotions of m, in order. If
// visible is true, hidden categories have no proportion, and the proportions of the others are
// relative to the visible ones.
//
// Proportions are estimated, because models make errors. Posts are counted as assigned, except those of
// an opinion monitor's categories, which follow from the proportions.
// docs/decisions/0046-quantification.md, docs/decisions/0068-shares.md
func (s *Service) Results(ctx context.Context, m *earshot.Monitor, days earshot.Days, visible bool) ([]Result, error) {
	if m.Type == earshot.Opinion {
		return s.opinionResults(ctx, m, days, visible)
	}
	c, err := s.countDays(ctx, m, days, nil, feelingTallies()...)
	if err != nil {
		return nil, err
	}
	sentiments, err := s.estimateDays(ctx, &sentimentFeeling, c, sentimentTallies, m.Categories)
	if err != nil {
		return nil, err
	}
	return s.results(ctx, m, c, visible, func(day int) ([]int64, []float64) { return split(sentiments.days[day]) })
}

// split returns the posts and the shares of proportions.
func split(list []Proportion) (posts []int64, shares []float64) {
	for _, p := range list {
		posts, shares = append(posts, p.Posts), append(shares, p.Share)
	}
	return posts, shares
}

// results converts day counts to results. The first tally counts all posts, the next are those of
// emotions. categories returns the posts and shares of the categories on a day.
func (s *Service) results(ctx context.Context, m *earshot.Monitor, c *dayCounts, visible bool, categories func(day int) ([]int64, []float64)) ([]Result, error) {
	changed, err := s.changed(ctx, m, c.dates)
	if err != nil {
		return nil, err
	}
	emotions, err := s.estimateDays(ctx, &emotionFeeling, c, emotionTallies, m.Emotions)
	if err != nil {
		return nil, err
	}
	results := make([]Result, len(c.dates))
	for day, date := range c.dates {
		r := Result{Day: date, Changed: changed[day], Posts: c.posts(0, day)}
		posts, shares := categories(day)
		r.Categories = newShares(m.Categories, posts, shares, visible)
		posts, shares = split(emotions.days[day])
		r.Emotions = newShares(m.Emotions, posts, shares, visible)
		r.Relevant = r.Posts
		for _, share := range r.Categories {
			if share.Category.Hidden {
				r.Relevant -= share.Posts
			}
		}
		results[day] = r
	}
	return results, nil
}

// changed returns the time of the last change to the metrics of each day. For a day without posts,
// that is the start of the day or the creation of the monitor, whichever is later.
func (s *Service) changed(ctx context.Context, m *earshot.Monitor, dates []earshot.Date) ([]time.Time, error) {
	if len(dates) == 0 {
		return nil, nil
	}
	days := dayBounds(earshot.Days{Start: dates[0], End: dates[len(dates)-1].AddDays(1)}, m.Location())
	changed, err := s.Store.Changed(ctx, poststore.MonitorSet(m.ID), days)
	if err != nil {
		return nil, err
	}
	for i := range changed {
		if changed[i].IsZero() {
			changed[i] = days[i]
			if m.Created.After(days[i]) {
				changed[i] = m.Created
			}
		}
	}
	return changed, nil
}

// countsByName returns the posts of rows in the order of names.
func countsByName(rows []poststore.Row, names []string) []int64 {
	posts := make([]int64, len(names))
	for _, row := range rows {
		for i, name := range names {
			if row.Key[0] == name {
				posts[i] = row.Posts
			}
		}
	}
	return posts
}

// newShares returns categories with their posts and with the proportions that follow from shares.
// If visible is true, hidden categories have no proportion.
func newShares(categories []earshot.Category, posts []int64, shares []float64, visible bool) []Share {
	list := make([]Share, len(categories))
	shown := make([]float64, len(categories))
	for i, category := range categories {
		list[i] = Share{Category: category, Posts: posts[i]}
		if !visible || !category.Hidden {
			shown[i] = shares[i]
		}
	}
	for i, proportion := range proportions(shown) {
		list[i].Proportion = proportion
	}
	return list
}
