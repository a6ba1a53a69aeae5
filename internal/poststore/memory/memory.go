// Package memory implements the simplest possible post store: maps and loops, all in memory, lost
// when the process ends. Tests use it in place of a real store, and it defines in a few lines what
// other engines must return.
//
// Posts are grouped into buckets by UTC day, so that a query for one day does not scan the others.
// The store copies posts when it receives and returns them, so callers may modify theirs.
package memory

import (
	"context"
	"maps"
	"slices"
	"sync"
	"time"

	"earshot"
	"earshot/internal/poststore"
	"earshot/internal/poststore/enginekit"
	"earshot/internal/query"
)

// A Store stores posts in memory.
type Store struct {
	mu          sync.RWMutex // guards all fields except now
	position    earshot.Position
	posts       map[earshot.PostKey]*entry
	days        map[int64]bucket // keyed by UTC day, in days since 1970
	snapshots   map[earshot.MonitorID]map[earshot.Date]earshot.Snapshot
	generations map[poststore.SetID]int64
	counters    map[poststore.SetID]map[changeTimes]poststore.CounterChange
	changed     map[poststore.SetID]map[int64]time.Time // keyed by the time of posts in Unix seconds
	now         func() time.Time
}

var _ poststore.Store = (*Store)(nil)

// New returns an empty store that uses the system clock.
func New() *Store { return NewAt(time.Now) }

// NewAt returns an empty store that uses the given clock.
func NewAt(now func() time.Time) *Store {
	return &Store{
		now:         now,
		counters:    map[poststore.SetID]map[changeTimes]poststore.CounterChange{},
		changed:     map[poststore.SetID]map[int64]time.Time{},
		posts:       map[earshot.PostKey]*entry{},
		days:        map[int64]bucket{},
		snapshots:   map[earshot.MonitorID]map[earshot.Date]earshot.Snapshot{},
		generations: map[poststore.SetID]int64{},
	}
}

// Append implements [poststore.Writer].
func (s *Store) Append(ctx context.Context, at earshot.Position, posts []poststore.MatchedPost) error {
	last := map[earshot.PostKey]int{}
	entries := make([]*entry, len(posts))
	for i, m := range posts {
		entries[i] = &entry{post: clonePost(&m.Post), sets: slices.Clone(m.Sets), arrived: at}
		last[m.Post.Key()] = i
	}
	return s.write(ctx, at, func() {
		for i, e := range entries {
			if last[e.post.Key()] != i {
				continue
			}
			if old, ok := s.posts[e.post.Key()]; ok {
				s.trackCounters(old, e, &posts[i])
			}
			s.put(e)
			s.markChanged(e, e.sets...)
		}
	})
}

// Delete implements [poststore.Writer].
func (s *Store) Delete(ctx context.Context, at earshot.Position, d earshot.Deletion) error {
	named := enginekit.DeletionMatcher(d)
	return s.write(ctx, at, func() {
		for _, e := range s.posts {
			if named(&e.post) {
				s.remove(e)
			}
		}
	})
}

// AddSnapshots implements [poststore.Writer].
func (s *Store) AddSnapshots(ctx context.Context, at earshot.Position, m earshot.MonitorID, snapshots []earshot.Snapshot) error {
	return s.write(ctx, at, func() {
		if s.snapshots[m] == nil {
			s.snapshots[m] = map[earshot.Date]earshot.Snapshot{}
		}
		for _, snap := range snapshots {
			s.snapshots[m][snap.Date] = snap
		}
	})
}

// write makes a change and records its position. It skips positions that are already stored.
func (s *Store) write(ctx context.Context, at earshot.Position, change func()) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if at > s.position {
		change()
		s.position = at
	}
	return nil
}

// Position implements [poststore.Writer].
func (s *Store) Position(ctx context.Context) (earshot.Position, error) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return s.position, ctx.Err()
}

