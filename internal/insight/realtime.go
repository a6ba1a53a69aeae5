package insight

import (
	"context"
	"time"

	"earshot"
	"earshot/internal/poststore"
)

// A Recent is a stretch of time whose posts are looked at, up to a moment or the end of the
// monitor's results. docs/decisions/0052-realtime-monitor.md
type Recent struct {
	Start, End time.Time        // End is exclusive
	Sources    []earshot.Source // any of these; none: all
	Engagement earshot.Engagement
	Received   time.Time           // came at this moment or later; zero: at any
	Sets       []earshot.MonitorID // in any of these; none: all
}

// Journal knows when posts came.
type Journal interface {
	// Before returns the last position at which an entry was appended before a moment.
	Before(ctx context.Context, moment time.Time) (earshot.Position, error)
}

// A RecentVolume is how many posts there are, by hour and by source.
type RecentVolume struct {
	Volume
	Sources []Count // largest first
}

// RecentVolume counts the posts of m. The hours are those of its clock; the first and the last
// may be less than an hour.
func (s *Service) RecentVolume(ctx context.Context, m *earshot.Monitor, r Recent) (RecentVolume, error) {
	rows, err := s.tallyRecent(ctx, m, r, by(poststore.ByHour), by(poststore.BySource))
	if err != nil {
		return RecentVolume{}, err
	}
	steps, err := r.hours(m.Location())
	if err != nil {
		return RecentVolume{}, err
	}
	v, err := volume(steps, rows[0], readInstant)
	return RecentVolume{v, countsOf(rows[1])}, err
}

// RecentHashtags returns how many posts of m there are, and the most frequent hashtags.
func (s *Service) RecentHashtags(ctx context.Context, m *earshot.Monitor, r Recent, most int) (int64, []Count, error) {
	return s.recentTop(ctx, m, r, top(poststore.ByHashtag, most))
}

// RecentCashtags returns how many posts of m there are, and the most frequent cashtags.
func (s *Service) RecentCashtags(ctx context.Context, m *earshot.Monitor, r Recent, most int) (int64, []Count, error) {
	return s.recentTop(ctx, m, r, top(poststore.ByCashtag, most))
}

func (s *Service) recentTop(ctx context.Context, m *earshot.Monitor, r Recent, t poststore.Tally) (int64, []Count, error) {
	rows, err := s.tallyRecent(ctx, m, r, everything, t)
	if err != nil {
		return 0, nil, err
	}
	return total(rows[0]), countsOf(rows[1]), nil
}

// RecentPosts returns at most limit posts of m, newest first, and how many there are.
func (s *Service) RecentPosts(ctx context.Context, m *earshot.Monitor, r Recent, limit int) ([]earshot.Post, int64, error) {
	of, any, err := s.selectRecent(ctx, m, r)
	if err != nil || !any {
		return nil, 0, err
	}
	return s.Store.Posts(ctx, of, limit)
}

// RecentRetweets returns how many microblog posts repeat another one, and the posts that were
// repeated most.
func (s *Service) RecentRetweets(ctx context.Context, m *earshot.Monitor, r Recent, most int) (int64, []Retweets, error) {
	r.Sources, r.Engagement = earshot.Microblogs, earshot.Retweet
	rows, err := s.tallyRecent(ctx, m, r, everything, top(poststore.ByRetweeted, most))
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

// recentLinks finds where repeated posts can be read, as findLinks does.
func (s *Service) recentLinks(ctx context.Context, m *earshot.Monitor, r Recent, rows []poststore.Row, at earshot.Position) (dayLinks, error) {
	originals, err := s.originals(ctx, rows, at)
	if err != nil {
		return nil, err
	}
	of, _, err := s.selectRecent(ctx, m, r)
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
	return links, s.findRepeating(ctx, of, missing, func(key, url string) { links[key] = dayLink{url: url} })
}
