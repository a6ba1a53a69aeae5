// Package label draws random samples of the posts of monitors, and keeps what people say about them.
//
// Labels calibrate the shares of sentiments, emotions and categories ([internal/insight] estimates them).
// Only posts of a random sample do: posts that people pick by hand say more about what caught their eye
// than about the posts of the monitor, so corrections stay apart. See docs/models/shares.md.
package label

import (
	"cmp"
	"context"
	"errors"
	"math/rand/v2"
	"slices"
	"time"

	"earshot"
	"earshot/internal/poststore"
	"earshot/internal/state/catalog"
)

// Posts finds stored posts as the models see them, without corrections.
type Posts interface {
	Posts(ctx context.Context, of poststore.Selection, limit int) ([]earshot.Post, int64, error)
	Sample(ctx context.Context, of poststore.Selection, sample int, visit func(*earshot.Post)) (int64, error)
}

// A Service manages samples and labels. It is safe for concurrent use.
type Service struct {
	Catalog *catalog.Catalog
	Posts   Posts
	Now     func() time.Time
}

// Samples returns the samples of a monitor or, given a filter, of its monitor, oldest first.
func (s *Service) Samples(id earshot.MonitorID) (list []*earshot.LabelSample) {
	m, ok := s.Catalog.FindMonitor(id)
	if !ok {
		return nil
	}
	for _, sample := range s.Catalog.Samples.List() {
		if sample.Monitor == m.ID {
			list = append(list, sample)
		}
	}
	return list
}

// What a sample has unless it is said otherwise.
const (
	UsualPosts = 50
	usualDays  = 30
)

// UsualDays returns the last 30 days with results of a monitor.
func UsualDays(m *earshot.Monitor, now time.Time) earshot.Days {
	days := m.Results(now)
	if first := days.End.AddDays(-usualDays); days.Start.Before(first) {
		days.Start = first
	}
	return days
}

// A Draw says which posts to draw.
type Draw struct {
	Posts int          // how many
	Days  earshot.Days // zero: the last 30 days
}

// Draw draws a random sample of the posts of a monitor that are in no sample yet. Scores and times are
// spread like those of all posts.
func (s *Service) Draw(ctx context.Context, c *earshot.Caller, id earshot.MonitorID, d Draw) (*earshot.LabelSample, error) {
	m, err := s.monitor(c, id)
	if err != nil {
		return nil, err
	}
	if d.Posts < 1 || d.Posts > earshot.MaxSamplePosts {
		return nil, earshot.InvalidBody("posts must be from 1 to %d", earshot.MaxSamplePosts)
	}
	usual := UsualDays(m, s.Now())
	if d.Days.Start.IsZero() {
		d.Days.Start = usual.Start
	}
	if d.Days.End.IsZero() {
		d.Days.End = usual.End
	}
	if !d.Days.Start.Before(d.Days.End) {
		return nil, earshot.InvalidBody("end must be after start")
	}
	sample := &earshot.LabelSample{
		Monitor: m.ID, Generation: m.Generation, Start: d.Days.Start.Start(m.Location()), End: d.Days.End.Start(m.Location()),
		By: c.Name, Time: s.Now().UTC().Truncate(time.Second),
	}
	drawn := map[earshot.PostKey]bool{}
	for _, earlier := range s.Samples(m.ID) {
		for i := range earlier.Posts {
			drawn[earlier.Posts[i].Post] = true
		}
	}
	var pool []candidate
	of := poststore.Selection{Set: poststore.MonitorSet(m.ID), From: sample.Start, To: sample.End}
	sample.Of, err = s.Posts.Sample(ctx, of, poolSize+len(drawn), func(p *earshot.Post) {
		if key := p.Key(); !drawn[key] {
			pool = append(pool, candidate{key, p.Time, p.Sentiment.Cell()})
		}
	})
	if err != nil {
		return nil, err
	}
	if len(pool) == 0 {
		return nil, earshot.Errorf(earshot.Invalid, "Monitor %d has no posts from %s to %s that are not in a sample yet", m.ID, d.Days.Start, d.Days.End.AddDays(-1))
	}
	random := rand.New(rand.NewPCG(uint64(m.ID), uint64(sample.Time.Unix()))) // the draw can be repeated
	for _, x := range spread(pool, d.Posts, random) {
		sample.Posts = append(sample.Posts, earshot.SampledPost{Post: x.key, Posted: x.time})
	}
	return catalog.Exclusively(ctx, s.Catalog, func(ctx context.Context) (*earshot.LabelSample, error) {
		if n := len(s.Samples(m.ID)); n >= earshot.MaxSamples {
			return nil, earshot.Errorf(earshot.Invalid, "Monitor %d has %d samples, which is the maximum. Remove one first", m.ID, n)
		}
		next, err := s.Catalog.NextIDs(ctx, 1)
		if err != nil {
			return nil, err
		}
		sample.ID = earshot.LabelSampleID(next)
		return sample, s.Catalog.Samples.Add(ctx, sample.ID, sample)
	})
}