// Rematch implements [poststore.Maintainer]. It compares one day at a time so that other calls are
// not blocked, and applies all changes at the end.
func (s *Store) Rematch(ctx context.Context, r poststore.Rematch) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	upTo, err := s.Position(ctx)
	if err != nil {
		return err
	}
	changes, err := s.compareAll(ctx, &r)
	if err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	changes = slices.DeleteFunc(changes, func(ch change) bool { // replaced or deleted in the meantime
		return s.posts[ch.entry.post.Key()] != ch.entry
	})
	x := rematchedSets{}
	for _, ch := range changes {
		x.match(ch)
	}
	for _, c := range r.Categorizations {
		if err := s.categorize(ctx, x, c, upTo); err != nil {
			return err
		}
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	for e, sets := range x {
		e.sets = sets
	}
	for _, ch := range changes {
		s.markChanged(ch.entry, ch.set)
	}
	s.applyGenerations(&r)
	return nil
}

// compareAll returns the differences between the current sets and the rules.
func (s *Store) compareAll(ctx context.Context, r *poststore.Rematch) (changes []change, err error) {
	days := s.daysSince(r.From)
	var done int64
	total := s.count(days)
	for _, day := range days {
		found, examined, err := s.compare(ctx, day, r.From, r.Rules)
		if err != nil {
			return nil, err
		}
		changes = append(changes, found...)
		if done += examined; r.Progress != nil {
			r.Progress(min(done, total), total)
		}
	}
	return changes, nil
}

// applyGenerations stores the generations of rules and deletes the records of removed sets. The
// caller holds s.mu.
func (s *Store) applyGenerations(r *poststore.Rematch) {
	for id, rule := range r.Rules {
		if s.generations[id] = rule.Generation; rule.Generation == 0 {
			delete(s.generations, id)
		}
		if r.From.IsZero() && rule == (poststore.Rule{}) {
			delete(s.counters, id)
			delete(s.changed, id)
		}
	}
}

// Generations implements [poststore.Maintainer].
func (s *Store) Generations(ctx context.Context) (map[poststore.SetID]int64, error) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return maps.Clone(s.generations), ctx.Err()
}

// count returns the number of posts on the given days.
func (s *Store) count(days []int64) (posts int64) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	for _, day := range days {
		posts += int64(len(s.days[day]))
	}
	return posts
}

// A change adds a post to a set or removes it from the set.
type change struct {
	entry   *entry
	set     poststore.SetID
	belongs bool
}

func (s *Store) daysSince(from time.Time) []int64 {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return s.daysOf(&poststore.Selection{From: from})
}

// compare returns the differences between the sets of a day's posts and the rules, and the number
// of posts on that day.
func (s *Store) compare(ctx context.Context, day int64, from time.Time, r poststore.Rules) (changes []change, looked int64, err error) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	var doc query.Document
	for i, e := range s.days[day] {
		if i%scanStep == 0 && ctx.Err() != nil {
			return nil, 0, ctx.Err()
		}
		if e.post.Time.Before(from) {
			continue
		}
		doc.Reset(&e.post)
		for id, rule := range r {
			if belongs := rule.Where != nil && e.arrived <= rule.UpTo && rule.Where.Match(&doc); belongs != e.in(id) {
				changes = append(changes, change{e, id, belongs})
			}
		}
	}
	return changes, int64(len(s.days[day])), nil
}

// Snapshots implements [poststore.Reader].
func (s *Store) Snapshots(ctx context.Context, m earshot.MonitorID, days earshot.Days) ([]earshot.Snapshot, error) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	found := []earshot.Snapshot{}
	for day, snap := range s.snapshots[m] {
		if days.Contains(day) {
			found = append(found, snap)
		}
	}
	slices.SortFunc(found, func(a, b earshot.Snapshot) int { return b.Date.DaysUntil(a.Date) })
	return found, ctx.Err()
}

// Stats implements [poststore.Maintainer].
func (s *Store) Stats(ctx context.Context) (poststore.Stats, error) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return poststore.Stats{Engine: "memory", Posts: int64(len(s.posts))}, ctx.Err()
}
