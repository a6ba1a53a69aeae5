package insight

import (
	"context"
	"slices"
	"strconv"
	"strings"

	"earshot"
	"earshot/internal/poststore"
)

// MicroblogMetrics are the hashtags and retweets of a day's microblog posts.
type MicroblogMetrics struct {
	Day      earshot.Date
	Hashtags []Count // most frequent first
	Retweets []Retweets
}

// Retweets counts how often posts of a monitor repeated a post on a day.
type Retweets struct {
	URL      string
	Original bool // whether URL is that of the repeated post rather than of a post that repeats it
	Posts    int64
}

// topRetweets is the number of repeated posts listed for a day.
const topRetweets = 50

// MicroblogMetrics returns the most frequent hashtags and the most repeated posts of each day.
func (s *Service) MicroblogMetrics(ctx context.Context, m *earshot.Monitor, days earshot.Days) ([]MicroblogMetrics, error) {
	c, err := s.countDays(ctx, m, days, earshot.Microblogs, topBy(poststore.ByHashtag, topHashtags), topBy(poststore.ByRetweeted, topRetweets))
	if err != nil {
		return nil, err
	}
	at, err := s.Store.Position(ctx)
	if err != nil {
		return nil, err
	}
	list := make([]MicroblogMetrics, len(c.dates))
	for day, date := range c.dates {
		list[day] = MicroblogMetrics{Day: date, Hashtags: c.counts(0, day)}
		if list[day].Retweets, err = s.retweets(ctx, m, date, c.rows[1][day], at); err != nil {
			return nil, err
		}
	}
	return list, nil
}

// dayLinks maps row keys to the URLs of a day's repeated posts.
type dayLinks map[string]dayLink

type dayLink struct {
	url      string
	original bool
}

func (d dayLinks) size() int {
	bytes := 0
	for key, l := range d {
		bytes += len(key) + len(l.url) + 64
	}
	return bytes
}

// retweets returns the repeated posts of a day. The store is at position at or later. Links are
// cached until the store changes.
func (s *Service) retweets(ctx context.Context, m *earshot.Monitor, day earshot.Date, rows []poststore.Row, at earshot.Position) ([]Retweets, error) {
	if len(rows) == 0 {
		return nil, nil
	}
	sel := selection(m, earshot.Days{Start: day, End: day.AddDays(1)})
	links, err := memoize(ctx, s.Store, &s.links, sel, strconv.FormatUint(uint64(at), 10), func() (dayLinks, error) {
		return s.findLinks(ctx, m, day, rows, at)
	})
	if err != nil {
		return nil, err
	}
	list := make([]Retweets, len(rows))
	for i, row := range rows {
		l := links[row.Key[0]]
		list[i] = Retweets{URL: l.url, Original: l.original, Posts: row.Posts}
	}
	return list, nil
}

// repeatedKey returns the key of a repeated post. Names of microblogs do not contain spaces.
func repeatedKey(key string) earshot.PostKey {
	source, guid, _ := strings.Cut(key, " ")
	return earshot.PostKey{Source: earshot.Source(source), GUID: guid}
}

// originals returns the URLs of the repeated posts that are stored, by row key. The URL is empty
// for other posts.
func (s *Service) originals(ctx context.Context, rows []poststore.Row, at earshot.Position) (map[string]string, error) {
	now := s.Now()
	found := make(map[string]string, len(rows))
	var keys []earshot.PostKey
	for _, row := range rows {
		key := row.Key[0]
		if found[key] = s.postLinks.find(linkKey{post: key}, now); found[key] == "" && !s.postLinks.isMissing(key, at) {
			keys = append(keys, repeatedKey(key))
		}
	}
	if len(keys) == 0 {
		return found, nil
	}
	return found, s.findOriginals(ctx, keys, found, at)
}

// findOriginals looks up posts in the store, which is at position at or later, and adds their URLs
// to found.
func (s *Service) findOriginals(ctx context.Context, keys []earshot.PostKey, found map[string]string, at earshot.Position) error {
	posts, err := s.Store.Find(ctx, keys)
	if err != nil {
		return err
	}
	now := s.Now()
	for i := range posts {
		key := string(posts[i].Source) + " " + posts[i].GUID
		found[key] = posts[i].URL
		s.postLinks.add(linkKey{post: key}, posts[i].URL, now)
	}
	var missing []string
	for _, k := range keys {
		if key := string(k.Source) + " " + k.GUID; found[key] == "" {
			missing = append(missing, key)
		}
	}
	s.postLinks.addMissing(missing, at)
	return nil
}

// findLinks finds the URLs of the repeated posts of a day. For a post that is not stored, it
// returns the URL of a post of the day that repeats it.
func (s *Service) findLinks(ctx context.Context, m *earshot.Monitor, day earshot.Date, rows []poststore.Row, at earshot.Position) (dayLinks, error) {
	originals, err := s.originals(ctx, rows, at)
	if err != nil {
		return nil, err
	}
	links := make(dayLinks, len(rows))
	missing := map[string]bool{}
	now := s.Now()
	for key, url := range originals {
		links[key] = dayLink{url, url != ""}
		if url == "" {
			url = s.postLinks.find(linkKey{key, m.ID, day}, now)
			links[key] = dayLink{url: url}
		}
		if url == "" {
			missing[key] = true
		}
	}
	sel := selection(m, earshot.Days{Start: day, End: day.AddDays(1)})
	return links, s.findRepeating(ctx, sel, missing, func(key, url string) {
		links[key] = dayLink{url: url}
		s.postLinks.add(linkKey{key, m.ID, day}, url, now)
	})
}

// findRepeating calls add with the URLs of selected posts that repeat one of the missing posts.
func (s *Service) findRepeating(ctx context.Context, sel poststore.Selection, missing map[string]bool, add func(key, url string)) error {
	sel.Sources, sel.Engagement = earshot.Microblogs, earshot.Retweet
	for len(missing) > 0 {
		posts, err := s.repeating(ctx, sel, missing)
		if err != nil || len(posts) == 0 { // they were deleted concurrently
			return err
		}
		for i := range posts {
			key := string(posts[i].Source) + " " + posts[i].ParentGUID
			if missing[key] {
				add(key, posts[i].URL)
				delete(missing, key)
			}
		}
	}
	return nil
}

// maxRepeating is the number of posts read at a time to find posts that repeat others.
const maxRepeating = 500

// repeating returns the newest posts that repeat one of the missing posts. A post that was repeated
// very often may crowd out the others, so the caller must call it again for those.
func (s *Service) repeating(ctx context.Context, sel poststore.Selection, missing map[string]bool) ([]earshot.Post, error) {
	for key := range missing {
		sel.Parents = append(sel.Parents, repeatedKey(key).GUID)
	}
	posts, _, err := s.Store.Posts(ctx, sel, maxRepeating)
	return slices.DeleteFunc(posts, func(p earshot.Post) bool {
		return !missing[string(p.Source)+" "+p.ParentGUID] // the same guid on another network
	}), err
}