// poolSize is the number of posts that a sample is drawn from. They are random posts themselves.
const poolSize = 5000

// A candidate is a post that may be drawn.
type candidate struct {
	key  earshot.PostKey
	time time.Time
	cell earshot.ScoreCell
}

// spread draws n candidates, each with the same probability, spread evenly over scores and, among those of
// the same scores, over time. They are returned in random order.
//
// It goes through the candidates in the order of scores and times, and lets neighbors compete: of two with
// the chances a and b, one gets the chances of both, up to 1, and is drawn when it has 1. The other keeps the
// rest. So about one candidate in each n-th of the order is drawn. If every k-th one were drawn, posts that
// repeat with a period could all be in a sample, or none.
func spread(pool []candidate, n int, random *rand.Rand) []candidate {
	slices.SortFunc(pool, func(a, b candidate) int {
		return cmp.Or(cmp.Compare(a.cell, b.cell), a.time.Compare(b.time),
			cmp.Compare(a.key.Source, b.key.Source), cmp.Compare(a.key.ContentSource, b.key.ContentSource), cmp.Compare(a.key.GUID, b.key.GUID))
	})
	n = min(n, len(pool))
	drawn := make([]candidate, 0, n)
	each := float64(n) / float64(len(pool))
	left, chance := 0, each // the candidate that competes with the next one
	for i := 1; i < len(pool) && len(drawn) < n; i++ {
		both := chance + each
		switch {
		case both < 1-1e-9:
			if random.Float64()*both < each {
				left = i
			}
			chance = both
			continue
		case random.Float64()*(2-both) < 1-each:
			drawn, left = append(drawn, pool[left]), i
		default:
			drawn = append(drawn, pool[i])
		}
		chance = both - 1
	}
	if len(drawn) < n {
		drawn = append(drawn, pool[left])
	}
	random.Shuffle(n, func(i, j int) { drawn[i], drawn[j] = drawn[j], drawn[i] })
	return drawn
}

// Next returns posts of the samples of a monitor that a caller has not labeled, at most limit, and how
// many there are. Those that nobody has labeled come first.
func (s *Service) Next(ctx context.Context, c *earshot.Caller, id earshot.MonitorID, limit int) ([]earshot.Post, int, error) {
	m, err := s.monitor(c, id)
	if err != nil {
		return nil, 0, err
	}
	var fresh, again []earshot.PostKey
	for _, sample := range s.Samples(m.ID) {
		for i := range sample.Posts {
			switch p := &sample.Posts[i]; {
			case p.LabelOf(c.User) != nil:
			case len(p.Labels) == 0:
				fresh = append(fresh, p.Post)
			default:
				again = append(again, p.Post)
			}
		}
	}
	keys := slices.Concat(fresh, again)
	found, err := s.find(ctx, m.ID, keys)
	if err != nil {
		return nil, 0, err
	}
	posts := make([]earshot.Post, 0, min(limit, len(found)))
	for _, key := range keys {
		if p := found[key]; p != nil && len(posts) < limit {
			posts = append(posts, *p)
		}
	}
	return posts, len(found), nil
}

// find returns the posts with some keys that a monitor still has.
func (s *Service) find(ctx context.Context, id earshot.MonitorID, keys []earshot.PostKey) (map[earshot.PostKey]*earshot.Post, error) {
	found := map[earshot.PostKey]*earshot.Post{}
	if len(keys) == 0 {
		return found, nil
	}
	posts, _, err := s.Posts.Posts(ctx, poststore.Selection{Set: poststore.MonitorSet(id), Keys: poststore.NewKeySet(slices.Values(keys))}, len(keys))
	for i := range posts {
		found[posts[i].Key()] = &posts[i]
	}
	return found, err
}

// Set sets the label of a caller for a post of a sample, and replaces an earlier one.
func (s *Service) Set(ctx context.Context, c *earshot.Caller, id earshot.MonitorID, post earshot.PostKey, l earshot.PostLabel) error {
	m, err := s.monitor(c, id)
	if err != nil {
		return err
	}
	if err := check(m, l); err != nil {
		return err
	}
	l.User, l.By, l.Time = c.User, c.Name, s.Now().UTC().Truncate(time.Second)
	return s.edit(ctx, m.ID, post, func(p *earshot.SampledPost) error {
		p.Labels = slices.DeleteFunc(p.Labels, func(old earshot.PostLabel) bool { return old.User == c.User })
		if len(p.Labels) >= maxPeople {
			return earshot.Errorf(earshot.Invalid, "%d people have labeled the post, which is the maximum", len(p.Labels))
		}
		p.Labels = append(p.Labels, l)
		return nil
	})
}

