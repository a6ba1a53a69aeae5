package segment

import (
	"github.com/RoaringBitmap/roaring/v2"

	"earshot/internal/poststore/local/colfile"
)

// sparseFactor is how many rows of a stretch there are for each row that is looked for from
// which on only those are looked at. Otherwise it is quicker to go through all.
const sparseFactor = 6

// rowsWithVerdict returns the rows whose names have a verdict.
func (x *index) rowsWithVerdict(column *colfile.Uints, v *verdicts, want verdict, counts [unsure + 1]int, among *roaring.Bitmap) *roaring.Bitmap {
	switch total := column.Max() - column.Min() + 1; counts[want] {
	case 0:
		return roaring.New()
	case int(total):
		return x.orAll(among).Clone()
	}
	wanted := make([]uint8, len(v.verdicts))
	for i, made := range v.verdicts {
		if made == want {
			wanted[i] = 1
		}
	}
	wanted = wanted[column.Base():]
	if among == nil {
		return x.scanRun(column, wanted, 0, x.rows)
	}
	if among.IsEmpty() {
		return roaring.New()
	}
	from, to := among.Minimum(), among.Maximum()+1
	if uint64(to-from) > sparseFactor*among.GetCardinality() {
		return x.scanRows(column, wanted, among)
	}
	rows := x.scanRun(column, wanted, from, to)
	rows.And(among)
	return rows
}

// scanRun goes through a run of rows and returns those whose numbers, less the base, are
// wanted. There may be up to 63 rows more, before the run and behind it.
func (x *index) scanRun(column *colfile.Uints, wanted []uint8, from, to uint32) *roaring.Bitmap {
	const step = 1 << 16
	words := make([]uint64, (to+63)/64)
	for from = from / 64 * 64; from < to && x.stopped() == nil; from += step {
		end := min(to, from+step)
		into := words[from/64:]
		column.Visit(
			func(v []uint8) { setMatchingBits(v[from:end], wanted, into) },
			func(v []uint16) { setMatchingBits(v[from:end], wanted, into) },
			func(v []uint32) { setMatchingBits(v[from:end], wanted, into) },
			func(v []uint64) { setMatchingBits(v[from:end], wanted, into) })
	}
	return roaring.FromDense(words, false)
}

// setMatchingBits sets the bits of the rows whose numbers are wanted, eight at a time: that is more
// than twice as fast.
func setMatchingBits[T uint8 | uint16 | uint32 | uint64](column []T, wanted []uint8, into []uint64) {
	row := 0
	for ; row+8 <= len(column); row += 8 {
		c := column[row : row+8 : row+8]
		eight := wanted[c[0]] | wanted[c[1]]<<1 | wanted[c[2]]<<2 | wanted[c[3]]<<3 |
			wanted[c[4]]<<4 | wanted[c[5]]<<5 | wanted[c[6]]<<6 | wanted[c[7]]<<7
		into[row/64] |= uint64(eight) << (row % 64)
	}
	for ; row < len(column); row++ {
		into[row/64] |= uint64(wanted[column[row]]) << (row % 64)
	}
}

// scanRows returns those of some rows whose numbers, less the base, are wanted.
func (x *index) scanRows(column *colfile.Uints, wanted []uint8, among *roaring.Bitmap) *roaring.Bitmap {
	return x.filterChunks(among, func(rows []uint32) []uint32 {
		column.Visit(
			func(v []uint8) { rows = filterRows(v, wanted, rows) },
			func(v []uint16) { rows = filterRows(v, wanted, rows) },
			func(v []uint32) { rows = filterRows(v, wanted, rows) },
			func(v []uint64) { rows = filterRows(v, wanted, rows) })
		return rows
	})
}

// filterRows leaves the rows whose numbers are wanted.
func filterRows[T uint8 | uint16 | uint32 | uint64](column []T, wanted []uint8, rows []uint32) []uint32 {
	n := 0
	for _, row := range rows {
		rows[n] = row
		n += int(wanted[column[row]])
	}
	return rows[:n]
}

// maxSparseRows is up to how many rows are added to a bitmap one by one. For more it is faster to
// set bits and to build a bitmap from those, which takes a bit per row of the segment.
const maxSparseRows = 2048

func (x *index) Scan(rows *roaring.Bitmap, accept func(words []uint32) bool) *roaring.Bitmap {
	return x.filter(rows, func(row uint32) bool {
		x.buffer = x.tokens.Append(x.buffer[:0], row)
		return accept(x.buffer)
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
	buffer := make([]uint32, min(chunkRows, count))
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
