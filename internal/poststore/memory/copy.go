package memory

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"time"

	"earshot"
	"earshot/internal/poststore"
)

var _ poststore.Exporter = (*Store)(nil)

// ExportPosts implements [poststore.Exporter].
func (s *Store) ExportPosts(ctx context.Context, after poststore.CopyCursor, limit int) ([]poststore.StoredPost, error) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	var left []*entry
	for _, e := range s.posts {
		if poststore.CursorOf(&e.post).Compare(after) > 0 {
			left = append(left, e)
		}
	}
	slices.SortFunc(left, func(a, b *entry) int {
		return poststore.CursorOf(&a.post).Compare(poststore.CursorOf(&b.post))
	})
	posts := make([]poststore.StoredPost, min(limit, len(left)))
	for i, e := range left[:len(posts)] {
		sets := slices.Clone(e.sets)
		slices.Sort(sets)
		posts[i] = poststore.StoredPost{Post: clonePost(&e.post), Sets: slices.Compact(sets), Arrived: e.arrived, Matched: len(sets) > 0}
	}
	return posts, ctx.Err()
}

// SetIDs implements [poststore.Exporter].
func (s *Store) SetIDs(ctx context.Context) ([]poststore.SetID, error) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	ids := map[poststore.SetID]bool{}
	for _, e := range s.posts {
		for _, id := range e.sets {
			ids[id] = true
		}
	}
	for id := range s.generations {
		ids[id] = true
	}
	for id := range s.counters {
		ids[id] = true
	}
	for id := range s.changed {
		ids[id] = true
	}
	return slices.Sorted(maps.Keys(ids)), ctx.Err()
}

// ExportSet implements [poststore.Exporter].
func (s *Store) ExportSet(ctx context.Context, id poststore.SetID) (poststore.StoredSet, error) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	set := poststore.StoredSet{ID: id, Generation: s.generations[id], Counters: slices.Collect(maps.Values(s.counters[id]))}
	latest := map[time.Time]time.Time{}
	for second, at := range s.changed[id] {
		if posted := time.Unix(second, 0).UTC().Truncate(poststore.SetChangeStep); at.After(latest[posted]) {
			latest[posted] = at
		}
	}
	for posted, at := range latest {
		set.Changes = append(set.Changes, poststore.SetChange{Posted: posted, Changed: at})
	}
	slices.SortFunc(set.Changes, func(a, b poststore.SetChange) int { return a.Posted.Compare(b.Posted) })
	return set, ctx.Err()
}

// ExportSnapshots implements [poststore.Exporter].
func (s *Store) ExportSnapshots(ctx context.Context) (map[earshot.MonitorID][]earshot.Snapshot, error) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	all := map[earshot.MonitorID][]earshot.Snapshot{}
	for m, byDay := range s.snapshots {
		if len(byDay) > 0 {
			all[m] = slices.SortedFunc(maps.Values(byDay), func(a, b earshot.Snapshot) int { return cmp.Compare(0, a.Date.DaysUntil(b.Date)) })
		}
	}
	return all, ctx.Err()
}

// An Import fills a store. It implements [poststore.Importer].
type Import struct {
	store *Store
	last  poststore.Checkpoint
}

// NewImport returns an import into an empty store.
func NewImport(s *Store) *Import { return &Import{store: s} }

// Checkpoint implements [poststore.Importer].
func (i *Import) Checkpoint() poststore.Checkpoint { return i.last }

// Imported implements [poststore.Importer].
func (i *Import) Imported() poststore.Exporter { return i.store }

// Import implements [poststore.Importer].
func (i *Import) Import(ctx context.Context, p poststore.CopyPart) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	s := i.store
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, post := range p.Posts {
		s.put(&entry{post: clonePost(&post.Post), sets: slices.Clone(post.Sets), arrived: post.Arrived})
	}
	for _, set := range p.Sets {
		s.importSet(&set)
	}
	for m, snapshots := range p.Snapshots {
		s.snapshots[m] = map[earshot.Date]earshot.Snapshot{}
		for _, one := range snapshots {
			s.snapshots[m][one.Date] = one
		}
	}
	i.last = p.Next
	return nil
}

// importSet sets everything about a set except its posts. The caller holds s.mu.
func (s *Store) importSet(set *poststore.StoredSet) {
	if set.Generation != 0 {
		s.generations[set.ID] = set.Generation
	}
	if len(set.Changes) > 0 {
		s.changed[set.ID] = map[int64]time.Time{}
	}
	for _, c := range set.Changes {
		s.changed[set.ID][c.Posted.Unix()] = c.Changed
	}
	if len(set.Counters) > 0 {
		s.counters[set.ID] = map[changeTimes]poststore.CounterChange{}
	}
	for _, c := range set.Counters {
		s.counters[set.ID][changeTimes{c.Time, c.Posted}] = c
	}
}

// Finish implements [poststore.Importer].
func (i *Import) Finish(ctx context.Context, at earshot.Position, next poststore.Checkpoint) error {
	i.store.mu.Lock()
	defer i.store.mu.Unlock()
	i.store.position, i.last = at, next
	return ctx.Err()
}

// Accept implements [poststore.Importer].
func (i *Import) Accept(ctx context.Context) error { return ctx.Err() }