// maxPeople is the number of people who can label a post.
const maxPeople = 20

// Remove takes the label of a caller for a post back.
func (s *Service) Remove(ctx context.Context, c *earshot.Caller, id earshot.MonitorID, post earshot.PostKey) error {
	m, err := s.monitor(c, id)
	if err != nil {
		return err
	}
	return s.edit(ctx, m.ID, post, func(p *earshot.SampledPost) error {
		if p.LabelOf(c.User) == nil {
			return earshot.Errorf(earshot.NotFound, "You have not labeled the post")
		}
		p.Labels = slices.DeleteFunc(p.Labels, func(l earshot.PostLabel) bool { return l.User == c.User })
		return nil
	})
}

// RemoveSample removes a sample with its labels.
func (s *Service) RemoveSample(ctx context.Context, c *earshot.Caller, id earshot.LabelSampleID) error {
	sample, ok := s.Catalog.Samples.Find(id)
	if ok {
		_, err := s.monitor(c, sample.Monitor)
		ok = err == nil
	}
	if !ok {
		return earshot.Errorf(earshot.NotFound, "Sample %d does not exist", id)
	}
	return s.Catalog.Samples.Remove(ctx, id)
}

// edit changes a post of a sample of a monitor.
func (s *Service) edit(ctx context.Context, id earshot.MonitorID, post earshot.PostKey, change func(*earshot.SampledPost) error) error {
	at := func(sample *earshot.LabelSample) int {
		return slices.IndexFunc(sample.Posts, func(p earshot.SampledPost) bool { return p.Post == post })
	}
	for _, sample := range s.Samples(id) {
		if at(sample) < 0 {
			continue
		}
		_, err := s.Catalog.Samples.Update(ctx, sample.ID, func(to *earshot.LabelSample) error {
			i := at(to)
			if i < 0 {
				return notSampled(post)
			}
			return change(&to.Posts[i])
		})
		return err
	}
	return notSampled(post)
}

func notSampled(post earshot.PostKey) error {
	return earshot.Errorf(earshot.NotFound, "Post %s is not in a sample of the monitor", earshot.Clip(post.Text(), 200))
}

// check returns an error unless a post of m can have a label.
func check(m *earshot.Monitor, l earshot.PostLabel) error {
	switch {
	case l.Sentiment != 0 && !m.HasBasicCategories():
		return earshot.InvalidBody("posts of an opinion monitor have a category instead of a sentiment")
	case l.Category != 0 && m.HasBasicCategories():
		return earshot.InvalidBody("only posts of an opinion monitor have a category; label the sentiment instead")
	case l.Category != 0 && !slices.ContainsFunc(m.Categories, func(c earshot.Category) bool { return c.ID == l.Category }):
		return earshot.Errorf(earshot.NotFound, "Category %d does not exist", l.Category)
	case l.Sentiment < 0 || l.Sentiment > len(earshot.BasicCategories) || l.Emotion < 0 || l.Emotion > len(earshot.BasicEmotions):
		return earshot.InvalidBody("there is no such sentiment or emotion")
	}
	return nil
}

// monitor returns the monitor with the given ID, or the monitor of that filter, if c may see it.
func (s *Service) monitor(c *earshot.Caller, id earshot.MonitorID) (*earshot.Monitor, error) {
	m, ok := s.Catalog.FindMonitor(id)
	if !ok || !c.In(m.Team) {
		return nil, earshot.NoMonitor(id)
	}
	return m, nil
}

// RemovePosts removes some posts from all samples, and returns how many there were.
func (s *Service) RemovePosts(ctx context.Context, posts []earshot.PostKey) (n int, err error) {
	gone := make(map[earshot.PostKey]bool, len(posts))
	for _, key := range posts {
		gone[key] = true
	}
	isGone := func(p earshot.SampledPost) bool { return gone[p.Post] }
	for _, sample := range s.Catalog.Samples.List() {
		if !slices.ContainsFunc(sample.Posts, isGone) {
			continue
		}
		removed := 0
		_, err := s.Catalog.Samples.Update(ctx, sample.ID, func(to *earshot.LabelSample) error {
			before := len(to.Posts)
			to.Posts = slices.DeleteFunc(to.Posts, isGone)
			removed = before - len(to.Posts)
			return nil
		})
		if err != nil && !errors.Is(err, catalog.ErrNotFound) {
			return n, err
		}
		n += removed
	}
	return n, nil
}

// Clean removes the samples of monitors that no longer exist.
func (s *Service) Clean(ctx context.Context) error {
	for _, sample := range s.Catalog.Samples.List() {
		if _, ok := s.Catalog.FindMonitor(sample.Monitor); ok {
			continue
		}
		if err := s.Catalog.Samples.Remove(ctx, sample.ID); err != nil && !errors.Is(err, catalog.ErrNotFound) {
			return err
		}
	}
	return nil
}
