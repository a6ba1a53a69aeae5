package local

import (
	"encoding/binary"
	"errors"
	"fmt"

	"github.com/RoaringBitmap/roaring/v2"
	"github.com/cockroachdb/pebble/v2"

	"earshot/internal/poststore/local/segment"
)

// replace determines which stored rows the new rows replace and compares the counters of tracked
// posts. The caller holds s.mu.
func (s *Store) replace(v *view, c *viewChange, rows []segment.Row, counters *counterUpdate) error {
	var targets []segment.Target
	for i := range rows {
		seconds, known, err := s.timeOf(rows[i].Key)
		if err != nil {
			return err
		}
		c.added = append(c.added, addedPost{rows[i].Key, pendingKey{segment.Seconds(rows[i].Post.Time), known}})
		if known {
			targets = append(targets, segment.Target{Key: rows[i].Key, Seconds: seconds})
		}
	}
	for _, p := range v.segments {
		among := within(targets, p)
		if len(among) == 0 {
			continue
		}
		err := reading(p, func() error { return replaceIn(p, c, among, counters) })
		if err != nil {
			return err
		}
	}
	return nil
}

// replaceIn is replace for a single segment.
func replaceIn(p *segmentState, c *viewChange, targets []segment.Target, counters *counterUpdate) error {
	found, err := p.data.Find(targets)
	if err != nil {
		return err
	}
	rows := roaring.New()
	var replaced []replacedRow
	for i, row := range found {
		if row == segment.NoRow || p.isDeleted(row) {
			continue
		}
		rows.Add(row)
		if m := counters.tracked[targets[i].Key]; m != nil {
			replaced = append(replaced, replacedRow{row, targets[i].Key, m})
		}
	}
	c.deleted[p.id] = rows
	return counters.before(p, replaced)
}

// within returns the targets whose time is within a segment.
func within(targets []segment.Target, p *segmentState) (among []segment.Target) {
	first, last := segment.Seconds(p.first), segment.Seconds(p.last)
	for _, x := range targets {
		if first <= x.Seconds && x.Seconds <= last {
			among = append(among, x)
		}
	}
	return among
}

// timeOf returns the time of the post with the given key. It may return a time for a key that is no
// longer stored, but never misses a stored one. The caller holds s.mu.
func (s *Store) timeOf(k segment.Key) (seconds uint64, known bool, err error) {
	if s.filter != nil && !s.filter.has(k) {
		return 0, false, nil
	}
	for _, p := range []*pending{s.pending, s.flushing} {
		if p == nil {
			continue
		}
		if added, known := p.keys[k]; known {
			return added.seconds, true, nil
		}
	}
	return storedTime(s.db, k)
}

// storedTime returns the time that a flush stored for a key.
func storedTime(stored pebble.Reader, k segment.Key) (seconds uint64, known bool, err error) {
	value, closer, err := stored.Get(postKey(k))
	if errors.Is(err, pebble.ErrNotFound) {
		return 0, false, nil
	}
	if err != nil {
		return 0, false, err
	}
	defer closer.Close()
	unix, n := binary.Varint(value)
	if n <= 0 {
		return 0, false, fmt.Errorf("decode the time of a key: %d bytes", len(value))
	}
	return uint64(unix) + 1<<63, true, nil
}
