package local

import (
	"errors"

	"github.com/RoaringBitmap/roaring/v2"

	"earshot"
	"earshot/internal/poststore/local/segment"
)

// A viewChange is what a journal entry deletes from the view, and which posts it adds.
type viewChange struct {
	deleted     map[uint64]*roaring.Bitmap // rows, by the id of their segment
	notReplaced bool                       // nothing replaces these rows: their keys can be deleted
	added       []keyTime                  // new posts
	rebuilt     *segmentState              // is added instead of the segment passed to change; nil: that is
}

// A keyTime is the key of a post and its time in seconds.
type keyTime struct {
	key     segment.Key
	seconds uint64
}

// change makes a new view for a journal entry: find says what it deletes, and added has what it
// adds, nil for nothing. An entry that is stored already changes nothing. If a segment turns out
// to be damaged, it is quarantined, and find is called again. A segment that is not published is
// discarded.
func (s *Store) change(at earshot.Position, added *segmentState, find func(v *view, c *viewChange) error) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	var err error
	for v := s.current.Load(); err == nil && at > v.position; v = s.current.Load() {
		c := &viewChange{deleted: map[uint64]*roaring.Bitmap{}}
		err = find(v, c)
		if bad, ok := errors.AsType[*damageError](err); ok {
			err = s.quarantineLocked(bad)
			continue
		}
		if err != nil {
			break
		}
		published := added
		if c.rebuilt != nil {
			published = c.rebuilt
		}
		s.apply(v, at, published, c)
		if c.rebuilt == nil {
			return nil
		}
	}
	s.discard(added)
	return err
}

// apply publishes the view after a change. The caller holds s.mu.
func (s *Store) apply(v *view, at earshot.Position, added *segmentState, c *viewChange) {
	segments := make([]*segmentState, 0, len(v.segments)+1)
	for _, p := range v.segments {
		if rows := c.deleted[p.id]; rows != nil && !rows.IsEmpty() {
			if c.notReplaced && p.data.Retain() {
				s.pending.deleted = append(s.pending.deleted, deletedKeys{p.data, rows})
			}
			p = s.withDeleted(p, rows)
			p.modified = s.now()
			s.dirty[p.id] = struct{}{}
		}
		segments = append(segments, p)
	}
	if added != nil {
		segments = append(segments, added)
	}
	for _, k := range c.added {
		s.pending.keys[k.key] = k.seconds
		s.addKey(k.key)
	}
	s.publish(segments, at)
	notify(s.toFlush)
	if s.isFull(s.current.Load()) {
		notify(s.full)
	}
}

// pending is what a flush writes besides the posts themselves.
type pending struct {
	keys      map[segment.Key]uint64 // of new posts, with their times in seconds
	deleted   []deletedKeys
	inherited bool // some posts inherited counters
}

// deletedKeys are rows of deleted posts, whose keys need not be stored. The segment is retained
// until they are deleted.
type deletedKeys struct {
	file *segment.Segment
	rows *roaring.Bitmap
}

func newPending() *pending { return &pending{keys: map[segment.Key]uint64{}} }

// mergeInto returns p with newer on top of it.
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
