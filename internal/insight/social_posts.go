package insight

import (
	"context"
	"iter"
	"sort"
	"time"

	"earshot"
	"earshot/internal/poststore"
)

// An OwnDay lists the posts that an account published on a day, newest first.
type OwnDay struct {
	Day   earshot.Date
	Posts []OwnPost
}

// An OwnPost is a post that the account of a monitor wrote itself, with the counters that the post
// states.
type OwnPost struct {
	URL                     string
	Time                    time.Time
	Contents                string
	Hashtags                []string
	Likes, Shares, Comments earshot.Count
	Retweets, Replies       earshot.Count
	Impressions             earshot.Count // followers of the account

	guid string
}

// OwnPosts yields the posts that the account of m published, for each day that has results. A day
// with many posts is yielded in several consecutive pieces. After an error, the sequence ends.
func (s *Service) OwnPosts(ctx context.Context, m *earshot.Monitor, days earshot.Days) iter.Seq2[OwnDay, error] {
	return ownDays(s.readOwnPosts(ctx, m, days), func([]OwnDay) error { return nil })
}

// ownDays yields the days of each piece after calling complete on the piece.
func ownDays(pieces iter.Seq2[[]OwnDay, error], complete func([]OwnDay) error) iter.Seq2[OwnDay, error] {
	return func(yield func(OwnDay, error) bool) {
		for days, err := range pieces {
			if err == nil {
				err = complete(days)
			}
			if err != nil {
				yield(OwnDay{}, err)
				return
			}
			for _, day := range days {
				if !yield(day, nil) {
					return
				}
			}
		}
	}
}

// dayIndex returns the index of the day that contains a time. It is -1 before the first day, and
// the number of days after the last.
func dayIndex(bounds []time.Time, t time.Time) int {
	return sort.Search(len(bounds), func(i int) bool { return bounds[i].After(t) }) - 1
}

func newOwnPost(p *earshot.Post) OwnPost {
	return OwnPost{
		URL:         p.URL,
		Time:        p.Time,
		Contents:    p.Contents,
		Hashtags:    p.Hashtags,
		Likes:       p.Likes,
		Shares:      p.Shares,
		Comments:    p.Comments,
		Retweets:    p.Retweets,
		Replies:     p.Replies,
		Impressions: p.Followers,
		guid:        p.GUID,
	}
}

// SentPosts is [Service.OwnPosts] with values for counters that a post does not state: the number
// of retweets and replies among the posts of m, or of its monitor if m is a filter, and the number
// of followers of the account on that day. docs/decisions/0039-own-posts-and-account-metrics.md
func (s *Service) SentPosts(ctx context.Context, m *earshot.Monitor, days earshot.Days) iter.Seq2[OwnDay, error] {
	return func(yield func(OwnDay, error) bool) {
		values, err := s.counterValues(ctx, m, days, followers)
		if err != nil {
			yield(OwnDay{}, err)
			return
		}
		followersOn := make(map[earshot.Date]int64, len(values))
		for _, f := range values {
			followersOn[f.Day] = f.Value
		}
		var since time.Time // day of the first post that does not state its retweets and replies
		ownDays(s.readOwnPosts(ctx, m, days), func(sent []OwnDay) error {
			first, guids := postsWithoutCounts(sent)
			if len(guids) > 0 && since.IsZero() {
				since = first.Start(m.Location())
			}
			for _, day := range sent {
				for i := range day.Posts {
					setIfMissing(&day.Posts[i].Impressions, followersOn[day.Day])
				}
			}
			return s.countEngagement(ctx, m, sent, since, guids)
		})(yield)
	}
}

