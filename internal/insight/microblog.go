package insight

import (
	"context"
	"slices"
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
	originals, err := s.originals(ctx, c.rows[1])
	if err != nil {
		return nil, err
	}
	list := make([]Spread, len(c.dates))
	for day, date := range c.dates {
		list[day] = Spread{Day: date, Hashtags: c.counts(0, day)}
		if list[day].Retweets, err = s.retweets(ctx, m, date, c.rows[1][day], originals); err != nil {
			return nil, err
		}
	}
	return list, nil
}

// repeatedKey returns the identity of a repeated post. No microblog has a space in its name.
func repeatedKey(key string) earshot.PostKey {
	source, guid, _ := strings.Cut(key, " ")
	return earshot.PostKey{Source: earshot.Source(source), GUID: guid}
}

// originals returns where the repeated posts of some days can be read, by the keys of rows,
// as far as they are stored.
func (s *Service) originals(ctx context.Context, days [][]poststore.Row) (map[string]string, error) {
	at, err := s.Store.Position(ctx)
	if err != nil {
		return nil, err
	}
	now := s.Now()
	found := map[string]string{}
	var sought []earshot.PostKey
	for _, rows := range days {
		for _, row := range rows {
			key := row.Key[0]
			if _, seen := found[key]; seen {
				continue
			}
			if found[key] = s.links.find(linkKey{post: key}, now); found[key] == "" && !s.links.isMissing(key, at) {
				sought = append(sought, repeatedKey(key))
			}
		}
	}
	if len(sought) == 0 {
		return found, nil
	}
	return found, s.findOriginals(ctx, sought, found, at)
}

// findOriginals looks for posts in the store, which is at a position or further.
func (s *Service) findOriginals(ctx context.Context, sought []earshot.PostKey, found map[string]string, at earshot.Position) error {
	posts, err := s.Store.Find(ctx, sought)
	if err != nil {
		return err
	}
	now := s.Now()
	for i := range posts {
		key := string(posts[i].Source) + " " + posts[i].GUID
		found[key] = posts[i].URL
		s.links.note(linkKey{post: key}, posts[i].URL, now)
	}
	var missing []string
	for _, k := range sought {
		if key := string(k.Source) + " " + k.GUID; found[key] == "" {
			missing = append(missing, key)
		}
	}
	s.links.noteMissing(missing, at)
	return nil
}

// retweets returns the repeated posts of a day. One that is not stored is shown by a post of
// the day that repeats it.
func (s *Service) retweets(ctx context.Context, m *earshot.Monitor, day earshot.Date, rows []poststore.Row, originals map[string]string) ([]Retweets, error) {
	list := make([]Retweets, len(rows))
	missing := map[string]*Retweets{}
	now := s.Now()
	for i, row := range rows {
		key := row.Key[0]
		r := &list[i]
		*r = Retweets{URL: originals[key], Original: originals[key] != "", Posts: row.Posts}
		if r.Original {
			continue
		}
		if r.URL = s.links.find(linkKey{key, m.ID, day}, now); r.URL == "" {
			missing[key] = r
		}
	}
	of := selection(m, earshot.Days{Start: day, End: day.AddDays(1)})
	of.Sources, of.Engagement = earshot.Microblogs, earshot.Retweet
	for len(missing) > 0 {
		posts, err := s.repeating(ctx, of, missing)
		if err != nil {
			return nil, err
		}
		if len(posts) == 0 {
			return list, nil // they have just been deleted
		}
		for i := range posts {
			key := string(posts[i].Source) + " " + posts[i].ParentGUID
			if r := missing[key]; r != nil {
				r.URL = posts[i].URL
				s.links.note(linkKey{key, m.ID, day}, r.URL, now)
				delete(missing, key)
			}
		}
	}
	return list, nil
}

// mostRepeating is how many posts are looked at to find some that repeat others.
const mostRepeating = 500

// repeating returns the newest posts that repeat one of those that are missing. A post that
// was repeated very often may hide the others, which are then asked for again.
func (s *Service) repeating(ctx context.Context, of poststore.Selection, missing map[string]*Retweets) ([]earshot.Post, error) {
	for key := range missing {
		of.Parents = append(of.Parents, repeatedKey(key).GUID)
	}
	posts, _, err := s.Store.Posts(ctx, of, mostRepeating)
	return slices.DeleteFunc(posts, func(p earshot.Post) bool {
		return missing[string(p.Source)+" "+p.ParentGUID] == nil // the same guid on another network
	}), err
}
