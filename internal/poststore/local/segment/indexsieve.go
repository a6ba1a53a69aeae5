package segment

import "github.com/RoaringBitmap/roaring/v2"

const (
	// rowsAtOnce is how many rows are looked at before stopped is.
	rowsAtOnce = 4096

	// maxSparseRows is up to how many rows are added to a bitmap one by one. It is quicker to
	// set bits and to make a bitmap of those, but they have to be there for every row.
	maxSparseRows = 2048
)

func (x *index) Scan(rows *roaring.Bitmap, accept func(words []uint32) bool) *roaring.Bitmap {
	return x.filter(rows, func(row uint32) bool {
		x.spare = x.words.Append(x.spare[:0], row)
		return accept(x.spare)
	})
}

// filter returns the rows that are accepted.
func (x *index) filter(rows *roaring.Bitmap, accept func(row uint32) bool) *roaring.Bitmap {
	return x.filterChunks(rows, func(some []uint32) []uint32 {
		n := 0
		for _, row := range some {
			if accept(row) {
				some[n] = row
				n++
			}
		}
		return some[:n]
	})
}

// filterChunks returns the rows that keep leaves of them, which it is given many at a time.
func (x *index) filterChunks(rows *roaring.Bitmap, keep func(some []uint32) []uint32) *roaring.Bitmap {
	count := rows.GetCardinality()
	if count == 0 {
		return roaring.New()
	}
	kept := newRowCollector(rows.Maximum(), count)
	buffer := make([]uint32, min(rowsAtOnce, count))
	for next := rows.ManyIterator(); x.stopped() == nil; {
		n := next.NextMany(buffer)
		if n == 0 {
			break
		}
		kept.add(keep(buffer[:n]))
	}
	return kept.bitmap()
}

// A rowCollector is rows that are going to be a bitmap.
type rowCollector struct {
	sparse *roaring.Bitmap // nil: they are in bits
	bits   []uint64
}

// newRowCollector makes room for up to so many rows, none of them after last.
func newRowCollector(last uint32, count uint64) *rowCollector {
	if count <= maxSparseRows {
		return &rowCollector{sparse: roaring.New()}
	}
	return &rowCollector{bits: make([]uint64, last/64+1)}
}

// add adds rows, which ascend.
func (s *rowCollector) add(rows []uint32) {
	if s.sparse != nil {
		s.sparse.AddMany(rows)
		return
	}
	for _, row := range rows {
		s.bits[row/64] |= 1 << (row % 64)
	}
}

// bitmap returns the rows. The set is used up.
func (s *rowCollector) bitmap() *roaring.Bitmap {
	if s.sparse != nil {
		return s.sparse
	}
	return roaring.FromDense(s.bits, false)
}
