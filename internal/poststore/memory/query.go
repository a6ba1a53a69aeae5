package memory

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"earshot"
	"earshot/internal/poststore"
	"earshot/internal/poststore/enginekit"
)

var errSample = errors.New("negative sample size")

// Posts implements [poststore.Reader].
func (s *Store) Posts(ctx context.Context, of poststore.Selection, limit int) ([]earshot.Post, int64, error) {
	if limit < 0 {
		return nil, 0, fmt.Errorf("list posts: negative limit %d", limit)
	}
	s.mu.RLock()
	defer s.mu.RUnlock()
	var selected []*entry
	var total int64
	for e, err := range s.scan(ctx, &of) {
		if err != nil {
			return nil, 0, err
		}
		total++
		if n := len(selected); n < limit || n > 0 && sameDay(e, selected[n-1]) { // once there are enough posts, older days are only counted
			selected = append(selected, e)
		}
	}
	slices.SortFunc(selected, func(a, b *entry) int { return earshot.ComparePosts(&a.post, &b.post) })
	posts := make([]earshot.Post, min(limit, len(selected)))
	for i := range posts {
		posts[i] = clonePost(&selected[i].post)
	}
	return posts, total, nil
}

// Tallies implements [poststore.Reader].
func (s *Store) Tallies(ctx context.Context, of poststore.Selection, ts []poststore.Tally) ([][]poststore.Row, error) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return s.tallies(ctx, of, ts)
}

// tallies implements Tallies. The caller holds s.mu.
func (s *Store) tallies(ctx context.Context, of poststore.Selection, ts []poststore.Tally) ([][]poststore.Row, error) {
	counters := make([]*enginekit.RowCounter, len(ts))
	for i := range ts {
		if err := enginekit.CheckTally(&ts[i]); err != nil {
			return nil, err
		}
		counters[i] = enginekit.NewRowCounter(&ts[i])
	}
	for e, err := range s.scan(ctx, &of) {
		if err != nil {
			return nil, err
		}
		for _, c := range counters {
			c.Add(&e.post, e.in)
		}
	}
	all := make([][]poststore.Row, len(ts))
	for i, c := range counters {
		all[i] = c.Rows()
	}
	return all, nil
}
