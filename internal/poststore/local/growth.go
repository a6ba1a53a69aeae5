package local

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/RoaringBitmap/roaring/v2"
	"github.com/cockroachdb/pebble/v2"

	"earshot"
	"earshot/internal/poststore"
	"earshot/internal/poststore/enginekit"
	"earshot/internal/poststore/local/segment"
)

// How figures grow is written when the posts come, not with the flush that brings them to
// the disk, and together with the position up to which that was done. Entries that are
// read again after a crash are not compared up to there. And as it is written before
// the rows that are replaced are said to be gone, it is there whenever they are.
//
// Changes are added up. Each sum is there twice, by the time at which posts came again and by
// the time of the posts, so that a range of either is read without the rest.

// A comparison is what the tracked posts of a journal entry say of those that they replace.
type comparison struct {
	tracked map[segment.Key]*poststore.MatchedPost // nil: none are compared
	now     time.Time
	grown   map[growth]poststore.CounterChange
	carried map[segment.Key]earshot.Post // posts that take figures over: all that they have then
}

// A growth names a sum of changes.
type growth struct {
	monitor      poststore.SetID
	came, posted uint64 // seconds
}

// A replaced is a row in whose place a tracked post comes.
type replaced struct {
	row uint32
	key segment.Key
	by  *poststore.MatchedPost
}

func newComparison(tracked map[segment.Key]*poststore.MatchedPost, now time.Time) *comparison {
	return &comparison{tracked: tracked, now: now, grown: map[growth]poststore.CounterChange{}, carried: map[segment.Key]earshot.Post{}}
}

// compareFigures adds how figures change for the monitors that track posts and have the rows of
// a part that these replace.
func (s *Store) compareFigures(p *segmentState, all []replaced, c *comparison) error {
	if len(all) == 0 {
		return nil
	}
	rows := make([]uint32, len(all))
	for i, r := range all {
		rows[i] = r.row
	}
	old, err := p.data.Counters(rows)
	if err != nil {
		return err
	}
	had := map[poststore.SetID]*roaring.Bitmap{}
	for i, r := range all {
		c.carry(r.key, &old[i], &r.by.Post)
		change := c.change(&old[i], r.by)
		if enginekit.IsUnchanged(change) {
			continue
		}
		for _, id := range r.by.Tracked {
			if had[id] == nil {
				if had[id], err = s.setRows(p, id); err != nil {
					return err
				}
			}
			if had[id].Contains(r.row) {
				c.add(id, change)
			}
		}
	}
	return nil
}

func (c *comparison) change(old *earshot.Post, new *poststore.MatchedPost) poststore.CounterChange {
	came := new.Received
	if came.IsZero() {
		came = c.now
	}
	return enginekit.NewCounterChange(old, &new.Post, came)
}

func (c *comparison) add(id poststore.SetID, change poststore.CounterChange) {
	g := growth{id, segment.Seconds(change.Time), segment.Seconds(change.Posted)}
	c.grown[g] = enginekit.AddChanges(change, c.grown[g])
}

// keepGrowth writes what a journal entry changes. The caller holds s.mu.
func (s *Store) keepGrowth(at earshot.Position, c *comparison) error {
	if len(c.grown)+len(c.carried) == 0 {
		return nil
	}
	b := s.db.NewBatch()
	defer b.Close()
	for g, change := range c.grown {
		if err := s.addGrowth(b, g, change); err != nil {
			return err
		}
	}
	if err := setCarried(b, at, c.carried); err != nil {
		return err
	}
	if err := b.Set(recID(recCountersAt), binary.AppendUvarint(nil, uint64(at)), nil); err != nil {
		return err
	}
	if err := b.Commit(pebble.NoSync); err != nil {
		return err
	}
	s.countersAt = at
	return nil
}

