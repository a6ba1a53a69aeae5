package segment

import (
	"cmp"
	"math"
	"slices"
	"time"

	"earshot"
	"earshot/internal/poststore"
	"earshot/internal/poststore/enginekit"
)

// timeDim is a dimension of hours or days. Rows are in chronological order, so an hour or a day is
// a bucket of consecutive rows, whose end is found by binary search. Only the time of a bucket's
// first row is read. Buckets without counted rows are omitted.
type timeDim struct {
	keys []string
	ends []uint32 // first row after each bucket
}

// timeDim returns the dimension of the hours or days of the counted rows.
func (q *countQuery) timeDim(d poststore.Dim, zone *time.Location) (*timeDim, error) {
	seconds, err := q.segment.Uints(colTime)
	if err != nil {
		return nil, err
	}
	s, rows := new(timeDim), uint32(q.segment.Rows())
	meter := q.meter()
	var post earshot.Post
	var key []string
	for it := q.rows.Iterator(); it.HasNext(); it.AdvanceIfNeeded(s.ends[len(s.ends)-1]) {
		row := it.PeekNext()
		post.Time = timeOf(seconds.At(row), 0).In(zone)
		key = enginekit.AppendKeys(key[:0], d, &post, zone)
		s.add(key[0], rowNotBefore(seconds, row+1, rows, bucketEnd(d, post.Time)))
		if len(s.ends)%chunkRows == 0 {
			if err := cmp.Or(q.stopped(), meter.hold(s.bytes())); err != nil {
				return nil, err
			}
		}
	}
	return s, nil
}

// add adds a bucket. If a clock change split a day in two, it extends the last bucket instead.
func (s *timeDim) add(key string, end uint32) {
	if n := len(s.keys); n > 0 && s.keys[n-1] == key {
		s.ends[n-1] = end
		return
	}
	s.keys = append(s.keys, key)
	s.ends = append(s.ends, end)
}

// bucketEnd returns the end of the hour or day of t, or the next clock change if that is earlier,
// as a value of the time column.
func bucketEnd(d poststore.Dim, t time.Time) uint64 {
	length := uint64(60 * 60)
	if d == poststore.ByDay {
		length *= 24
	}
	hour, minute, second := t.Clock()
	now := Seconds(t)
	end := now + length - uint64(hour*3600+minute*60+second)%length
	if end < now {
		end = math.MaxUint64 // overflow
	}
	if _, change := earshot.ZoneBounds(t); !change.IsZero() {
		end = min(end, Seconds(change))
	}
	return end
}

func (s *timeDim) span() uint64 { return uint64(len(s.ends)) }

func (s *timeDim) read(codes []uint64, rows []uint32) {
	eachBucket(s.ends, rows, func(bucket, from, to int) {
		for i := range codes[from:to] {
			codes[from+i] = uint64(bucket)
		}
	})
}

// eachBucket calls visit with each bucket and the range of its rows in rows, which must be in
// non-descending order. ends are the first rows after the buckets.
func eachBucket(ends, rows []uint32, visit func(bucket, from, to int)) {
	bucket, _ := slices.BinarySearch(ends, rows[0]+1)
	for from := 0; from < len(rows); bucket++ {
		n, _ := slices.BinarySearch(rows[from:], ends[bucket])
		visit(bucket, from, from+n)
		from += n
	}
}

func (s *timeDim) keyFunc(bool) keyFunc {
	return func(dst []byte, bucket uint64) []byte { return append(dst, s.keys[bucket]...) }
}

// bytes returns the memory used by the buckets.
func (s *timeDim) bytes() int64 { return int64(len(s.ends)) * (4 + 16 + int64(len(time.RFC3339))) }
