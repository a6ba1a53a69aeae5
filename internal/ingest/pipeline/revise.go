package pipeline

import (
	"context"
	"slices"
	"time"

	"earshot"
	"earshot/internal/poststore"
	"earshot/internal/query/watchlist"
	"earshot/internal/state/journal"
)

// A revision is how stored posts are inferred and matched again.
type revision struct {
	list         *watchlist.List
	categorizers map[earshot.MonitorID][]Categorizer
	looks        map[earshot.PostKey]journal.Look // what second looks found
	kept         []keptSet
}

// A keptSet has posts that a monitor or filter keeps, although it would not get them as new posts.
type keptSet struct {
	id     poststore.SetID // MonitorSet or OwnSet
	social bool
	before time.Time // it keeps posts before this time; zero: all that it has
	posts  map[earshot.PostKey]bool
}

// revise infers and matches stored posts again. Looks replace the inferred sentiment and emotion.
func (p *Pipeline) revise(ctx context.Context, batch *journal.Batch, posts []earshot.Post, looks map[earshot.PostKey]journal.Look) ([]poststore.MatchedPost, error) {
	if len(posts) == 0 {
		return nil, nil
	}
	r := &revision{looks: looks}
	r.list, r.categorizers = p.watchlist(batch.Position) // before the list of monitors, so that none is in neither
	var err error
	if r.kept, err = p.findKept(ctx, batch.Position, posts); err != nil {
		return nil, err
	}
	p.Enrich.ClearInferred(posts)
	return p.match(ctx, posts, batch, r), nil
}

// restoreLook sets what a second look at a post found, after the models have processed the post.
func (r *revision) restoreLook(p *earshot.Post) {
	if look, ok := r.looks[p.Key()]; ok {
		p.Sentiment, p.Emotion, p.InferredBy = look.Sentiment, look.Emotion, look.Models
	}
}

// keep adds the monitors that keep a post to those that match it.
func (r *revision) keep(p *earshot.Post, monitors, social, own []earshot.MonitorID) (_, _, _ []earshot.MonitorID) {
	for _, set := range r.kept {
		if !set.posts[p.Key()] {
			continue
		}
		id, isMonitor := set.id.Monitor()
		if !isMonitor {
			id, _ = set.id.Owner()
			own = addMissing(own, id)
			continue
		}
		monitors = addMissing(monitors, id)
		if set.social {
			social = addMissing(social, id)
		}
	}
	return monitors, social, own
}

// addMissing appends the members of more that list lacks.
func addMissing[T comparable](list []T, more ...T) []T {
	for _, x := range more {
		if !slices.Contains(list, x) {
			list = append(list, x)
		}
	}
	return list
}

// findKept returns the sets that keep some of the given posts. Candidates are monitors that do not watch
// the entry at a position, and monitors whose last change does not apply to earlier posts.
func (p *Pipeline) findKept(ctx context.Context, at earshot.Position, posts []earshot.Post) (kept []keptSet, err error) {
	sets := p.keepingSets(at, posts)
	if len(sets) == 0 {
		return nil, nil
	}
	of := poststore.Selection{Keys: poststore.NewKeySet(func(yield func(earshot.PostKey) bool) {
		for i := range posts {
			if !yield(posts[i].Key()) {
				return
			}
		}
	})}
	// Most of these monitors have none of the posts, so one query finds those that have some.
	var counts []poststore.Tally
	for chunk := range slices.Chunk(sets, poststore.MaxSets) {
		t := poststore.Tally{By: []poststore.Dim{poststore.BySets}}
		for _, set := range chunk {
			t.Sets = append(t.Sets, set.id)
		}
		counts = append(counts, t)
	}
	rows, err := p.Store.Tallies(ctx, of, counts)
	if err != nil {
		return nil, err
	}
	for i, set := range sets {
		n := i % poststore.MaxSets
		if !slices.ContainsFunc(rows[i/poststore.MaxSets], func(r poststore.Row) bool { return r.Key[0][n/8]>>(n%8)&1 != 0 }) {
			continue
		}
		of.Set, of.To = set.id, set.before
		found, _, err := p.Store.Posts(ctx, of, len(posts))
		if err != nil {
			return nil, err
		}
		set.posts = make(map[earshot.PostKey]bool, len(found))
		for k := range found {
			set.posts[found[k].Key()] = true
		}
		kept = append(kept, set)
	}
	return kept, nil
}

// keepingSets returns the sets that may keep some of the given posts.
func (p *Pipeline) keepingSets(at earshot.Position, posts []earshot.Post) (sets []keptSet) {
	earliest := slices.MinFunc(posts, func(a, b earshot.Post) int { return a.Time.Compare(b.Time) }).Time
	for _, m := range p.Catalog.Monitors.List() {
		set := keptSet{social: m.Type == earshot.Social}
		if m.Removed {
			continue
		}
		if m.Watches(at) {
			if !m.Start.Before(m.RematchFrom) {
				continue
			}
			if set.before = m.RematchFrom.Start(m.Location()); !earliest.Before(set.before) {
				continue
			}
		}
		ids := []earshot.MonitorID{m.ID}
		for _, f := range m.Filters {
			ids = append(ids, f.ID)
		}
		for _, id := range ids {
			set.id = poststore.MonitorSet(id)
			sets = append(sets, set)
			if set.social {
				set.id = poststore.OwnSet(id)
				sets = append(sets, set)
			}
		}
	}
	return sets
}
