// Package correction keeps what people corrected about posts: a sentiment, an emotion or a category
// that a model got wrong.
//
// A correction belongs to a monitor and refers to its post by key. Posts in the store stay as they
// are. Instead, every query about the monitor or one of its filters carries the corrections, and the
// store counts, selects and returns posts as if the models had said so ([poststore.Corrections]). A
// correction therefore counts at once and in every metric, other monitors do not see it, and it
// outlives newer models, retraining and new versions of its post. [Reader] adds the corrections to
// queries, so that no metric can forget them. See docs/decisions/0064-corrections.md.
package correction

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"time"

	"earshot"
	"earshot/internal/poststore"
	"earshot/internal/state/catalog"
)

// Posts finds stored posts.
type Posts interface {
	Posts(ctx context.Context, of poststore.Selection, limit int) ([]earshot.Post, int64, error)
	Find(ctx context.Context, keys []earshot.PostKey) ([]earshot.Post, error)
}

// A Service manages corrections. It is safe for concurrent use.
type Service struct {
	Catalog *catalog.Catalog
	Posts   Posts // without corrections
	Now     func() time.Time

	index index
}

// For returns the corrections of a monitor or, given a filter, of its monitor. It returns nil if there
// are none.
func (s *Service) For(id earshot.MonitorID) *poststore.Corrections {
	if s.isEmpty() {
		return nil
	}
	m, ok := s.Catalog.FindMonitor(id)
	if !ok {
		return nil
	}
	return s.of(m)
}

// Find returns the correction of a post in a monitor or filter.
func (s *Service) Find(m *earshot.Monitor, post earshot.PostKey) (*earshot.Correction, bool) {
	root, ok := s.Catalog.FindMonitor(m.ID)
	if !ok {
		return nil, false
	}
	c := s.find(root.ID, post)
	return visible(root, c)
}

// visible returns what a correction corrects now: nothing in categories that were removed since.
func visible(m *earshot.Monitor, c *earshot.Correction) (*earshot.Correction, bool) {
	if c == nil || c.IsEmpty() {
		return nil, false
	}
	if c.Category == 0 || hasCategory(m, c.Category) {
		return c, true
	}
	rest := *c
	rest.Category = 0
	return &rest, !rest.IsEmpty()
}

func hasCategory(m *earshot.Monitor, id earshot.CategoryID) bool {
	return slices.ContainsFunc(m.Categories, func(c earshot.Category) bool { return c.ID == id })
}

// List returns the corrections of a monitor, or of the monitor of a filter, ordered by ID.
func (s *Service) List(m *earshot.Monitor) (list []*earshot.Correction) {
	root, ok := s.Catalog.FindMonitor(m.ID)
	if !ok {
		return nil
	}
	for _, c := range s.list(root.ID) {
		if c, ok := visible(root, c); ok {
			list = append(list, c)
		}
	}
	slices.SortFunc(list, func(a, b *earshot.Correction) int { return cmp.Compare(a.ID, b.ID) })
	return list
}

// Values is what a correction says. The fields are those of [earshot.Correction].
type Values struct {
	Sentiment, Emotion int
	Category           earshot.CategoryID
}

// Set corrects a post of a monitor on behalf of c, and replaces an earlier correction.
func (s *Service) Set(ctx context.Context, c *earshot.Caller, m *earshot.Monitor, p *earshot.Post, v Values) (*earshot.Correction, error) {
	return s.Edit(ctx, c, m, p, func(to *Values) { *to = v })
}

// Edit changes the correction of a post. It keeps what others correct at the same time, unless change
// replaces it. If nothing remains, the correction is taken back.
func (s *Service) Edit(ctx context.Context, c *earshot.Caller, m *earshot.Monitor, p *earshot.Post, change func(*Values)) (*earshot.Correction, error) {
	// So that a post never gets two corrections.
	return catalog.Exclusively(ctx, s.Catalog, func(ctx context.Context) (*earshot.Correction, error) {
		root, err := s.monitor(c, m.ID)
		if err != nil {
			return nil, err
		}
		return s.edit(ctx, c, root, p, change)
	})
}

