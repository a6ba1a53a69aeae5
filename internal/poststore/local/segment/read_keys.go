package segment

import (
	"cmp"
	"iter"
	"slices"

	"github.com/RoaringBitmap/roaring/v2"

	"earshot/internal/poststore/local/colfile"
)

// Target is a post that is looked for: its key, and what the column of times has for it.
type Target struct {
	Key     Key
	Seconds uint64
}

// Find returns the row of each of the posts, Gone where the file has none. A post is found
// at its time only. What it costs depends on the posts that are looked for and on those of
// the same second, not on the size of the file.
func (s *Segment) Find(of []Target) ([]uint32, error) {
	k, err := s.keys()
	if err != nil {
		return nil, err
	}
	found := make([]uint32, len(of))
	order := make([]int, len(of))
	for i := range of {
		found[i], order[i] = NoRow, i
	}
	slices.SortFunc(order, func(a, b int) int {
		return cmp.Or(cmp.Compare(of[a].Seconds, of[b].Seconds), cmp.Compare(of[a].Key.high(), of[b].Key.high()))
	})
	row := uint32(0)
	for len(order) > 0 && row < k.rows {
		seconds := of[order[0]].Seconds
		n := 1
		for n < len(order) && of[order[n]].Seconds == seconds {
			n++
		}
		row = k.notBefore(row, seconds)
		row = k.find(row, seconds, of, order[:n], found)
		order = order[n:]
	}
	return found, nil
}

// keyColumns are what posts are found by.
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

// notBefore returns the first row, from one on, that is not before a second. The next one
// that is sought is often near, so it looks in growing steps.
func (k *keyColumns) notBefore(row uint32, seconds uint64) uint32 {
	step := uint32(1)
	from := row // all rows before it are earlier
	for row < k.rows && k.seconds.At(row) < seconds {
		from = row + 1
		row += min(step, k.rows-row)
		step *= 2
	}
	to := min(row, k.rows) // and none from here on
	for from < to {
		middle := from + (to-from)/2
		if k.seconds.At(middle) < seconds {
			from = middle + 1
		} else {
			to = middle
		}
	}
	return from
}

// find looks for posts of a second, sorted by key, among the rows of that second, and
// returns the row behind them.
func (k *keyColumns) find(row uint32, seconds uint64, of []Target, sorted []int, found []uint32) uint32 {
	const few = 8 // are compared one by one with each row
	for ; row < k.rows && k.seconds.At(row) == seconds; row++ {
		high := k.high.At(row)
		at := sorted
		if len(at) > few {
			first, _ := slices.BinarySearchFunc(at, high, func(i int, high uint64) int { return cmp.Compare(of[i].Key.high(), high) })
			at = at[first:]
		}
		for _, i := range at {
			if h := of[i].Key.high(); h == high && of[i].Key.low() == uint32(k.low.At(row)) {
				found[i] = row
			} else if h > high {
				break
			}
		}
	}
	return row
}

// Keys yields the key of each of the rows and what the column of times has; nil is all
// rows.
func (s *Segment) Keys(rows *roaring.Bitmap) (iter.Seq2[Key, uint64], error) {
	k, err := s.keys()
	if err != nil {
		return nil, err
	}
	if rows == nil {
		rows = roaring.New()
		rows.AddRange(0, uint64(k.rows))
	}
	return func(yield func(Key, uint64) bool) {
		for row := range roaring.Values(rows) {
			if row >= k.rows || !yield(k.at(row), k.seconds.At(row)) {
				return
			}
		}
	}, nil
}
