package local

import (
	"errors"

	"github.com/RoaringBitmap/roaring/v2"

	"earshot"
	"earshot/internal/poststore/local/segment"
)

// A cut is what a journal entry takes out of the view, and which posts it adds.
type cut struct {
	gone    map[uint64]*roaring.Bitmap // rows, by the id of their part
	deleted bool                       // they are not replaced: their keys can be forgotten
	added   []keyTime                  // new posts
	instead *segmentState              // is added in place of what was to be; nil: that is
}

// A keyTime is the key of a post and its time in seconds.
type keyTime struct {
	key     segment.Key
	seconds uint64
}

// change makes a new view for a journal entry. find says what it takes out, and added has
// what it adds, nil for nothing. An entry that is stored already changes nothing; then, and
// when find fails, added is discarded. A part that turns out to be damaged is set aside, and
// find is called again.
func (s *Store) change(at earshot.Position, added *segmentState, find func(v *view, c *cut) error) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	for {
		v := s.current.Load()
		if at <= v.position {
			s.discard(added)
			return nil
		}
		c := &cut{gone: map[uint64]*roaring.Bitmap{}}
		err := find(v, c)
		var bad *damageError
		if errors.As(err, &bad) {
			err = s.quarantineLocked(bad)
		} else if err == nil {
			if c.instead != nil {
				s.discard(added)
				added = c.instead
			}
			s.apply(v, at, added, c)
			return nil
		}
		if err != nil {
			s.discard(added)
			return err
		}
	}
}

// apply publishes the view after a change. The caller holds s.mu.
func (s *Store) apply(v *view, at earshot.Position, added *segmentState, c *cut) {
	parts := make([]*segmentState, 0, len(v.segments)+1)
	for _, p := range v.segments {
		if rows := c.gone[p.id]; rows != nil && !rows.IsEmpty() {
			if c.deleted && p.data.Retain() {
				s.pending.deleted = append(s.pending.deleted, deletedKeys{p.data, rows})
			}
			p = s.withDeleted(p, rows)
			p.modified = s.now()
			s.dirty[p.id] = struct{}{}
		}
		parts = append(parts, p)
	}
	if added != nil {
		parts = append(parts, added)
	}
	for _, k := range c.added {
		s.pending.keys[k.key] = k.seconds
		s.addKey(k.key)
	}
	s.publish(parts, at)
	notify(s.toFlush)
	if s.isFull(s.current.Load()) {
		notify(s.full)
	}
}

// pending is what a flush brings to disk besides the posts themselves.
type pending struct {
	keys      map[segment.Key]uint64 // of new posts, with their times in seconds
	deleted   []deletedKeys
	inherited bool // posts have figures of those that they replaced
}

// deletedKeys are rows of deleted posts, whose keys need not be kept. The file is retained
// until they are forgotten.
type deletedKeys struct {
	file *segment.Segment
	rows *roaring.Bitmap
}

func newPending() *pending { return &pending{keys: map[segment.Key]uint64{}} }

// mergeInto returns what there is when newer comes on top of p.
func (p *pending) mergeInto(newer *pending) *pending {
	for k, seconds := range newer.keys {
		p.keys[k] = seconds
	}
	p.deleted = append(p.deleted, newer.deleted...)
	p.inherited = p.inherited || newer.inherited
	return p
}

func notify(c chan struct{}) {
	select {
	case c <- struct{}{}:
	default:
	}
}
