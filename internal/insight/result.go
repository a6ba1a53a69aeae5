package insight

import (
	"context"
	"time"

	"earshot"
	"earshot/internal/poststore"
)

// A Result is what the posts of a day say.
type Result struct {
	Day        earshot.Date
	Changed    time.Time // when the figures of the day last changed
	Posts      int64
	Relevant   int64 // not in a hidden category
	Categories []Share
	Emotions   []Share
}

// A Share is the part of a day's posts that is in a category or has an emotion.
type Share struct {
	Category   earshot.Category
	Posts      int64
	Proportion float64 // of the posts that are in any; two decimals
}

// Results returns what the posts of each day say. Every category and emotion of m is
// listed, in order. With visible, hidden categories have no proportion and the others are
// proportions of what is left.
func (s *Service) Results(ctx context.Context, m *earshot.Monitor, days earshot.Days, visible bool) ([]Result, error) {
	c, err := s.daily(ctx, m, days, nil, everything, by(poststore.BySentiment), by(poststore.ByEmotion))
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
		r.Categories = newShares(m.Categories, nil)
		if m.HasBasicCategories() {
			r.Categories = newShares(m.Categories, places(c.rows[1][day], earshot.BasicCategories))
		}
		r.Emotions = newShares(m.Emotions, places(c.rows[2][day], earshot.BasicEmotions))
		r.Relevant = r.Posts - hidden(r.Categories)
		setProportions(r.Categories, visible)
		setProportions(r.Emotions, visible)
		results[day] = r
	}
	return results, nil
}

// changed returns when the figures of days last changed. A day without posts is as it is
// since it began, or since there is the monitor.
func (s *Service) changed(ctx context.Context, m *earshot.Monitor, dates []earshot.Date) ([]time.Time, error) {
	if len(dates) == 0 {
		return nil, nil
	}
	days := starts(earshot.Days{Start: dates[0], End: dates[len(dates)-1].AddDays(1)}, m.Location())
	changed, err := s.Store.Changed(ctx, m.ID, days)
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

// places returns the posts of rows by the place of their keys in a list of names.
func places(rows []poststore.Row, names []string) []int64 {
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

// newShares returns categories with their posts, which are none where they are not known.
func newShares(categories []earshot.Category, posts []int64) []Share {
	shares := make([]Share, len(categories))
	for i, category := range categories {
		shares[i].Category = category
		if i < len(posts) {
			shares[i].Posts = posts[i]
		}
	}
	return shares
}

// hidden returns how many posts are in hidden categories.
func hidden(shares []Share) (posts int64) {
	for _, share := range shares {
		if share.Category.Hidden {
			posts += share.Posts
		}
	}
	return posts
}

// setProportions sets the proportions of shares, of hidden ones only when they are wanted.
func setProportions(shares []Share, visible bool) {
	counts := make([]int64, len(shares))
	for i, share := range shares {
		if !visible || !share.Category.Hidden {
			counts[i] = share.Posts
		}
	}
	for i, proportion := range proportions(counts) {
		shares[i].Proportion = proportion
	}
}
