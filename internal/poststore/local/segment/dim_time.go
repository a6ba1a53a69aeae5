package segment

import (
	"cmp"
	"math"
	"slices"
	"sort"
	"time"

	"earshot"
	"earshot/internal/poststore"
	"earshot/internal/poststore/enginekit"
	"earshot/internal/poststore/local/colfile"
)

// timeDim is a dimension of hours or days. Rows are in the order of their times, so a slot
// is a run of rows, and where it ends is searched for: no time of a row is looked at but
// the first of each slot. Slots without any of the rows in question are left out.
type timeDim struct {
	keys []string
	ends []uint32 // first row after each slot
}

// timeDim returns the hours or days of the rows in question.
func (q *countQuery) timeDim(d poststore.Dim, zone *time.Location) (*timeDim, error) {
	seconds, err := q.segment.Uints(colTime)
	if err != nil {
		return nil, err
	}
	s := new(timeDim)
	meter := q.meter()
	var post earshot.Post
	var key []string
	for it := q.rows.Iterator(); it.HasNext(); it.AdvanceIfNeeded(s.ends[len(s.ends)-1]) {
		row := it.PeekNext()
		post.Time = timeOf(seconds.At(row), 0).In(zone)
		key = enginekit.AppendKeys(key[:0], d, &post, zone)
		s.add(key[0], q.rowAt(seconds, row, bucketEnd(d, post.Time)))
		if len(s.ends)%chunkRows == 0 {
			if err := cmp.Or(q.stopped(), meter.hold(s.bytes())); err != nil {
				return nil, err
			}
		}
	}
	return s, nil
}

// add adds a slot, or lengthens the last one: a clock change within a day makes it two.
func (s *timeDim) add(key string, end uint32) {
	if n := len(s.keys); n > 0 && s.keys[n-1] == key {
		s.ends[n-1] = end
		return
	}
	s.keys = append(s.keys, key)
	s.ends = append(s.ends, end)
}

// bucketEnd returns until when the clock shows the same hour or day as at t, in the
// seconds of the column: the hour or day is over, or the clock is changed.
func bucketEnd(d poststore.Dim, t time.Time) uint64 {
	length := uint64(60 * 60)
	if d == poststore.ByDay {
		length *= 24
	}
	hour, minute, second := t.Clock()
	now := Seconds(t)
	end := now + length - uint64(hour*3600+minute*60+second)%length
	if end < now {
		end = math.MaxUint64 // beyond the end of time
	}
	if _, change := earshot.ZoneBounds(t); !change.IsZero() {
		end = min(end, Seconds(change))
	}
	return end
}

// rowAt returns the first row after one that is not before a time, and is quickest when
// that is close.
func (q *countQuery) rowAt(seconds *colfile.Uints, row uint32, time uint64) uint32 {
	rows := uint32(q.segment.Rows())
	from, step := row+1, uint32(1)
	for from+step < rows && seconds.At(from+step) < time {
		from += step
		step *= 2
	}
	after := sort.Search(int(min(step, rows-from)), func(i int) bool { return seconds.At(from+uint32(i)) >= time })
	return from + uint32(after)
}

func (s *timeDim) span() uint64 { return uint64(len(s.ends)) }

func (s *timeDim) read(codes []uint64, rows []uint32) {
	eachBucket(s.ends, rows, func(slot, from, to int) {
		for i := range codes[from:to] {
			codes[from+i] = uint64(slot)
		}
	})
}

// eachBucket calls visit with the slots that the rows are in, and where each of them begins and
// ends among the rows. Rows do not descend, and ends are the first rows after the slots.
func eachBucket(ends, rows []uint32, visit func(slot, from, to int)) {
	slot, _ := slices.BinarySearch(ends, rows[0]+1)
	for from := 0; from < len(rows); slot++ {
		n, _ := slices.BinarySearch(rows[from:], ends[slot])
		visit(slot, from, from+n)
		from += n
	}
}

func (s *timeDim) keyFunc(bool) keyFunc {
	return func(dst []byte, slot uint64) []byte { return append(dst, s.keys[slot]...) }
}

// bytes returns how much memory the slots take.
func (s *timeDim) bytes() int64 { return int64(len(s.ends)) * (4 + 16 + int64(len(time.RFC3339))) }