// addGrowth adds a change to what is written.
func (s *Store) addGrowth(b *pebble.Batch, g growth, change poststore.CounterChange) error {
	key := recID(recChangeByTime, uint64(g.monitor), g.came, g.posted)
	data, err := get(s.db, key)
	if err != nil {
		return err
	}
	if data != nil {
		before, err := readGrowth(data)
		if err != nil {
			return err
		}
		change = enginekit.AddChanges(change, before)
	}
	data = appendGrowth(nil, change)
	return errors.Join(b.Set(key, data, nil), b.Set(recID(recChangeByPosted, uint64(g.monitor), g.posted, g.came), data, nil))
}

// loadCountersAt reads up to which position figures were compared.
func (s *Store) loadCountersAt() error {
	data, err := get(s.db, recID(recCountersAt))
	at, _ := binary.Uvarint(data)
	s.countersAt = earshot.Position(at)
	return err
}

// CounterChanges implements poststore.Store. It looks for changes that came in the range
// and then for those of posts in the range, and passes over what it has met.
func (s *Store) CounterChanges(ctx context.Context, m poststore.SetID, from, to time.Time, visit func(poststore.CounterChange)) error {
	if err := s.enter(); err != nil {
		return err
	}
	defer s.leave()
	if err := ctx.Err(); err != nil || !from.Before(to) {
		return err
	}
	state := s.db.NewSnapshot()
	defer state.Close()
	in := func(t time.Time) bool { return !t.Before(from) && t.Before(to) }
	bounds := func(letter byte) *pebble.IterOptions {
		return &pebble.IterOptions{
			LowerBound: recID(letter, uint64(m), segment.Seconds(from)),
			UpperBound: recID(letter, uint64(m), segment.Seconds(to)+1),
		}
	}
	err := eachGrowth(ctx, state, bounds(recChangeByTime), func(came, posted time.Time, c poststore.CounterChange) {
		if c.Time, c.Posted = came, posted; in(came) {
			visit(c)
		}
	})
	if err != nil {
		return err
	}
	return eachGrowth(ctx, state, bounds(recChangeByPosted), func(posted, came time.Time, c poststore.CounterChange) {
		if c.Time, c.Posted = came, posted; in(posted) && !in(came) {
			visit(c)
		}
	})
}

// eachGrowth calls visit with the two times of each key, in its order, and the sum.
func eachGrowth(ctx context.Context, db pebble.Reader, o *pebble.IterOptions, visit func(first, second time.Time, c poststore.CounterChange)) (err error) {
	it, err := db.NewIter(o)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, it.Close()) }()
	for ok := it.First(); ok && ctx.Err() == nil; ok = it.Next() {
		value, err := it.ValueAndErr()
		if err != nil {
			return err
		}
		c, err := readGrowth(value)
		if err != nil {
			return err
		}
		at := func(n int) time.Time { return time.Unix(int64(readID(it.Key(), n)-1<<63), 0).UTC() }
		visit(at(1), at(2), c)
	}
	return errors.Join(ctx.Err(), it.Error())
}

func appendGrowth(b []byte, c poststore.CounterChange) []byte {
	for _, n := range []int64{c.Likes, c.Shares, c.Comments} {
		b = binary.AppendVarint(b, n)
	}
	return b
}

func readGrowth(data []byte) (c poststore.CounterChange, err error) {
	for i, to := range []*int64{&c.Likes, &c.Shares, &c.Comments} {
		n, size := binary.Varint(data)
		if size <= 0 {
			return c, fmt.Errorf("read how figures changed: %d bytes are left of number %d", len(data), i)
		}
		*to, data = n, data[size:]
	}
	return c, nil
}

// trackedPosts returns the posts that monitors track, by their keys; nil when there are none.
func trackedPosts(posts []poststore.MatchedPost) map[segment.Key]*poststore.MatchedPost {
	if !slices.ContainsFunc(posts, func(m poststore.MatchedPost) bool { return len(m.Tracked) > 0 }) {
		return nil
	}
	tracked := make(map[segment.Key]*poststore.MatchedPost, len(posts))
	for i := range posts { // the last one of a key counts, tracked or not
		key := segment.KeyOf(posts[i].Post.Key())
		if tracked[key] = &posts[i]; len(posts[i].Tracked) == 0 {
			delete(tracked, key)
		}
	}
	return tracked
}
