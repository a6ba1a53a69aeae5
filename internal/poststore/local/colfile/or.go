package colfile

import (
	"iter"
	"slices"

	"github.com/RoaringBitmap/roaring/v2"
)

// sparseFactor is how many rows of the file there are for each row of a union below which
// the rows are sorted. Above, it is quicker to go through a bit for every row.
const sparseFactor = 1024

// Or adds the rows of all the keys' sets to a bitmap, which shares no memory with the
// file afterwards that it did not share before. It is meant for thousands of keys: what
// it costs depends on the rows in the sets, not on the keys. keys is ranged over twice.
func (s *Sets) Or(keys iter.Seq[uint64], into *roaring.Bitmap) {
	total := 0
	for key := range keys {
		total += s.Cardinality(key)
	}
	switch {
	case total == 0:
	case uint64(total) < s.rows/sparseFactor:
		s.orSparse(keys, total, into)
	default:
		s.orDense(keys, into)
	}
}

func (s *Sets) orSparse(keys iter.Seq[uint64], total int, into *roaring.Bitmap) {
	rows := make([]uint32, 0, total)
	for key := range keys {
		for row := range s.find(key).rows {
			rows = append(rows, row)
		}
	}
	slices.Sort(rows)
	into.AddMany(rows)
}

func (s *Sets) orDense(keys iter.Seq[uint64], into *roaring.Bitmap) {
	words := s.bitsets.Get().(*[]uint64)
	for key := range keys {
		set := s.find(key)
		if set.bitmap != nil {
			setBitmapBits(*words, set.bitmap)
			continue
		}
		for row := range set.small.rows {
			(*words)[row/64] |= 1 << (row % 64)
		}
	}
	if into.IsEmpty() {
		into.Clear()
		into.FromDense(*words, true)
	} else {
		into.Or(roaring.FromDense(*words, true))
	}
	clear(*words)
	s.bitsets.Put(words)
}