// countEngagement counts the retweets and replies of posts that do not state them, starting at a
// time.
func (s *Service) countEngagement(ctx context.Context, m *earshot.Monitor, sent []OwnDay, since time.Time, guids []string) error {
	if len(guids) == 0 {
		return nil
	}
	rows, err := poststore.TallyOne(ctx, s.Store, poststore.Selection{Set: poststore.MonitorSet(rootID(m)), From: since, Parents: guids}, poststore.Tally{
		By: []poststore.Dim{poststore.ByParent, poststore.ByEngagement},
	})
	if err != nil {
		return err
	}
	type relation struct{ parent, engagement string }
	found := make(map[relation]int64, len(rows))
	for _, row := range rows {
		found[relation{row.Key[0], row.Key[1]}] = row.Posts
	}
	for _, day := range sent {
		for i := range day.Posts {
			p := &day.Posts[i]
			setIfMissing(&p.Retweets, found[relation{p.guid, string(earshot.Retweet)}])
			setIfMissing(&p.Replies, found[relation{p.guid, string(earshot.Reply)}])
		}
	}
	return nil
}

// postsWithoutCounts returns the guids of posts that do not state their retweets and replies, and
// the day of the first one.
func postsWithoutCounts(sent []OwnDay) (first earshot.Date, guids []string) {
	for _, day := range sent {
		for i := range day.Posts {
			p := &day.Posts[i]
			if !p.Retweets.IsZero() && !p.Replies.IsZero() {
				continue
			}
			if len(guids) == 0 {
				first = day.Day
			}
			guids = append(guids, p.guid)
		}
	}
	return first, guids
}

// setIfMissing sets a counter unless it is already set.
func setIfMissing(c *earshot.Count, n int64) {
	if c.IsZero() {
		*c = earshot.Counted(n)
	}
}

// ownBatch is the number of own posts held in memory at once.
const ownBatch = 1000

// readOwnPosts yields the own posts of m on the days that have results, several days at a time. A
// day with more than ownBatch posts is yielded in pieces.
func (s *Service) readOwnPosts(ctx context.Context, m *earshot.Monitor, days earshot.Days) iter.Seq2[[]OwnDay, error] {
	return func(yield func([]OwnDay, error) bool) {
		c, err := s.countDaysOf(ctx, m, poststore.Selection{Set: poststore.OwnSet(m.ID)}, days, allPosts)
		if err != nil {
			yield(nil, err)
			return
		}
		r := &ownReader{store: s.Store, monitor: m, yield: yield}
		for first := 0; first < len(c.dates); {
			end, posts := first+1, c.posts(0, first)
			for end < len(c.dates) && posts+c.posts(0, end) <= ownBatch {
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

// An ownReader reads the own posts of a monitor. Its methods report whether to continue.
type ownReader struct {
	store   Store
	monitor *earshot.Monitor
	yield   func([]OwnDay, error) bool
}

// read yields the posts of consecutive days.
func (r *ownReader) read(ctx context.Context, dates []earshot.Date) bool {
	bounds := dayBounds(earshot.Days{Start: dates[0], End: dates[len(dates)-1].AddDays(1)}, r.monitor.Location())
	sel := poststore.Selection{Set: poststore.OwnSet(r.monitor.ID), From: bounds[0], To: bounds[len(dates)]}
	if len(dates) == 1 {
		return r.readDay(ctx, dates[0], sel)
	}
	posts, total, err := r.store.Posts(ctx, sel, ownBatch)
	if err != nil {
		r.yield(nil, err)
		return false
	}
	if total > int64(len(posts)) { // posts were added after they were counted
		half := len(dates) / 2
		return r.read(ctx, dates[:half]) && r.read(ctx, dates[half:])
	}
	return r.yield(groupByDay(dates, bounds, posts), nil)
}

func groupByDay(dates []earshot.Date, bounds []time.Time, posts []earshot.Post) []OwnDay {
	own := make([]OwnDay, len(dates))
	for i, date := range dates {
		own[i].Day = date
	}
	for i := range posts {
		on := &own[dayIndex(bounds, posts[i].Time)]
		on.Posts = append(on.Posts, newOwnPost(&posts[i]))
	}
	return own
}

// readDay yields the posts of a day, in several pieces if there are many.
func (r *ownReader) readDay(ctx context.Context, date earshot.Date, sel poststore.Selection) bool {
	for posts, err := range batches(ctx, r.store, sel, ownBatch) {
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

func postsAfter(posts []earshot.Post, p *earshot.Post) []earshot.Post {
	for p != nil && len(posts) > 0 && earshot.ComparePosts(&posts[0], p) <= 0 {
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
