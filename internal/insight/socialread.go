package insight

import (
	"context"
	"iter"
	"time"

	"earshot"
	"earshot/internal/poststore"
)

// ownAtOnce is how many own posts are in memory at a time.
const ownAtOnce = 1000

// readOwn yields the own posts of m on the days that have results, some days at a time. A
// day with more than ownAtOnce posts comes in pieces.
func (s *Service) readOwn(ctx context.Context, m *earshot.Monitor, days earshot.Days) iter.Seq2[[]OwnDay, error] {
	return func(yield func([]OwnDay, error) bool) {
		c, err := s.daily(ctx, ownOf(m), days, nil, everything)
		if err != nil {
			yield(nil, err)
			return
		}
		r := &ownReader{store: s.Store, monitor: m, yield: yield}
		for first := 0; first < len(c.dates); {
			end, posts := first+1, c.posts(0, first)
			for end < len(c.dates) && posts+c.posts(0, end) <= ownAtOnce {
				posts += c.posts(0, end)
				end++
			}
			if !r.read(ctx, c.dates[first:end]) {
				return
			}
			first = end
		}
	}
}

// An ownReader reads own posts of a monitor. Its methods report whether to go on.
type ownReader struct {
	store   Store
	monitor *earshot.Monitor
	yield   func([]OwnDay, error) bool
}

// read yields the posts of days that follow each other.
func (r *ownReader) read(ctx context.Context, dates []earshot.Date) bool {
	begins := starts(earshot.Days{Start: dates[0], End: dates[len(dates)-1].AddDays(1)}, r.monitor.Location())
	of := poststore.Selection{Monitor: r.monitor.ID.Own(), From: begins[0], To: begins[len(dates)]}
	if len(dates) == 1 {
		return r.readDay(ctx, dates[0], of)
	}
	posts, total, err := r.store.Posts(ctx, of, ownAtOnce)
	if err != nil {
		r.yield(nil, err)
		return false
	}
	if total > int64(len(posts)) { // more than there were when they were counted
		half := len(dates) / 2
		return r.read(ctx, dates[:half]) && r.read(ctx, dates[half:])
	}
	return r.yield(byDay(dates, begins, posts), nil)
}

// byDay returns what was posted on days.
func byDay(dates []earshot.Date, begins []time.Time, posts []earshot.Post) []OwnDay {
	own := make([]OwnDay, len(dates))
	for i, date := range dates {
		own[i].Day = date
	}
	for i := range posts {
		on := &own[dayAt(begins, posts[i].Time)]
		on.Posts = append(on.Posts, newOwnPost(&posts[i]))
	}
	return own
}

// readDay yields the posts of a day, in pieces where there are many.
func (r *ownReader) readDay(ctx context.Context, date earshot.Date, of poststore.Selection) bool {
	for posts, err := range inPieces(ctx, r.store, of, ownAtOnce) {
		if err != nil {
			r.yield(nil, err)
			return false
		}
		if !r.yield([]OwnDay{newOwnDay(date, posts)}, nil) {
			return false
		}
	}
	return true
}

// following returns those of posts that come after one.
func following(posts []earshot.Post, one *earshot.Post) []earshot.Post {
	for one != nil && len(posts) > 0 && earshot.ComparePosts(&posts[0], one) <= 0 {
		posts = posts[1:]
	}
	return posts
}

func newOwnDay(date earshot.Date, posts []earshot.Post) OwnDay {
	own := OwnDay{Day: date, Posts: make([]OwnPost, len(posts))}
	for i := range posts {
		own.Posts[i] = newOwnPost(&posts[i])
	}
	return own
}
