// Package memory is the plainest post store: maps and loops, all in memory, gone
// when the process ends. It serves tests and small installations, and says in few
// lines what the other stores must answer.
//
// Posts are kept in buckets of one UTC day, so that a question about a day does
// not look at the others. What goes in and what comes out is copied: a caller may
// do as it likes with its posts.
package memory

import (
	"context"
	"slices"
	"sync"
	"time"

	"earshot"
	"earshot/internal/poststore"
	"earshot/internal/query"
	"earshot/internal/watchlist"
)

// A Store holds posts in memory.
type Store struct {
	mu        sync.RWMutex
	position  earshot.Position
	posts     map[earshot.PostKey]*entry
	days      map[int64]bucket // by days since 1970, UTC
	snapshots map[earshot.MonitorID]map[earshot.Date]earshot.Snapshot
}

var _ poststore.Store = (*Store)(nil)

// New returns an empty store.
func New() *Store {
	return &Store{
		posts:     map[earshot.PostKey]*entry{},
		days:      map[int64]bucket{},
		snapshots: map[earshot.MonitorID]map[earshot.Date]earshot.Snapshot{},
	}
}

// Append implements poststore.Store.
func (s *Store) Append(ctx context.Context, at earshot.Position, posts []poststore.Matched) error {
	entries := make([]*entry, len(posts))
	for i, m := range posts {
		entries[i] = &entry{post: clonePost(&m.Post), monitors: slices.Clone(m.Monitors)}
	}
	return s.write(ctx, at, func() {
		for _, e := range entries {
			s.put(e)
		}
	})
}

// Delete implements poststore.Store.
func (s *Store) Delete(ctx context.Context, at earshot.Position, d earshot.Deletion) error {
	named := poststore.Named(d)
	return s.write(ctx, at, func() {
		for _, e := range s.posts {
			if named(&e.post) {
				s.remove(e)
			}
		}
	})
}

// AddSnapshots implements poststore.Store.
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

// write makes a change and records the position it came from. A change from a
// position that is stored already is left out.
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

// Position implements poststore.Store.
func (s *Store) Position(ctx context.Context) (earshot.Position, error) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return s.position, ctx.Err()
}

// Rematch implements poststore.Store. When ctx ends before it is done, nothing
// has changed.
func (s *Store) Rematch(ctx context.Context, id earshot.MonitorID, from time.Time, cond *watchlist.Condition) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	var belong, leave []*entry
	for e, err := range s.scan(ctx, &poststore.Selection{From: from}) {
		if err != nil {
			return err
		}
		switch matches := cond != nil && cond.Match(query.NewDocument(&e.post)); {
		case matches && !e.of(id):
			belong = append(belong, e)
		case !matches && e.of(id):
			leave = append(leave, e)
		}
	}
	for _, e := range belong {
		e.monitors = append(e.monitors, id)
	}
	for _, e := range leave {
		e.monitors = slices.DeleteFunc(e.monitors, func(m earshot.MonitorID) bool { return m == id })
	}
	return nil
}

// Snapshots implements poststore.Store.
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

// Stats implements poststore.Store.
func (s *Store) Stats(ctx context.Context) (poststore.Stats, error) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return poststore.Stats{Engine: "memory", Posts: int64(len(s.posts))}, ctx.Err()
}
