package local

import (
	"errors"
	"maps"

	"github.com/RoaringBitmap/roaring/v2"

	"earshot"
	"earshot/internal/poststore/local/segment"
	"earshot/internal/sleep"
)

// A viewChange lists the rows that a journal entry deletes and the posts it adds.
type viewChange struct {
	deleted     map[uint64]*roaring.Bitmap // deleted rows by segment id
	purge       bool                       // the rows must not stay on disk
	notReplaced bool                       // the rows have no replacement, so their keys can be deleted
	added       []addedPost                // new posts
	rebuilt     *segmentState              // if not nil, added instead of the segment passed to change
}

// An addedPost is a new post, or a new version of a post that may be stored.
type addedPost struct {
	key segment.Key
	pendingKey
}

// change publishes a new view for a journal entry. added contains the new posts, or is nil; find
// determines what the entry deletes. An entry that is already stored changes nothing. If find hits
// a damaged segment, change quarantines the segment and calls find again. It discards added if it
// does not publish it.
func (s *Store) change(at earshot.Position, added *segmentState, find func(v *view, c *viewChange) error) error {
	if s.readOnly {
		s.discard(added)
		return errReadOnly
	}
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

// apply publishes the view that results from a change. The caller holds s.mu.
func (s *Store) apply(v *view, at earshot.Position, added *segmentState, c *viewChange) {
	segments := make([]*segmentState, 0, len(v.segments)+1)
	for _, p := range v.segments {
		if rows := c.deleted[p.id]; rows != nil && !rows.IsEmpty() {
			if c.notReplaced && p.data.Retain() {
				s.pending.deleted = append(s.pending.deleted, deletedKeys{p.data, rows})
			}
			p = s.withDeleted(p, rows)
			p.modified, p.purge = s.now(), p.purge || c.purge
			s.dirty[p.id] = struct{}{}
		}
		segments = append(segments, p)
	}
	if added != nil {
		segments = append(segments, added)
	}
	for _, a := range c.added {
		s.pending.keys[a.key] = a.pendingKey
		s.addKey(a.key)
	}
	s.publish(segments, at)
	sleep.Notify(s.toFlush)
	if c.purge {
		sleep.Notify(s.toCompact)
	}
	if s.isFull(s.current.Load()) {
		sleep.Notify(s.full)
	}
}

// pending collects what a flush writes in addition to the posts.
type pending struct {
	keys      map[segment.Key]pendingKey // of new posts
	deleted   []deletedKeys
	inherited bool // some posts inherited counters
}

// deletedKeys are rows of deleted posts, whose keys are no longer needed. The segment stays
// retained until the keys are deleted.
type deletedKeys struct {
	file *segment.Segment
	rows *roaring.Bitmap
}

// A pendingKey is what is known about a new post.
type pendingKey struct {
	seconds  uint64 // time of the post
	replaces bool   // an older version may be stored
}

func newPending() *pending { return &pending{keys: map[segment.Key]pendingKey{}} }

// mergeInto adds newer to p and returns p. newer wins where both have a value.
func (p *pending) mergeInto(newer *pending) *pending {
	maps.Copy(p.keys, newer.keys)
	p.deleted = append(p.deleted, newer.deleted...)
	p.inherited = p.inherited || newer.inherited
	return p
}
