package local

import (
	"encoding/binary"
	"errors"
	"fmt"
	"time"

	"github.com/cockroachdb/pebble/v2"

	"earshot"
	"earshot/internal/poststore"
	"earshot/internal/poststore/enginekit"
	"earshot/internal/poststore/local/segment"
)

// Counters of tracked posts: when a tracked post replaces an older version of itself, the
// differences of likes, shares and comments are recorded, and it inherits the counters that only
// the older version states.
//
// Both are written when the posts are appended, not with the flush that brings them to disk,
// together with the journal position up to which that was done. Entries that are read again
// after a crash are not compared up to there: the old post may be deleted by then, so they read
// the inherited counters that were written. And as this is written before the replaced rows are
// recorded as deleted, it is there whenever they are.

// A counterUpdate is what the tracked posts of a journal entry do to counters.
type counterUpdate struct {
	*Store
	at        earshot.Position
	now       time.Time
	tracked   map[segment.Key]*poststore.MatchedPost // nil: none are compared
	changes   map[changeKey]poststore.CounterChange
	inherited map[segment.Key]earshot.Post // posts that inherit counters: all counters that they have then
}

// A changeKey names a sum of changes.
type changeKey struct {
	set              poststore.SetID
	received, posted uint64 // as segment.Seconds gives them
}

// A replacedRow is a row that a tracked post replaces.
type replacedRow struct {
	row uint32
	key segment.Key
	by  *poststore.MatchedPost
}

// newCounterUpdate returns the update of a journal entry. The caller holds s.mu.
func (s *Store) newCounterUpdate(at earshot.Position, now time.Time, tracked map[segment.Key]*poststore.MatchedPost) *counterUpdate {
	if at <= s.countersAt {
		tracked = nil
	}
	return &counterUpdate{
		Store: s, at: at, now: now, tracked: tracked,
		changes: map[changeKey]poststore.CounterChange{}, inherited: map[segment.Key]earshot.Post{},
	}
}

// before compares tracked posts with the rows of a segment, before they replace these.
func (c *counterUpdate) before(p *segmentState, replaced []replacedRow) error {
	if len(replaced) == 0 {
		return nil
	}
	rows := make([]uint32, len(replaced))
	for i, r := range replaced {
		rows[i] = r.row
	}
	old, err := p.data.Counters(rows)
	if err != nil {
		return err
	}
	inSet := c.setReader(p)
	for i, r := range replaced {
		now := earshot.Post{Likes: r.by.Post.Likes, Shares: r.by.Post.Shares, Comments: r.by.Post.Comments}
		if enginekit.InheritCounters(&old[i], &now) {
			c.inherited[r.key] = now
		}
		received := r.by.Received
		if received.IsZero() {
			received = c.now
		}
		change := enginekit.NewCounterChange(&old[i], &r.by.Post, received)
		if enginekit.IsUnchanged(change) {
			continue
		}
		for _, set := range r.by.Tracked {
			had, err := inSet(set)
			if err != nil {
				return err
			}
			if had.Contains(r.row) {
				key := changeKey{set, segment.Seconds(change.Time), segment.Seconds(change.Posted)}
				c.changes[key] = enginekit.AddChanges(change, c.changes[key])
			}
		}
	}
	return nil
}

// commit writes what the entry changes, or, for an entry that is read again, reads what was
// written then. The caller holds s.mu.
func (c *counterUpdate) commit(b *pebble.Batch) error {
	if c.at <= c.countersAt {
		return c.readInherited()
	}
	if len(c.changes)+len(c.inherited) == 0 {
		return nil
	}
	for key, change := range c.changes {
		if err := c.putChange(b, key, change); err != nil {
			return err
		}
	}
	for key, p := range c.inherited {
		var data []byte
		for _, count := range []earshot.Count{p.Likes, p.Shares, p.Comments} {
			plusOne := uint64(0)
			if n, stated := count.Value(); stated {
				plusOne = uint64(n) + 1
			}
			data = binary.AppendUvarint(data, plusOne)
		}
		if err := b.Set(append(recID(recInherited, uint64(c.at)), key[:]...), data, nil); err != nil {
			return err
		}
	}
	if err := b.Set(recID(recCountersAt), binary.AppendUvarint(nil, uint64(c.at)), nil); err != nil {
		return err
	}
	if err := b.Commit(pebble.NoSync); err != nil {
		return err
	}
	c.countersAt = c.at
	return nil
}

// readInherited reads the counters that posts of the entry inherit.
func (c *counterUpdate) readInherited() (err error) {
	it, err := c.db.NewIter(&pebble.IterOptions{LowerBound: recID(recInherited, uint64(c.at)), UpperBound: recID(recInherited, uint64(c.at)+1)})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, it.Close()) }()
	for ok := it.First(); ok; ok = it.Next() {
		data, err := it.ValueAndErr()
		if err != nil {
			return err
		}
		var p earshot.Post
		for _, count := range []*earshot.Count{&p.Likes, &p.Shares, &p.Comments} {
			plusOne, size := binary.Uvarint(data)
			if size <= 0 {
				return fmt.Errorf("read figures that a post takes over: %d bytes are left", len(data))
			}
			if data = data[size:]; plusOne > 0 {
				*count = earshot.Counted(int64(plusOne - 1))
			}
		}
		c.inherited[segment.Key(it.Key()[1+8:])] = p
	}
	return it.Error()
}

// inherit has the posts of rows state the counters that they inherit, and reports whether there
// are any. The posts are the caller's, so those that change are copied.
func (c *counterUpdate) inherit(rows []segment.Row) bool {
	for i := range rows {
		if counters, ok := c.inherited[rows[i].Key]; ok {
			p := *rows[i].Post
			enginekit.InheritCounters(&counters, &p)
			rows[i].Post = &p
		}
	}
	return len(c.inherited) > 0
}

// deleteInherited removes what was written for entries that are on disk.
func (f *flushBatch) deleteInherited(b *pebble.Batch) error {
	if !f.pending.inherited {
		return nil
	}
	return b.DeleteRange(recID(recInherited), recID(recInherited, uint64(f.position)+1), nil)
}

// loadCountersAt reads the position up to which counters are recorded.
func (s *Store) loadCountersAt() error {
	data, err := get(s.db, recID(recCountersAt))
	at, _ := binary.Uvarint(data)
	s.countersAt = earshot.Position(at)
	return err
}
