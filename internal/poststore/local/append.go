package local

import (
	"context"
	"fmt"
	"os"
	"time"

	"github.com/RoaringBitmap/roaring/v2"

	"earshot"
	"earshot/internal/poststore"
	"earshot/internal/poststore/local/segment"
)

// Append implements poststore.Store. The posts are visible when it returns, and on disk
// after the next flush.
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
	rows, keys := distinct(posts, at, now)
	added, err := s.buildSegment(rows)
	if err != nil {
		return err
	}
	tracked := trackedPosts(posts)
	return s.change(at, added, func(v *view, c *cut) error {
		for i, k := range keys {
			c.added = append(c.added, keyTime{k, segment.Seconds(rows[i].Post.Time)})
		}
		figures := newComparison(tracked, now)
		if at <= s.countersAt {
			figures.tracked = nil
		}
		if err := s.replace(v, keys, c, figures); err != nil {
			return err
		}
		return s.settleFigures(at, rows, c, figures)
	})
}

// settleFigures writes how figures change, or reads what an earlier run wrote of it, and
// builds the rows anew when posts take figures over. The caller holds s.mu.
func (s *Store) settleFigures(at earshot.Position, rows []segment.Row, c *cut, figures *comparison) (err error) {
	if at <= s.countersAt {
		err = s.readCarried(at, figures.carried)
	} else {
		err = s.keepGrowth(at, figures)
	}
	if err != nil || len(figures.carried) == 0 {
		return err
	}
	s.pending.inherited = true
	figures.complete(rows)
	c.instead, err = s.buildSegment(rows)
	return err
}

// distinct returns the posts as rows of a file, of those with the same key the last one,
// and their keys.
func distinct(posts []poststore.MatchedPost, at earshot.Position, now time.Time) (rows []segment.Row, keys []segment.Key) {
	place := make(map[segment.Key]int, len(posts))
	for i := range posts {
		m := &posts[i]
		key := segment.KeyOf(m.Post.Key())
		row := segment.Row{Post: &m.Post, Sets: m.Sets, Arrived: at, Ingested: now, Key: key}
		if i, known := place[key]; known {
			rows[i] = row
			continue
		}
		place[key] = len(rows)
		rows, keys = append(rows, row), append(keys, key)
	}
	return rows, keys
}

// buildSegment makes a file of rows in memory. It returns nil for no rows.
func (s *Store) buildSegment(rows []segment.Row) (*segmentState, error) {
	if len(rows) == 0 {
		return nil, nil
	}
	id := s.newID()
	f, err := segment.Build(segmentName(id), rows)
	if err != nil {
		return nil, err
	}
	return s.newSegmentState(&segmentState{id: id, data: f, inMemory: true, modified: s.now()})
}

// openNew opens a file that was just written. That it cannot be read is no damage of what
// was there before.
func (s *Store) openNew(id uint64, o segment.Options) (*segmentState, error) {
	f, err := segment.Open(s.path(id))
	if err != nil {
		return nil, fmt.Errorf("open what was just written: %v", err)
	}
	p, err := s.newSegmentState(&segmentState{id: id, data: f, uncompressed: o.Uncompressed})
	if err != nil {
		return nil, fmt.Errorf("read what was just written: %v", err)
	}
	return p, nil
}

// newSegmentState fills in what a file says of itself.
func (s *Store) newSegmentState(p *segmentState) (*segmentState, error) {
	p.rows = p.data.Rows()
	err := reading(p, func() (err error) {
		p.first, p.last, err = p.data.TimeRange()
		return err
	})
	if err != nil {
		s.discard(p)
		return nil, err
	}
	return p, nil
}

// discard gives up a file that no view has any more. What is left of it when that fails
// is debris, which the next start removes.
func (s *Store) discard(p *segmentState) {
	if p == nil {
		return
	}
	p.data.Close()
	if p.inMemory {
		return
	}
	if err := os.Remove(s.path(p.id)); err != nil && !s.closed.Load() {
		s.log.Warn("a file of posts that is not needed any more was not removed", "error", err)
	}
}

// replace takes out the posts that have one of the keys, and compares the figures of
// tracked ones.
func (s *Store) replace(v *view, keys []segment.Key, c *cut, figures *comparison) error {
	var sought []segment.Target
	for _, k := range keys {
		seconds, known, err := s.timeOf(k)
		if err != nil {
			return err
		}
		if known {
			sought = append(sought, segment.Target{Key: k, Seconds: seconds})
		}
	}
	for _, p := range v.segments {
		among := within(sought, p)
		if len(among) == 0 {
			continue
		}
		err := reading(p, func() error {
			found, err := p.data.Find(among)
			if err != nil {
				return err
			}
			rows := roaring.New()
			var compared []replaced
			for i, row := range found {
				if row == segment.NoRow || p.isDeleted(row) {
					continue
				}
				rows.Add(row)
				if m := figures.tracked[among[i].Key]; m != nil {
					compared = append(compared, replaced{row, among[i].Key, m})
				}
			}
			c.gone[p.id] = rows
			return s.compareFigures(p, compared, figures)
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// within returns what may be in a part.
func within(sought []segment.Target, p *segmentState) (among []segment.Target) {
	first, last := segment.Seconds(p.first), segment.Seconds(p.last)
	for _, x := range sought {
		if first <= x.Seconds && x.Seconds <= last {
			among = append(among, x)
		}
	}
	return among
}

// timeOf returns the time that the post with a key has, if there may be one. The caller
// holds s.mu.
func (s *Store) timeOf(k segment.Key) (seconds uint64, known bool, err error) {
	if s.filter != nil && !s.filter.has(k) {
		return 0, false, nil
	}
	for _, p := range []*pending{s.pending, s.flushing} {
		if p == nil {
			continue
		}
		if seconds, known := p.keys[k]; known {
			return seconds, true, nil
		}
	}
	return storedTime(s.db, k)
}