// EditAll changes the corrections of posts of a monitor. If one of them cannot be changed, none is.
// It writes one correction after the other; repeating it after a failure completes it.
func (s *Service) EditAll(ctx context.Context, c *earshot.Caller, m *earshot.Monitor, posts []*earshot.Post, change func(*Values)) error {
	return s.Catalog.Exclusive(ctx, func(ctx context.Context) error {
		root, err := s.monitor(c, m.ID)
		if err != nil {
			return err
		}
		added := 0
		for _, p := range posts {
			v, old := s.values(root, p)
			if change(&v); v != (Values{}) || old == nil {
				if err := check(root, v); err != nil {
					return err
				}
			}
			if old == nil {
				added++
			}
		}
		if n := len(s.List(root)); added > 0 && n+added > earshot.MaxCorrections {
			return tooMany(n)
		}
		for _, p := range posts {
			if _, err := s.edit(ctx, c, root, p, change); err != nil {
				return err
			}
		}
		return nil
	})
}

func tooMany(n int) error {
	return earshot.Errorf(earshot.Invalid, "The monitor has %d corrections, which is the maximum. Remove some first", n)
}

// values returns what is corrected about a post of a monitor, and the correction, if there is one.
func (s *Service) values(root *earshot.Monitor, p *earshot.Post) (Values, *earshot.Correction) {
	old, corrected := visible(root, s.find(root.ID, p.Key()))
	if !corrected {
		return Values{}, nil
	}
	return Values{old.Sentiment, old.Emotion, old.Category}, old
}

// edit is the part of Edit that runs under Exclusive.
func (s *Service) edit(ctx context.Context, c *earshot.Caller, root *earshot.Monitor, p *earshot.Post, change func(*Values)) (*earshot.Correction, error) {
	v, corrected := s.values(root, p)
	if change(&v); v == (Values{}) && corrected != nil {
		return s.takeBack(ctx, c, root, corrected)
	}
	if err := check(root, v); err != nil {
		return nil, err
	}
	edit := func(to *earshot.Correction) error {
		to.Posted, to.Sentiment, to.Emotion, to.Category = p.Time.UTC(), v.Sentiment, v.Emotion, v.Category
		to.By, to.Time = c.Name, s.now()
		return nil
	}
	if old := s.find(root.ID, p.Key()); old != nil {
		return s.Catalog.Corrections.Update(ctx, old.ID, edit)
	}
	if n := len(s.List(root)); n >= earshot.MaxCorrections {
		return nil, tooMany(n)
	}
	id, err := s.Catalog.NextIDs(ctx, 1)
	if err != nil {
		return nil, err
	}
	added := &earshot.Correction{ID: earshot.CorrectionID(id), Monitor: root.ID, Post: p.Key()}
	if err := edit(added); err != nil {
		return nil, err
	}
	return added, s.Catalog.Corrections.Add(ctx, added.ID, added)
}

// check returns an error unless m has what a correction says.
func check(m *earshot.Monitor, v Values) error {
	switch {
	case v == Values{}:
		return earshot.InvalidBody("there must be a sentiment, an emotion or a category")
	case v.Sentiment != 0 && !m.HasBasicCategories():
		return earshot.InvalidBody("posts of an opinion monitor have a category instead of a sentiment")
	case v.Category != 0 && m.HasBasicCategories():
		return earshot.InvalidBody("only posts of an opinion monitor have a category; correct the sentiment instead")
	case v.Category != 0 && !hasCategory(m, v.Category):
		return earshot.Errorf(earshot.NotFound, "Category %d does not exist", v.Category)
	case v.Sentiment < 0 || v.Sentiment > len(earshot.BasicCategories) || v.Emotion < 0 || v.Emotion > len(earshot.BasicEmotions):
		return earshot.InvalidBody("there is no such sentiment or emotion")
	}
	return nil
}

// Remove takes the correction of a post back.
func (s *Service) Remove(ctx context.Context, c *earshot.Caller, m *earshot.Monitor, post earshot.PostKey) error {
	return s.Catalog.Exclusive(ctx, func(ctx context.Context) error {
		root, err := s.monitor(c, m.ID)
		if err != nil {
			return err
		}
		old := s.find(root.ID, post)
		if old == nil || old.IsEmpty() {
			return earshot.Errorf(earshot.NotFound, "The post has no correction")
		}
		_, err = s.takeBack(ctx, c, root, old)
		return err
	})
}

