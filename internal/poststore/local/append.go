package local

import (
	"context"
	"time"

	"earshot"
	"earshot/internal/poststore"
	"earshot/internal/poststore/local/segment"
)

// Append implements [poststore.Writer]. The posts are visible when it returns and on disk after the
// next flush:
//
//	posts ─► one row per key, the last one wins  append.go
//	      ─► a segment in memory                 segment_state.go
//	      ─► stored rows that they replace       keys.go
//	      ─► counters of tracked posts           counters.go
//	      ─► a new view                          append_change.go
func (s *Store) Append(ctx context.Context, at earshot.Position, posts []poststore.MatchedPost) error {
	if err := s.enter(); err != nil {
		return err
	}
	defer s.leave()
	if err := ctx.Err(); err != nil || at <= s.current.Load().position {
		return err
	}
	if err := s.throttle(ctx); err != nil {
		return err
	}
	now := s.now()
	rows, tracked := newRows(posts, at, now)
	added, err := s.buildSegment(rows)
	if err != nil {
		return err
	}
	return s.change(at, added, func(v *view, c *viewChange) error {
		counters := s.newCounterUpdate(at, now, tracked)
		if err := s.replace(v, c, rows, counters); err != nil {
			return err
		}
		b := s.db.NewBatch()
		defer b.Close()
		if err := counters.commit(b); err != nil {
			return err
		}
		if !counters.inherit(rows) {
			return nil
		}
		s.pending.inherited = true
		c.rebuilt, err = s.buildSegment(rows)
		return err
	})
}

// newRows converts posts to rows of a segment and returns the tracked posts by key. If posts share
// a key, only the last one becomes a row.
func newRows(posts []poststore.MatchedPost, at earshot.Position, now time.Time) (rows []segment.Row, tracked map[segment.Key]*poststore.MatchedPost) {
	index := make(map[segment.Key]int, len(posts))
	for i := range posts {
		m := &posts[i]
		key := segment.KeyOf(m.Post.Key())
		row := segment.Row{Post: &m.Post, Sets: m.Sets, Arrived: at, Ingested: now, Key: key}
		if _, known := index[key]; !known {
			index[key] = len(rows)
			rows = append(rows, segment.Row{})
		}
		rows[index[key]] = row
		delete(tracked, key) // only the last post with this key counts, whether tracked or not
		if len(m.Tracked) > 0 {
			if tracked == nil {
				tracked = map[segment.Key]*poststore.MatchedPost{}
			}
			tracked[key] = m
		}
	}
	return rows, tracked
}
