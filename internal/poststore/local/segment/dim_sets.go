package segment

import (
	"encoding/binary"
	"math"
	"math/bits"
	"slices"

	"github.com/RoaringBitmap/roaring/v2"

	"earshot/internal/poststore"
)

// SetRows returns the rows of a set, including deleted ones. The caller must not modify the bitmap.
// The store provides rows that take its overrides into account.
type SetRows func(id poststore.SetID) (*roaring.Bitmap, error)

// setsPerLane is the number of sets in a lane, one bit each.
const setsPerLane = 32

// setsDim is the dimension of the combination of sets that contain a row. A lane holds, for each
// row, one bit for each of 32 sets. The code of a row has its last lane in the lower half and the
// number of the combination of its other lanes in the upper half.
type setsDim struct {
	sets    []*setReader
	lanes   [][]uint32   // bits of the current rows from index 1 on; index 0 absorbs all other rows
	numbers []*numbering // by lane, except the first: numbers of the combinations of earlier lanes

	positions []uint16 // index in lanes by offset from the first of the current rows
}

// setsDim returns the dimension of the given sets.
func (q *countQuery) setsDim(ids []poststore.SetID) (*setsDim, error) {
	d := &setsDim{lanes: make([][]uint32, (len(ids)+setsPerLane-1)/setsPerLane)}
	for _, id := range ids {
		rows, err := q.sets(id)
		if err != nil {
			return nil, err
		}
		d.sets = append(d.sets, q.setReader(rows))
	}
	for range d.lanes[1:] {
		d.numbers = append(d.numbers, newNumbering())
	}
	return d, nil
}

// span returns a large number for many sets so that codes are numbered, because few of the possible
// combinations occur.
func (d *setsDim) span() uint64 {
	const maxDense = 16
	switch n := len(d.sets); {
	case n <= maxDense:
		return 1 << n
	case n < bits.Len64(maxSpan):
		return maxSpan
	}
	return math.MaxUint64
}

func (d *setsDim) read(codes []uint64, rows []uint32) {
	d.fill(rows)
	codes = codes[:len(rows)]
	for i, in := range d.lanes[0][1 : 1+len(rows)] {
		codes[i] = uint64(in)
	}
	for n, lane := range d.lanes[1:] {
		d.numbers[n].numberAll(codes)
		for i, in := range lane[1 : 1+len(rows)] {
			codes[i] = codes[i]<<setsPerLane | uint64(in)
		}
	}
}

// fill sets the lanes of rows.
func (d *setsDim) fill(rows []uint32) {
	for i := range d.lanes {
		d.lanes[i] = extended(d.lanes[i], 1+len(rows))
		clear(d.lanes[i])
	}
	first, last := rows[0], rows[len(rows)-1]
	var positions []uint16
	if !scattered(len(rows), first, last) {
		d.positions = extended(d.positions, int(last-first)+1)
		positions = d.positions[:last-first+1]
		clear(positions)
		for i, row := range rows {
			positions[row-first] = uint16(i + 1)
		}
	}
	for n, set := range d.sets {
		lane, bit := d.lanes[n/setsPerLane], uint32(1)<<(n%setsPerLane)
		for members := set.nextUpTo(last); len(members) > 0; members = set.nextUpTo(last) {
			if positions == nil {
				setBitsBySearch(lane, bit, members, rows)
			} else {
				setBitsByOffset(lane, bit, members, positions, first)
			}
		}
	}
}

// scattered reports whether rows are sparse in the range from first to last.
func scattered(rows int, first, last uint32) bool { return uint64(last-first) >= 8*uint64(rows) }

// setBitsByOffset sets a bit in the lane for each member. It finds the index of a member by its
// offset from the first row.
func setBitsByOffset(lane []uint32, bit uint32, members []uint32, positions []uint16, first uint32) {
	for _, row := range members {
		if at := row - first; at < uint32(len(positions)) {
			lane[positions[at]] |= bit
		}
	}
}

// setBitsBySearch is setBitsByOffset for scattered rows.
func setBitsBySearch(lane []uint32, bit uint32, members, rows []uint32) {
	for _, row := range members {
		if i, found := slices.BinarySearch(rows, row); found {
			lane[1+i] |= bit
		}
	}
}

// A setReader reads the rows of a set in ascending order.
type setReader struct {
	rows    roaring.ManyIntIterable
	buffer  []uint32
	pending []uint32 // unread part of buffer
}

// setReader returns a reader for the rows of a set. If skipping the rows that are not counted would
// take long, it intersects them with the counted rows first.
func (q *countQuery) setReader(rows *roaring.Bitmap) *setReader {
	const maxSkipped = 1 << 16
	if q.size > 0 {
		first, last := q.rows.Minimum(), q.rows.Maximum()
		if first >= maxSkipped || scattered(int(q.size), first, last) {
			rows = roaring.And(rows, q.rows)
		}
	}
	return &setReader{rows: rows.ManyIterator(), buffer: make([]uint32, 256)}
}

// nextUpTo returns the next rows up to last, or none if there are no more.
func (s *setReader) nextUpTo(last uint32) (rows []uint32) {
	if len(s.pending) == 0 {
		s.pending = s.buffer[:s.rows.NextMany(s.buffer)]
	}
	n := len(s.pending)
	if n > 0 && s.pending[n-1] > last {
		n, _ = slices.BinarySearch(s.pending, last+1)
	}
	rows, s.pending = s.pending[:n], s.pending[n:]
	return rows
}

func (d *setsDim) keyFunc(bool) keyFunc {
	var key [poststore.MaxSets / 8]byte
	return func(dst []byte, code uint64) []byte {
		for n := len(d.lanes) - 1; n > 0; n-- {
			binary.LittleEndian.PutUint32(key[4*n:], uint32(code))
			code = d.numbers[n-1].codes[code>>setsPerLane]
		}
		binary.LittleEndian.PutUint32(key[:], uint32(code))
		return append(dst, key[:(len(d.sets)+7)/8]...)
	}
}

// bytes returns the memory used by the combinations.
func (d *setsDim) bytes() (size int64) {
	for _, n := range d.numbers {
		size += n.bytes()
	}
	return size
}
