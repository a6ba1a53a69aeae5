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

// Counters of tracked posts: when a tracked post replaces an older version of itself, the store
// records the changes in its likes, shares and comments. The new version inherits the counters that
// only the older version states.
//
// Both are written when the post is appended, not when it is flushed, together with the journal
// position they cover (countersAt). After a crash, replayed entries up to that position are not
// compared again because the old version may already be deleted; they read back the inherited
// counters instead. Because counters are written before the replaced rows are recorded as deleted,
// they are always available when needed.

// A counterUpdate collects how the tracked posts of a journal entry change counters.
type counterUpdate struct {
	*Store
	at        earshot.Position
	now       time.Time
	tracked   map[segment.Key]*poststore.MatchedPost // nil: compare none
	changes   map[changeKey]poststore.CounterChange
	inherited map[segment.Key]earshot.Post // counters of posts that inherit some, after inheriting
}

// A changeKey identifies a sum of changes.
type changeKey struct {
	set              poststore.SetID
	received, posted uint64 // see segment.Seconds
}

// A replacedRow is a row that a tracked post replaces.
type replacedRow struct {
	row uint32
	key segment.Key
	by  *poststore.MatchedPost
}

// newCounterUpdate returns the update for a journal entry. The caller holds s.mu.
func (s *Store) newCounterUpdate(at earshot.Position, now time.Time, tracked map[segment.Key]*poststore.MatchedPost) *counterUpdate {
	if at <= s.countersAt {
		tracked = nil
	}
	return &counterUpdate{
		Store: s, at: at, now: now, tracked: tracked,
		changes: map[changeKey]poststore.CounterChange{}, inherited: map[segment.Key]earshot.Post{},
	}
}

// before compares tracked posts with the rows of a segment that they are about to replace.
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
	inSet := c.setReader(p, nil)
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

// commit writes the counter changes and inherited counters of the entry. For a replayed entry, it
// reads the inherited counters that were written the first time. The caller holds s.mu.
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

// readInherited reads the counters that posts of the entry inherited.
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
				return fmt.Errorf("decode inherited counters: %d bytes left", len(data))
			}
			if data = data[size:]; plusOne > 0 {
				*count = earshot.Counted(int64(plusOne - 1))
			}
		}
		c.inherited[segment.Key(it.Key()[1+8:])] = p
	}
	return it.Error()
}

// inherit sets the inherited counters on the posts of rows and reports whether there are any. It
// copies the posts it changes because they belong to the caller.
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

// deleteInherited deletes the inherited counters of entries that are now on disk.
func (f *flushBatch) deleteInherited(b *pebble.Batch) error {
	if !f.pending.inherited {
		return nil
	}
	return b.DeleteRange(recID(recInherited), recID(recInherited, uint64(f.position)+1), nil)
}

func (s *Store) loadCountersAt() error {
	data, err := get(s.db, recID(recCountersAt))
	if err != nil || data == nil {
		return err
	}
	at, n := binary.Uvarint(data)
	if n <= 0 {
		return fmt.Errorf("decode the position of counters: %d bytes", len(data))
	}
	s.countersAt = earshot.Position(at)
	return nil
}
