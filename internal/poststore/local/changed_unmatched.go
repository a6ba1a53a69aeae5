package local

import (
	"encoding/binary"
	"sync"
	"time"

	"github.com/RoaringBitmap/roaring/v2"
	"github.com/cockroachdb/pebble/v2"

	"earshot/internal/poststore"
	"earshot/internal/poststore/local/segment"
)

// An unmatched records that a set once contained a post that has left no trace in any segment.
type unmatched struct {
	set     poststore.SetID
	seconds uint64    // time of the post, see segment.Seconds
	at      time.Time // no earlier than the post's removal
}

func appendUnmatched(all []unmatched, id poststore.SetID, seconds []uint64, at time.Time) []unmatched {
	for _, second := range seconds {
		all = append(all, unmatched{id, second, at})
	}
	return all
}

// putUnmatched writes records. It appends to existing values for the same second, so writers need
// not coordinate.
func putUnmatched(b *pebble.Batch, losses []unmatched) error {
	for _, l := range losses {
		if err := b.Merge(recID(recUnmatched, uint64(l.set), l.seconds), appendTime(nil, l.at), nil); err != nil {
			return err
		}
	}
	return nil
}

// lastUnmatched returns the latest of the times recorded for one second.
func lastUnmatched(value []byte) (last time.Time) {
	for ; len(value) >= 8; value = value[8:] {
		if at := readTime(value); at.After(last) {
			last = at
		}
	}
	return last
}

func appendTime(b []byte, t time.Time) []byte {
	return binary.BigEndian.AppendUint64(b, uint64(t.UnixNano()))
}

func readTime(b []byte) time.Time { return time.Unix(0, int64(binary.BigEndian.Uint64(b))) }

// unmatchedIn returns the records required when a merge drops deleted rows of the segments.
func (s *Store) unmatchedIn(segments []*segmentState) (all []unmatched, err error) {
	if !(&view{segments: segments}).retain() {
		return nil, errStale // a segment was quarantined in the meantime
	}
	defer (&view{segments: segments}).release()
	for _, p := range segments {
		dropped := p.droppable()
		if dropped == nil {
			continue
		}
		err := reading(p, func() error {
			ids, err := s.setsIn(p)
			if err != nil {
				return err
			}
			for _, id := range ids {
				if id.IsCategory() {
					continue // its posts also belong to a monitor's set, which has a record
				}
				seconds, err := s.vanishedTimes(p, id, dropped)
				if err != nil {
					return err
				}
				all = appendUnmatched(all, id, seconds, p.modified)
			}
			return nil
		})
		if err != nil {
			return nil, err
		}
	}
	return all, nil
}

// vanishedTimes returns the times of a set's posts that are among the deleted rows of a segment: one
// per quarter hour in which the segment has no other posts of the set.
func (s *Store) vanishedTimes(p *segmentState, id poststore.SetID, deleted *roaring.Bitmap) ([]uint64, error) {
	rows, err := s.setRows(p, id)
	if err != nil || !rows.Intersects(deleted) {
		return nil, err
	}
	return vanished(p.data, rows, roaring.AndNot(rows, deleted))
}

// vanished returns the times of rows that are in before but not in after: one per quarter hour that
// has no rows in after.
func vanished(f *segment.Segment, before, after *roaring.Bitmap) (seconds []uint64, err error) {
	const quarter = 15 * time.Minute
	for it := roaring.AndNot(before, after).Iterator(); it.HasNext(); {
		at, err := f.Times([]uint32{it.Next()})
		if err != nil {
			return nil, err
		}
		start := at[0].Truncate(quarter)
		from, err := f.RowsBefore(start)
		if err != nil {
			return nil, err
		}
		to, err := f.RowsBefore(start.Add(quarter))
		if err != nil {
			return nil, err
		}
		if !after.IntersectsWithInterval(uint64(from), uint64(to)) {
			seconds = append(seconds, segment.Seconds(at[0]))
		}
		it.AdvanceIfNeeded(to)
	}
	return seconds, nil
}

// A vanishedCache caches the results of vanishedTimes. It is cleared when it is full.
type vanishedCache struct {
	mu      sync.Mutex // guards the fields below
	size    int
	entries map[vanishedKey][]uint64
}

// A vanishedKey identifies the exact rows that a result was computed from.
type vanishedKey struct {
	segment, deleted, override uint64
	set                        poststore.SetID
}

// maxVanished is the maximum number of cached times, 8 bytes each (2 MiB). Each map entry counts as
// entryVanished times.
const (
	maxVanished   = 1 << 18
	entryVanished = 10
)

// get returns the cached or computed vanishedTimes of a segment and a set.
func (c *vanishedCache) get(s *Store, p *segmentState, id poststore.SetID) ([]uint64, error) {
	if p.deleted == nil {
		return nil, nil
	}
	name := vanishedKey{p.id, p.deletedVersion, p.overrides[id], id}
	c.mu.Lock()
	seconds, known := c.entries[name]
	c.mu.Unlock()
	if known {
		return seconds, nil
	}
	seconds, err := s.vanishedTimes(p, id, p.deleted)
	if err != nil {
		return nil, err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.size += len(seconds) + entryVanished; c.entries == nil || c.size > maxVanished {
		c.entries, c.size = map[vanishedKey][]uint64{}, len(seconds)+entryVanished
	}
	c.entries[name] = seconds
	return seconds, nil
}
