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
	"earshot/internal/postfile"
	"earshot/internal/poststore"
)

// How figures grow is written when the posts come, not with the flush that brings them to
// the disk, and together with the position up to which that was done. Entries that are
// read again after a crash are not compared up to there. And as it is written before
// the rows that are replaced are said to be gone, it is there whenever they are.

// A growth is how a figure change of a monitor's post is kept.
type growth struct {
	monitor earshot.MonitorID
	poststore.FigureChange
}

// A replaced is a row in whose place a tracked post comes.
type replaced struct {
	row uint32
	by  *poststore.Matched
}

// compareFigures returns how figures change for the monitors that track posts and have
// the rows that these replace.
func (s *Store) compareFigures(p *part, all []replaced, now time.Time) (changes []growth, err error) {
	if len(all) == 0 {
		return nil, nil
	}
	rows := make([]uint32, len(all))
	for i, r := range all {
		rows[i] = r.row
	}
	old, err := p.file.Figures(rows)
	if err != nil {
		return nil, err
	}
	had := map[earshot.MonitorID]*roaring.Bitmap{}
	for i, r := range all {
		change := poststore.FigureChangeOf(&old[i], &r.by.Post, now)
		if change.IsZero() {
			continue
		}
		for _, id := range r.by.Tracked {
			if had[id] == nil {
				if had[id], err = s.marked(p, id); err != nil {
					return nil, err
				}
			}
			if had[id].Contains(r.row) {
				changes = append(changes, growth{id, change})
			}
		}
	}
	return changes, nil
}

// keepGrowth writes what a journal entry changes. The caller holds s.mu.
func (s *Store) keepGrowth(at earshot.Position, changes []growth) error {
	if len(changes) == 0 {
		return nil
	}
	b := s.db.NewBatch()
	defer b.Close()
	for i, c := range changes {
		key := binary.BigEndian.AppendUint64(recGrown(c.monitor, c.Time), uint64(at))
		key = binary.BigEndian.AppendUint64(key, uint64(i))
		if err := b.Set(key, appendGrowth(nil, &c.FigureChange), nil); err != nil {
			return err
		}
	}
	if err := b.Set(recID(recCompared), binary.AppendUvarint(nil, uint64(at)), nil); err != nil {
		return err
	}
	if err := b.Commit(pebble.NoSync); err != nil {
		return err
	}
	s.compared = at
	return nil
}

// loadCompared reads up to which position figures were compared.
func (s *Store) loadCompared() error {
	data, err := get(s.db, recID(recCompared))
	at, _ := binary.Uvarint(data)
	s.compared = earshot.Position(at)
	return err
}

// FigureChanges implements poststore.Store.
func (s *Store) FigureChanges(ctx context.Context, m earshot.MonitorID, since time.Time) (changes []poststore.FigureChange, err error) {
	if err := s.enter(); err != nil {
		return nil, err
	}
	defer s.leave()
	_, end := recOf(recGrowth, m)
	it, err := s.db.NewIter(&pebble.IterOptions{LowerBound: recGrown(m, since), UpperBound: end})
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, it.Close()) }()
	for ok := it.First(); ok && ctx.Err() == nil; ok = it.Next() {
		value, err := it.ValueAndErr()
		if err != nil {
			return nil, err
		}
		c, err := readGrowth(value)
		if err != nil {
			return nil, err
		}
		c.Time = time.Unix(int64(readID(it.Key(), 1)-1<<63), int64(readID(it.Key(), 2))).UTC()
		changes = append(changes, c)
	}
	return changes, errors.Join(ctx.Err(), it.Error())
}

// recGrown returns what the keys of changes at a moment begin with.
func recGrown(m earshot.MonitorID, at time.Time) []byte {
	return recID(recGrowth, uint64(m), postfile.Seconds(at), uint64(at.Nanosecond()))
}

func appendGrowth(b []byte, c *poststore.FigureChange) []byte {
	for _, n := range []int64{c.Posted.Unix(), int64(c.Posted.Nanosecond()), c.Likes, c.Shares, c.Comments} {
		b = binary.AppendVarint(b, n)
	}
	return b
}

func readGrowth(data []byte) (c poststore.FigureChange, err error) {
	var numbers [5]int64
	for i := range numbers {
		n, size := binary.Varint(data)
		if size <= 0 {
			return c, fmt.Errorf("read how figures changed: %d bytes are left of number %d", len(data), i)
		}
		numbers[i], data = n, data[size:]
	}
	c.Posted = time.Unix(numbers[0], numbers[1]).UTC()
	c.Likes, c.Shares, c.Comments = numbers[2], numbers[3], numbers[4]
	return c, nil
}

// trackedPosts returns the posts that monitors track, by their keys; nil when there are none.
func trackedPosts(posts []poststore.Matched) map[postfile.Key]*poststore.Matched {
	if !slices.ContainsFunc(posts, func(m poststore.Matched) bool { return len(m.Tracked) > 0 }) {
		return nil
	}
	tracked := make(map[postfile.Key]*poststore.Matched, len(posts))
	for i := range posts { // the last one of a key counts, tracked or not
		tracked[postfile.KeyOf(posts[i].Post.Key())] = &posts[i]
	}
	return tracked
}