// takeBack empties a correction. The caller runs under Exclusive.
func (s *Service) takeBack(ctx context.Context, c *earshot.Caller, m *earshot.Monitor, old *earshot.Correction) (*earshot.Correction, error) {
	if len(s.list(m.ID)) >= 2*earshot.MaxCorrections { // too many were taken back to keep this one
		return &earshot.Correction{By: c.Name, Time: s.now()}, s.Catalog.Corrections.Remove(ctx, old.ID)
	}
	return s.Catalog.Corrections.Update(ctx, old.ID, func(to *earshot.Correction) error {
		to.Sentiment, to.Emotion, to.Category = 0, 0, 0
		to.By, to.Time = c.Name, s.now()
		return nil
	})
}

// monitor returns the monitor with the given ID, or the monitor of that filter, if c may see it.
func (s *Service) monitor(c *earshot.Caller, id earshot.MonitorID) (*earshot.Monitor, error) {
	m, ok := s.Catalog.FindMonitor(id)
	if !ok || !c.In(m.Team) {
		return nil, earshot.NoMonitor(id)
	}
	return m, nil
}

func (s *Service) now() time.Time { return s.Now().UTC().Truncate(time.Second) }

// Stored returns the posts of some corrections as the models see them. It leaves out posts that the
// monitor no longer has.
func (s *Service) Stored(ctx context.Context, m *earshot.Monitor, list []*earshot.Correction) (map[earshot.PostKey]*earshot.Post, error) {
	keys := poststore.NewKeySet(func(yield func(earshot.PostKey) bool) {
		for _, c := range list {
			if !yield(c.Post) {
				return
			}
		}
	})
	posts, _, err := s.Posts.Posts(ctx, poststore.Selection{Set: poststore.MonitorSet(m.ID), Keys: keys}, keys.Len())
	found := make(map[earshot.PostKey]*earshot.Post, len(posts))
	for i := range posts {
		found[posts[i].Key()] = &posts[i]
	}
	return found, err
}

// RemovePosts removes all corrections of some posts, and returns their number.
func (s *Service) RemovePosts(ctx context.Context, posts []earshot.PostKey) (int, error) {
	gone := make(map[earshot.PostKey]bool, len(posts))
	for _, key := range posts {
		gone[key] = true
	}
	return s.removeWhere(ctx, func(c *earshot.Correction) bool { return gone[c.Post] })
}

// Limits of Clean.
const (
	// cleanAge is how old a correction must be before Clean looks whether its post still exists, so
	// that a store that is catching up with the journal does not cost anyone their work.
	cleanAge = 24 * time.Hour

	// emptyAge is how long corrections that were taken back are kept.
	emptyAge = 90 * 24 * time.Hour

	cleanBatch = 500 // posts that are looked up together
)

// Clean removes corrections of removed monitors and categories, of posts that no longer exist, and
// those that were taken back long ago.
func (s *Service) Clean(ctx context.Context) error {
	_, err := s.removeWhere(ctx, func(c *earshot.Correction) bool {
		m, ok := s.Catalog.FindMonitor(c.Monitor)
		if !ok || c.IsEmpty() {
			return !ok || s.Now().Sub(c.Time) > emptyAge
		}
		_, ok = visible(m, c)
		return !ok
	})
	if err != nil {
		return err
	}
	for batch := range slices.Chunk(s.Catalog.Corrections.List(), cleanBatch) {
		var keys []earshot.PostKey
		for _, c := range batch {
			if s.Now().Sub(c.Time) > cleanAge {
				keys = append(keys, c.Post)
			}
		}
		if len(keys) == 0 {
			continue
		}
		found, err := s.Posts.Find(ctx, keys)
		if err != nil {
			return err
		}
		exists := make(map[earshot.PostKey]bool, len(found))
		for i := range found {
			exists[found[i].Key()] = true
		}
		if _, err := s.RemovePosts(ctx, slices.DeleteFunc(keys, func(k earshot.PostKey) bool { return exists[k] })); err != nil {
			return err
		}
	}
	return nil
}

// removeWhere removes the corrections that match, and returns their number.
func (s *Service) removeWhere(ctx context.Context, match func(*earshot.Correction) bool) (n int, err error) {
	for _, c := range s.Catalog.Corrections.List() {
		if !match(c) {
			continue
		}
		if err := s.Catalog.Corrections.Remove(ctx, c.ID); err != nil && !errors.Is(err, catalog.ErrNotFound) {
			return n, err
		}
		n++
	}
	return n, nil
}
