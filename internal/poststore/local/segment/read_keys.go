package segment

import (
	"cmp"
	"iter"
	"math/bits"
	"slices"

	"github.com/RoaringBitmap/roaring/v2"

	"earshot/internal/poststore/local/colfile"
)

// A Target is a post to find, given by its key and its time (see [Seconds]).
type Target struct {
	Key     Key
	Seconds uint64
}

// Find returns the row of each target, or [NoRow]. It finds a post only if the target has its exact
// time. The cost depends on the number of targets and the number of posts in the same seconds, not
// on the size of the segment.
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

// keyColumns are the columns used to find posts.
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

// find searches for the targets of one second, sorted by key, in the rows of that second, which
// start at row. It returns the first row after them.
func (k *keyColumns) find(row uint32, seconds uint64, targets []Target, sorted []int, found []uint32) uint32 {
	const maxLinear = 8 // maximum number of targets for a linear search
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

// Keys yields the key of each row and its time (see [Seconds]). If rows is nil, it yields all rows.
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

// A KeyRow is a row and the index of its key in a list of keys.
type KeyRow struct{ Row, Key uint32 }

// ScanKeys returns the rows that have one of the keys, in ascending order. The keys must be ascending
// and distinct. It reads the keys of all rows, at a few nanoseconds each.
func (s *Segment) ScanKeys(keys []Key) (found []KeyRow, err error) {
	k, err := s.keys()
	if err != nil || len(keys) == 0 {
		return nil, err
	}
	// Keys are hashes, so their first bits divide them evenly. With four buckets per key, most rows
	// fall into an empty one.
	shift := 64 - (bits.Len(uint(len(keys))) + 2)
	ends := make([]uint32, 1<<(64-shift)) // indexed by bucket
	for i := range keys {
		ends[keys[i].high()>>shift] = uint32(i + 1)
	}
	for b := 1; b < len(ends); b++ {
		ends[b] = max(ends[b], ends[b-1])
	}
	for row := range k.rows {
		high := k.high.At(row)
		from, to := uint32(0), ends[high>>shift]
		if b := high >> shift; b > 0 {
			from = ends[b-1]
		}
		for i := from; i < to; i++ {
			if keys[i].high() == high && keys[i].low() == uint32(k.low.At(row)) {
				found = append(found, KeyRow{row, i})
			}
		}
	}
	return found, nil
}
