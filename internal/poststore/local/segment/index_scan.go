package segment

import (
	"github.com/RoaringBitmap/roaring/v2"

	"earshot/internal/poststore/local/colfile"
)

// sparseFactor decides how to scan a scope. If its range contains more than sparseFactor rows per
// row in the scope, only the rows in the scope are read. Otherwise reading all rows in the range is
// faster.
const sparseFactor = 6

// scanColumn returns the rows whose numbers in a column, minus its base, are wanted.
func (x *index) scanColumn(column *colfile.Uints, wanted []uint8, scope *roaring.Bitmap) *roaring.Bitmap {
	if scope == nil {
		return x.scanRange(column, wanted, 0, x.rows)
	}
	if scope.IsEmpty() {
		return roaring.New()
	}
	from, to := scope.Minimum(), scope.Maximum()+1
	if uint64(to-from) > sparseFactor*scope.GetCardinality() {
		return x.filterChunks(scope, func(rows []uint32) []uint32 {
			column.Visit(
				func(v []uint8) { rows = filterRows(v, wanted, rows) },
				func(v []uint16) { rows = filterRows(v, wanted, rows) },
				func(v []uint32) { rows = filterRows(v, wanted, rows) },
				func(v []uint64) { rows = filterRows(v, wanted, rows) })
			return rows
		})
	}
	rows := x.scanRange(column, wanted, from, to)
	rows.And(scope)
	return rows
}

// scanRange returns the rows in [from, to) whose numbers, minus the base, are wanted. It may also
// return up to 63 wanted rows before from.
func (x *index) scanRange(column *colfile.Uints, wanted []uint8, from, to uint32) *roaring.Bitmap {
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

// setMatchingBits sets the bits of the rows whose numbers are wanted. Processing eight rows at once
// is more than twice as fast.
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

// filterRows removes the rows whose numbers are not wanted.
func filterRows[T uint8 | uint16 | uint32 | uint64](column []T, wanted []uint8, rows []uint32) []uint32 {
	n := 0
	for _, row := range rows {
		rows[n] = row
		n += int(wanted[column[row]])
	}
	return rows[:n]
}

// Scan returns the rows whose tokens are accepted.
func (x *index) Scan(rows *roaring.Bitmap, accept func(tokens []uint32) bool) *roaring.Bitmap {
	return x.filter(rows, func(row uint32) bool {
		x.buffer = x.tokens.Append(x.buffer[:0], row)
		return accept(x.buffer)
	})
}

// filter returns the rows that are accepted.
func (x *index) filter(rows *roaring.Bitmap, accept func(row uint32) bool) *roaring.Bitmap {
	return x.filterChunks(rows, func(chunk []uint32) []uint32 {
		n := 0
		for _, row := range chunk {
			if accept(row) {
				chunk[n] = row
				n++
			}
		}
		return chunk[:n]
	})
}

// maxSparseRows is the maximum number of rows that are added to a bitmap individually. For more, it
// is faster to set bits in an array and convert it, which takes one bit per row of the segment.
const maxSparseRows = 2048

// filterChunks passes rows to keep in chunks and returns the rows that keep returns.
func (x *index) filterChunks(rows *roaring.Bitmap, keep func(chunk []uint32) []uint32) *roaring.Bitmap {
	count := rows.GetCardinality()
	if count == 0 {
		return roaring.New()
	}
	sparse, bits := roaring.New(), []uint64(nil)
	if count > maxSparseRows {
		bits = make([]uint64, rows.Maximum()/64+1)
	}
	buffer := make([]uint32, min(chunkRows, count))
	for next := rows.ManyIterator(); x.stopped() == nil; {
		n := next.NextMany(buffer)
		if n == 0 {
			break
		}
		kept := keep(buffer[:n])
		if bits == nil {
			sparse.AddMany(kept)
			continue
		}
		for _, row := range kept {
			bits[row/64] |= 1 << (row % 64)
		}
	}
	if bits == nil {
		return sparse
	}
	return roaring.FromDense(bits, false)
}
