package segment

import (
	"slices"
	"time"

	"github.com/RoaringBitmap/roaring/v2"
)

// Histogram returns how many of the given rows are in each interval [starts[d], starts[d+1]). starts
// must be ascending, and all rows must be in one of the intervals.
//
// Rows are sorted by time, so it looks up the time of one row per interval, and skips the rest.
func (s *Segment) Histogram(rows *roaring.Bitmap, starts []time.Time) ([]int64, error) {
	times, err := s.rowTimes()
	if err != nil {
		return nil, err
	}
	counts := make([]int64, len(starts)-1)
	interval, end := 0, uint32(0) // end is the first row after the interval
	for it := rows.Iterator(); it.HasNext(); {
		row := it.Next()
		if row >= end {
			after, _ := slices.BinarySearchFunc(starts[interval:], times.at(row), func(start, t time.Time) int {
				if start.After(t) {
					return 1
				}
				return -1
			})
			interval += after - 1
			next := starts[interval+1]
			end = times.before(Seconds(next), uint64(next.Nanosecond()))
		}
		counts[interval]++
	}
	return counts, nil
}
