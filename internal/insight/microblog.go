package insight

import (
	"context"
	"strings"

	"earshot"
	"earshot/internal/poststore"
)

// Spread is what spread on microblogs on a day.
type Spread struct {
	Day      earshot.Date
	Hashtags []Count // largest first
	Retweets []Retweets
}

// Retweets are how often posts of a monitor repeated a post on a day.
type Retweets struct {
	URL      string
	Original bool // URL is that of the repeated post, not of one that repeats it
	Posts    int64
}

// topRetweets is how many repeated posts of a day are listed.
const topRetweets = 50

// Spread returns the most frequent hashtags and the most repeated posts of each day.
func (s *Service) Spread(ctx context.Context, m *earshot.Monitor, days earshot.Days) ([]Spread, error) {
	c, err := s.daily(ctx, m, days, earshot.Microblogs, top(poststore.ByHashtag, topHashtags), top(poststore.ByRetweeted, topRetweets))
	if err != nil {
		return nil, err
	}
	list := make([]Spread, len(c.dates))
	for day, date := range c.dates {
		list[day] = Spread{Day: date, Hashtags: c.counts(0, day)}
		if list[day].Retweets, err = s.retweets(ctx, m, date, c.rows[1][day]); err != nil {
			return nil, err
		}
	}
	return list, nil
}

// repeated are the repeated posts of a day.
type repeated []Retweets

func (list repeated) weight() int {
	bytes := 0
	for _, r := range list {
		bytes += len(r.URL) + 40
	}
	return bytes
}

// retweets returns the repeated posts of a day, which rows count. Where each of them can be
// read takes long to find out, so it is remembered as long as the day has the same posts.
func (s *Service) retweets(ctx context.Context, m *earshot.Monitor, day earshot.Date, rows []poststore.Row) (repeated, error) {
	if len(rows) == 0 {
		return nil, nil
	}
	of := selection(m, earshot.Days{Start: day, End: day.AddDays(1)})
	return remember(ctx, s.Store, &s.repeated, of, "", func() (repeated, error) { return s.findRetweets(ctx, of, rows) })
}

// findRetweets finds where the repeated posts can be read. One that is not stored is shown
// by the newest post of the day that repeats it.
func (s *Service) findRetweets(ctx context.Context, of poststore.Selection, rows []poststore.Row) (repeated, error) {
	list := make(repeated, len(rows))
	keys := make([]earshot.PostKey, len(rows))
	missing := make(map[earshot.PostKey]*Retweets, len(rows))
	for i, row := range rows {
		list[i].Posts = row.Posts
		keys[i] = repeatedKey(row.Key[0])
		missing[keys[i]] = &list[i]
	}
	originals, err := s.Store.Find(ctx, keys)
	if err != nil {
		return nil, err
	}
	for i := range originals {
		if p := &originals[i]; p.URL != "" {
			*missing[p.Key()] = Retweets{URL: p.URL, Original: true, Posts: missing[p.Key()].Posts}
			delete(missing, p.Key())
		}
	}
	if len(missing) == 0 {
		return list, nil
	}
	return list, s.findRepeating(ctx, of, missing)
}

// findRepeating gives repeated posts the addresses of posts that repeat them.
func (s *Service) findRepeating(ctx context.Context, of poststore.Selection, missing map[earshot.PostKey]*Retweets) error {
	of.Sources = earshot.Microblogs
	for key := range missing {
		of.Parents = append(of.Parents, key.GUID)
	}
	repeating, _, err := s.Store.Posts(ctx, of, mostRepeating)
	for i := range repeating {
		p := &repeating[i]
		key := earshot.PostKey{Source: p.Source, GUID: p.ParentGUID}
		if r := missing[key]; r != nil && p.Engagement == earshot.Retweet {
			r.URL = p.URL
			delete(missing, key)
		}
	}
	return err
}

// mostRepeating is how many posts of a day are looked at to find one for each repeated post.
const mostRepeating = 1000

// repeatedKey returns the identity of a repeated post. No microblog has a space in its name.
func repeatedKey(key string) earshot.PostKey {
	source, guid, _ := strings.Cut(key, " ")
	return earshot.PostKey{Source: earshot.Source(source), GUID: guid}
}
