package insight

import (
	"context"
	"math"
	"sort"
	"time"

	"earshot"
	"earshot/internal/poststore"
)

// An OwnDay is what an account published on a day, newest first.
type OwnDay struct {
	Day   earshot.Date
	Posts []OwnPost
}

// An OwnPost is a post that the account of a monitor wrote itself, with the figures that it
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

// ownAtOnce is how many days of own posts are read at a time.
const ownAtOnce = 31

// OwnPosts returns what the account of m published, on every day that has results.
func (s *Service) OwnPosts(ctx context.Context, m *earshot.Monitor, days earshot.Days) ([]OwnDay, error) {
	days, err := s.countable(m, days)
	if err != nil || days.Len() <= 0 {
		return nil, err
	}
	begins := starts(days, m.Location())
	own := make([]OwnDay, days.Len())
	for i, day := range dates(days) {
		own[i].Day = day
	}
	for first := 0; first < len(own); first += ownAtOnce {
		of := poststore.Selection{Monitor: m.ID.Own(), From: begins[first], To: begins[min(first+ownAtOnce, len(own))]}
		posts, _, err := s.Store.Posts(ctx, of, math.MaxInt32)
		if err != nil {
			return nil, err
		}
		for i := range posts {
			on := &own[dayAt(begins, posts[i].Time)]
			on.Posts = append(on.Posts, newOwnPost(&posts[i]))
		}
	}
	return own, nil
}

// dayAt returns on which of some days, by their beginnings, a moment is: -1 before the
// first, and one that does not exist after the last.
func dayAt(begins []time.Time, t time.Time) int {
	return sort.Search(len(begins), func(i int) bool { return begins[i].After(t) }) - 1
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

// SentPosts is OwnPosts with figures also where a post does not state them: how often it was
// repeated and answered among the posts of m, of the whole monitor where m is a filter, and
// the followers that the account had.
// docs/decisions/0039-own-posts-and-account-figures.md
func (s *Service) SentPosts(ctx context.Context, m *earshot.Monitor, days earshot.Days) ([]OwnDay, error) {
	sent, err := s.OwnPosts(ctx, m, days)
	if err != nil {
		return nil, err
	}
	if err := s.countAnswers(ctx, m, sent); err != nil {
		return nil, err
	}
	figures, err := s.figures(ctx, m, days, followers)
	if err != nil {
		return nil, err
	}
	impress(sent, figures)
	return sent, nil
}

// countAnswers counts what repeats and answers the posts that do not state it, from the day
// of the first one on.
func (s *Service) countAnswers(ctx context.Context, m *earshot.Monitor, sent []OwnDay) error {
	first, guids := uncounted(sent)
	if len(guids) == 0 {
		return nil
	}
	rows, err := s.Store.Tally(ctx, poststore.Tally{
		Of: poststore.Selection{Monitor: whole(m), From: first.Start(m.Location()), Parents: guids},
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
			state(&p.Retweets, found[relation{p.guid, string(earshot.Retweet)}])
			state(&p.Replies, found[relation{p.guid, string(earshot.Reply)}])
		}
	}
	return nil
}

// uncounted returns the posts that do not state how often they were repeated and answered,
// and the day of the first one.
func uncounted(sent []OwnDay) (first earshot.Date, guids []string) {
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

// impress gives posts that do not state the followers of their author those that the
// account had on their day.
func impress(sent []OwnDay, figures []Figure) {
	had := make(map[earshot.Date]int64, len(figures))
	for _, f := range figures {
		had[f.Day] = f.Value
	}
	for _, day := range sent {
		for i := range day.Posts {
			state(&day.Posts[i].Impressions, had[day.Day])
		}
	}
}

// state sets a figure that is not stated.
func state(c *earshot.Count, n int64) {
	if c.IsZero() {
		*c = earshot.Counted(n)
	}
}
