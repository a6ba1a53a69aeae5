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
	Proportion float64 // fraction of the posts in any category or with any emotion, to two decimal places

	// Estimate is the result of [Service.Proportions] for all categories. It is nil unless requested.
	Estimate *Proportion
}

// Results returns the results of each day. They list all categories and emotions of m, in order. If
// visible is true, hidden categories have no proportion, and the proportions of the others are
// relative to the visible ones.
//
// Posts are counted as assigned, and proportions follow from these counts.
// docs/decisions/0068-shares.md
func (s *Service) Results(ctx context.Context, m *earshot.Monitor, days earshot.Days, visible bool) ([]Result, error) {
	if m.Type == earshot.Opinion {
		return s.opinionResults(ctx, m, days, visible)
	}
	return s.results(ctx, m, days, visible, countBy(poststore.BySentiment), func(rows []poststore.Row) []int64 {
		return countsByName(rows, earshot.BasicCategories)
	})
}

// EstimatedResults returns [Service.Results] with estimates.
func (s *Service) EstimatedResults(ctx context.Context, m *earshot.Monitor, days earshot.Days, visible bool) ([]Result, error) {
	results, err := s.Results(ctx, m, days, visible)
	if err != nil || len(results) == 0 {
		return results, err
	}
	// These days are the same, even if another one has begun.
	p, err := s.Proportions(ctx, m, earshot.Days{Start: results[0].Day, End: results[len(results)-1].Day.AddDays(1)})
	if err != nil {
		return nil, err
	}
	for i, r := range results {
		for k := range r.Categories {
			r.Categories[k].Estimate = &p.Days[i].Categories[k]
		}
		for k := range r.Emotions {
			r.Emotions[k].Estimate = &p.Days[i].Emotions[k]
		}
	}
	return results, nil
}

// results counts posts by emotion and category. assigned counts them by category, and categories
// returns the posts of each category of m.
func (s *Service) results(ctx context.Context, m *earshot.Monitor, days earshot.Days, visible bool, assigned poststore.Tally, categories func([]poststore.Row) []int64) ([]Result, error) {
	c, err := s.countDays(ctx, m, days, nil, allPosts, countBy(poststore.ByEmotion), assigned)
	if err != nil {
		return nil, err
	}
	changed, err := s.changed(ctx, m, c.dates)
	if err != nil {
		return nil, err
	}
	results := make([]Result, len(c.dates))
	for day, date := range c.dates {
		r := Result{Day: date, Changed: changed[day], Posts: c.posts(0, day)}
		r.Emotions = newShares(m.Emotions, countsByName(c.rows[1][day], earshot.BasicEmotions), visible)
		r.Categories = newShares(m.Categories, categories(c.rows[2][day]), visible)
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

// newShares returns categories with their posts and proportions. If visible is true, hidden
// categories have no proportion.
func newShares(categories []earshot.Category, posts []int64, visible bool) []Share {
	list := make([]Share, len(categories))
	shown := make([]int64, len(categories))
	for i, category := range categories {
		list[i] = Share{Category: category, Posts: posts[i]}
		if !visible || !category.Hidden {
			shown[i] = posts[i]
		}
	}
	for i, fraction := range Fractions(shown) {
		list[i].Proportion = fraction
	}
	return list
}
