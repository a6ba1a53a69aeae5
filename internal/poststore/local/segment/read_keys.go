package segment

import (
	"cmp"
	"iter"
	"slices"

	"github.com/RoaringBitmap/roaring/v2"

	"earshot/internal/poststore/local/colfile"
)

// A Target is a post to find: its key, and its time as Seconds returns it.
type Target struct {
	Key     Key
	Seconds uint64
}

// Find returns the row of each target, or NoRow. A post is found only at its time. The cost
// depends on the number of targets and of posts of the same seconds, not on the segment's size.
func (s *Segment) Find(targets []Target) ([]uint32, error) {
	k, err := s.keys()
	if err != nil {
		return nil, err
	}
	found := make([]uint32, len(targets))
	order := make([]int, len(targets))
	for i := range targets {
		found[i], order[i] = NoRow, i
	}
	slices.SortFunc(order, func(a, b int) int {
		return cmp.Or(cmp.Compare(targets[a].Seconds, targets[b].Seconds), cmp.Compare(targets[a].Key.high(), targets[b].Key.high()))
	})
	row := uint32(0)
	for len(order) > 0 && row < k.rows {
		seconds := targets[order[0]].Seconds
		n := 1
		for n < len(order) && targets[order[n]].Seconds == seconds {
			n++
		}
		row = rowNotBefore(k.seconds, row, k.rows, seconds)
		row = k.find(row, seconds, targets, order[:n], found)
		order = order[n:]
	}
	return found, nil
}

// keyColumns are the columns that posts are found by.
type keyColumns struct {
	seconds, high, low *colfile.Uints
	rows               uint32
}

func (s *Segment) keys() (k keyColumns, err error) {
	k.rows = uint32(s.Rows())
	if k.seconds, err = s.Uints(colTime); err != nil {
		return k, err
	}
	if k.high, err = s.Uints(colKeyHigh); err != nil {
		return k, err
	}
	k.low, err = s.Uints(colKeyLow)
	return k, err
}

func (k *keyColumns) at(row uint32) Key { return newKey(k.high.At(row), uint32(k.low.At(row))) }

// find finds the targets of a second, sorted by key, among the rows of that second, which start at
// row. It returns the row after them.
func (k *keyColumns) find(row uint32, seconds uint64, targets []Target, sorted []int, found []uint32) uint32 {
	const maxLinear = 8 // targets to compare one by one with each row
	for ; row < k.rows && k.seconds.At(row) == seconds; row++ {
		high := k.high.At(row)
		candidates := sorted
		if len(candidates) > maxLinear {
			first, _ := slices.BinarySearchFunc(candidates, high, func(i int, high uint64) int { return cmp.Compare(targets[i].Key.high(), high) })
			candidates = candidates[first:]
		}
		for _, i := range candidates {
			if h := targets[i].Key.high(); h == high && targets[i].Key.low() == uint32(k.low.At(row)) {
				found[i] = row
			} else if h > high {
				break
			}
		}
	}
	return row
}

// Keys yields the key of each row, and its time as Seconds returns it. nil means all rows.
func (s *Segment) Keys(rows *roaring.Bitmap) (iter.Seq2[Key, uint64], error) {
	k, err := s.keys()
	if err != nil {
		return nil, err
	}
	if rows == nil {
		rows = rowRange(0, k.rows)
	}
	return func(yield func(Key, uint64) bool) {
		for row := range roaring.Values(rows) {
			if row >= k.rows || !yield(k.at(row), k.seconds.At(row)) {
				return
			}
		}
	}, nil
}
