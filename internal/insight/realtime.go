package insight

import (
	"context"
	"time"

	"earshot"
	"earshot/internal/period"
	"earshot/internal/poststore"
)

// A RecentQuery selects posts in a time range. The range is cut off at the end of the monitor's
// results. docs/decisions/0052-realtime-monitor.md
type RecentQuery struct {
	Start, End time.Time        // End is exclusive
	Sources    []earshot.Source // any of these; none means all
	Engagement earshot.Engagement
	Received   time.Time         // received at this time or later; zero means any time
	Sets       []poststore.SetID // in any of these; none means all
}

// A Journal finds the position of posts by the time they were received.
type Journal interface {
	// LastBefore returns the position of the last entry that was appended before a time.
	LastBefore(ctx context.Context, instant time.Time) (earshot.Position, error)
}

// A RecentVolume is the number of posts by hour and by source.
type RecentVolume struct {
	Volume
	Sources []Count // most posts first
}

// RecentVolume counts the posts of m. Hours start on the hour in the monitor's time zone. The first
// and the last may be shorter than an hour.
func (s *Service) RecentVolume(ctx context.Context, m *earshot.Monitor, r RecentQuery) (RecentVolume, error) {
	rows, err := s.countRecent(ctx, m, r, countBy(poststore.ByHour), countBy(poststore.BySource))
	if err != nil {
		return RecentVolume{}, err
	}
	steps, err := r.hours(m.Location())
	if err != nil {
		return RecentVolume{}, err
	}
	v, err := newVolume(steps, rows[0], parseInstant)
	return RecentVolume{v, countsOf(rows[1])}, err
}

// RecentHashtags returns the number of posts of m and the most frequent hashtags.
func (s *Service) RecentHashtags(ctx context.Context, m *earshot.Monitor, r RecentQuery, limit int) (int64, []Count, error) {
	return s.recentTop(ctx, m, r, topBy(poststore.ByHashtag, limit))
}

// RecentCashtags returns the number of posts of m and the most frequent cashtags.
func (s *Service) RecentCashtags(ctx context.Context, m *earshot.Monitor, r RecentQuery, limit int) (int64, []Count, error) {
	return s.recentTop(ctx, m, r, topBy(poststore.ByCashtag, limit))
}

func (s *Service) recentTop(ctx context.Context, m *earshot.Monitor, r RecentQuery, t poststore.Tally) (int64, []Count, error) {
	rows, err := s.countRecent(ctx, m, r, allPosts, t)
	if err != nil {
		return 0, nil, err
	}
	return total(rows[0]), countsOf(rows[1]), nil
}

// RecentPosts returns at most limit posts of m, newest first, and their total number.
func (s *Service) RecentPosts(ctx context.Context, m *earshot.Monitor, r RecentQuery, limit int) ([]earshot.Post, int64, error) {
	sel, any, err := s.selectRecent(ctx, m, r)
	if err != nil || !any {
		return nil, 0, err
	}
	return s.Store.Posts(ctx, sel, limit)
}

// RecentRetweets returns the number of microblog posts that repeat another post, and the posts that
// were repeated most.
func (s *Service) RecentRetweets(ctx context.Context, m *earshot.Monitor, r RecentQuery, limit int) (int64, []Retweets, error) {
	r.Sources, r.Engagement = earshot.Microblogs, earshot.Retweet
	rows, err := s.countRecent(ctx, m, r, allPosts, topBy(poststore.ByRetweeted, limit))
	if err != nil {
		return 0, nil, err
	}
	if len(rows[1]) == 0 {
		return total(rows[0]), nil, nil
	}
	at, err := s.Store.Position(ctx)
	if err != nil {
		return 0, nil, err
	}
	links, err := s.recentLinks(ctx, m, r, rows[1], at)
	if err != nil {
		return 0, nil, err
	}
	list := make([]Retweets, len(rows[1]))
	for i, row := range rows[1] {
		l := links[row.Key[0]]
		list[i] = Retweets{URL: l.url, Original: l.original, Posts: row.Posts}
	}
	return total(rows[0]), list, nil
}

// recentLinks finds the URLs of repeated posts, like findLinks.
func (s *Service) recentLinks(ctx context.Context, m *earshot.Monitor, r RecentQuery, rows []poststore.Row, at earshot.Position) (dayLinks, error) {
	originals, err := s.originals(ctx, rows, at)
	if err != nil {
		return nil, err
	}
	sel, _, err := s.selectRecent(ctx, m, r)
	if err != nil {
		return nil, err
	}
	links, missing := make(dayLinks, len(rows)), map[string]bool{}
	for key, url := range originals {
		links[key] = dayLink{url, url != ""}
		if url == "" {
			missing[key] = true
		}
	}
	return links, s.findRepeating(ctx, sel, missing, func(key, url string) { links[key] = dayLink{url: url} })
}

// countRecent runs several tallies. The result has a list of rows for each of them, which may be
// empty.
func (s *Service) countRecent(ctx context.Context, m *earshot.Monitor, r RecentQuery, ts ...poststore.Tally) ([][]poststore.Row, error) {
	sel, any, err := s.selectRecent(ctx, m, r)
	if err != nil || !any {
		return make([][]poststore.Row, len(ts)), err
	}
	for i := range ts {
		ts[i].Zone = m.Location()
	}
	return s.Store.Tallies(ctx, sel, ts)
}

// selectRecent resolves a query and reports whether it can have any posts, because only days with
// results have posts.
func (s *Service) selectRecent(ctx context.Context, m *earshot.Monitor, r RecentQuery) (sel poststore.Selection, any bool, err error) {
	sel = selection(m, m.Results(s.Now()))
	if sel.From.Before(r.Start) {
		sel.From = r.Start
	}
	if sel.To.After(r.End) {
		sel.To = r.End
	}
	sel.Sources, sel.Engagement, sel.Categories.Sets = r.Sources, r.Engagement, r.Sets
	if !r.Received.IsZero() {
		sel.After, err = s.Journal.LastBefore(ctx, r.Received)
	}
	return sel, sel.From.Before(sel.To), err
}

// hours returns the hours in a time zone, clipped to the time range.
func (r RecentQuery) hours(zone *time.Location) ([]period.Step, error) {
	if !r.Start.Before(r.End) {
		return nil, nil
	}
	start, end := r.Start.In(zone), r.End.In(zone)
	all, err := period.Steps(earshot.Days{Start: earshot.DateOf(start), End: earshot.DateOf(end).AddDays(1)}, earshot.Hourly, zone)
	var steps []period.Step
	for _, step := range all {
		if !step.End.After(start) || !step.Start.Before(end) {
			continue
		}
		if step.Start.Before(start) {
			step.Start, step.StartDate = start, earshot.Timestamp(start)
		}
		if step.End.After(end) {
			step.End, step.EndDate = end, earshot.Timestamp(end)
		}
		steps = append(steps, step)
	}
	return steps, err
}

// parseInstant parses a key of [poststore.ByHour].
func parseInstant(key string) (time.Time, error) { return time.Parse(time.RFC3339, key) }

func total(rows []poststore.Row) (posts int64) {
	for _, row := range rows {
		posts += row.Posts
	}
	return posts
}
