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

// A loss is that a monitor had a post at a second, and that nothing tells of it any more.
type loss struct {
	monitor poststore.SetID
	seconds uint64    // as segment.Seconds gives them
	at      time.Time // not before the post went
}

func appendLosses(all []loss, id poststore.SetID, seconds []uint64, at time.Time) []loss {
	for _, second := range seconds {
		all = append(all, loss{id, second, at})
	}
	return all
}

// setLosses writes losses. What is written for one second is put behind one another, so
// those who write need not know of each other.
func setLosses(b *pebble.Batch, losses []loss) error {
	for _, l := range losses {
		if err := b.Merge(recID(recLost, uint64(l.monitor), l.seconds), appendMoment(nil, l.at), nil); err != nil {
			return err
		}
	}
	return nil
}

// lastLoss returns the latest of the moments that were written for one second.
func lastLoss(value []byte) (last time.Time) {
	for ; len(value) >= 8; value = value[8:] {
		if at := readMoment(value); at.After(last) {
			last = at
		}
	}
	return last
}

func appendMoment(b []byte, t time.Time) []byte {
	return binary.BigEndian.AppendUint64(b, uint64(t.UnixNano()))
}

func readMoment(b []byte) time.Time { return time.Unix(0, int64(binary.BigEndian.Uint64(b))) }

// lossesOf returns what is lost when the rows of parts that are gone are left out.
func (s *Store) lossesOf(parts []*part) (lost []loss, err error) {
	if !(&view{parts: parts}).retain() {
		return nil, errStale // one was set aside meanwhile
	}
	defer (&view{parts: parts}).release()
	for _, p := range parts {
		if p.gone == nil {
			continue
		}
		err := reading(p, func() error {
			ids, err := s.monitorsOf(p)
			if err != nil {
				return err
			}
			for _, id := range ids {
				if id.IsCategory() {
					continue // its posts are a monitor's, which tells of them
				}
				seconds, err := s.missing(p, id)
				if err != nil {
					return err
				}
				lost = appendLosses(lost, id, seconds, p.touched)
			}
			return nil
		})
		if err != nil {
			return nil, err
		}
	}
	return lost, nil
}

// missing returns when a monitor had posts that are gone from a part, once for each quarter
// of an hour of which it has none left there.
func (s *Store) missing(p *part, id poststore.SetID) ([]uint64, error) {
	if p.gone == nil {
		return nil, nil
	}
	rows, err := s.marked(p, id)
	if err != nil || !rows.Intersects(p.gone) {
		return nil, err
	}
	return vanished(p.file, rows, roaring.AndNot(rows, p.gone))
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

// A missingCache keeps what missing returns. When it is full, it is emptied.
type missingCache struct {
	mu   sync.Mutex
	size int
	kept map[missingName][]uint64
}

// A missingName names exactly which rows seconds are of.
type missingName struct {
	part, gone, marks uint64
	monitor           poststore.SetID
}

// mostMissing is how many seconds are kept, 8 bytes each; an entry of the map counts as ten.
const (
	mostMissing  = 1 << 18
	entryMissing = 10
)

// get returns what missing of a part and a monitor is.
func (c *missingCache) get(s *Store, p *part, id poststore.SetID) ([]uint64, error) {
	if p.gone == nil {
		return nil, nil
	}
	name := missingName{p.id, p.goneID, p.marks[id], id}
	c.mu.Lock()
	seconds, known := c.kept[name]
	c.mu.Unlock()
	if known {
		return seconds, nil
	}
	seconds, err := s.missing(p, id)
	if err != nil {
		return nil, err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.size += len(seconds) + entryMissing; c.kept == nil || c.size > mostMissing {
		c.kept, c.size = map[missingName][]uint64{}, len(seconds)+entryMissing
	}
	c.kept[name] = seconds
	return seconds, nil
}
