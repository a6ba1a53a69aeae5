package insight

import (
	"context"
	"iter"
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

// OwnPosts yields what the account of m published, on every day that has results. A day with
// many posts comes in pieces, one after the other. After an error nothing follows.
func (s *Service) OwnPosts(ctx context.Context, m *earshot.Monitor, days earshot.Days) iter.Seq2[OwnDay, error] {
	return ownDays(s.readOwn(ctx, m, days), func([]OwnDay) error { return nil })
}

// ownDays yields the days of each piece, after complete has seen them.
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
func (s *Service) SentPosts(ctx context.Context, m *earshot.Monitor, days earshot.Days) iter.Seq2[OwnDay, error] {
	return func(yield func(OwnDay, error) bool) {
		figures, err := s.figures(ctx, m, days, followers)
		if err != nil {
			yield(OwnDay{}, err)
			return
		}
		had := make(map[earshot.Date]int64, len(figures))
		for _, f := range figures {
			had[f.Day] = f.Value
		}
		var since time.Time // the day of the first post that does not state how often it was answered
		ownDays(s.readOwn(ctx, m, days), func(sent []OwnDay) error {
			first, guids := uncounted(sent)
			if len(guids) > 0 && since.IsZero() {
				since = first.Start(m.Location())
			}
			impress(sent, had)
			return s.countAnswers(ctx, m, sent, since, guids)
		})(yield)
	}
}

// countAnswers counts what repeats and answers posts that do not state it, since a moment.
func (s *Service) countAnswers(ctx context.Context, m *earshot.Monitor, sent []OwnDay, since time.Time, guids []string) error {
	if len(guids) == 0 {
		return nil
	}
	rows, err := s.Store.Tally(ctx, poststore.Tally{
		Of: poststore.Selection{Monitor: whole(m), From: since, Parents: guids},
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
func impress(sent []OwnDay, had map[earshot.Date]int64) {
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
