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

// An unmatched says that a set had a post at a time, of which no segment has a trace any more.
type unmatched struct {
	set     poststore.SetID
	seconds uint64    // as segment.Seconds gives them
	at      time.Time // not before the post went
}

func appendUnmatched(all []unmatched, id poststore.SetID, seconds []uint64, at time.Time) []unmatched {
	for _, second := range seconds {
		all = append(all, unmatched{id, second, at})
	}
	return all
}

// putUnmatched writes records. Values of the same second are appended to one another, so writers
// need not know of each other.
func putUnmatched(b *pebble.Batch, losses []unmatched) error {
	for _, l := range losses {
		if err := b.Merge(recID(recUnmatched, uint64(l.set), l.seconds), appendTime(nil, l.at), nil); err != nil {
			return err
		}
	}
	return nil
}

// lastUnmatched returns the latest of the times that were written for one second.
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

// unmatchedIn returns what leaves no trace when the deleted rows of segments are dropped.
func (s *Store) unmatchedIn(segments []*segmentState) (all []unmatched, err error) {
	if !(&view{segments: segments}).retain() {
		return nil, errStale // one was quarantined in the meantime
	}
	defer (&view{segments: segments}).release()
	for _, p := range segments {
		if p.deleted == nil {
			continue
		}
		err := reading(p, func() error {
			ids, err := s.setsIn(p)
			if err != nil {
				return err
			}
			for _, id := range ids {
				if id.IsCategory() {
					continue // its posts are a monitor's, which is recorded
				}
				seconds, err := s.vanishedTimes(p, id)
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

// vanishedTimes returns when a set had posts that are deleted from a segment, once for each
// quarter of an hour of which it has none left there.
func (s *Store) vanishedTimes(p *segmentState, id poststore.SetID) ([]uint64, error) {
	if p.deleted == nil {
		return nil, nil
	}
	rows, err := s.setRows(p, id)
	if err != nil || !rows.Intersects(p.deleted) {
		return nil, err
	}
	return vanished(p.data, rows, roaring.AndNot(rows, p.deleted))
}

// vanished returns the second of a row that is in before and not in after, once for each
// quarter of an hour that has such rows and none of after.
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

// A vanishedCache holds what vanishedTimes returns. When it is full, it is emptied.
type vanishedCache struct {
	mu      sync.Mutex
	size    int
	entries map[vanishedKey][]uint64
}

// A vanishedKey names exactly which rows times are of.
type vanishedKey struct {
	segment, deleted, override uint64
	set                        poststore.SetID
}

// maxVanished is how many times are cached, 8 bytes each; an entry of the map counts as ten.
const (
	maxVanished   = 1 << 18
	entryVanished = 10
)

// get returns vanishedTimes of a segment and a set.
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
	seconds, err := s.vanishedTimes(p, id)
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
