package segment

import (
	"encoding/binary"
	"math"
	"math/bits"
	"slices"

	"github.com/RoaringBitmap/roaring/v2"

	"earshot/internal/poststore"
)

// SetRows returns the rows of a set, gone ones included; nobody changes them. What the store
// knows of them is newer than what the file has.
type SetRows func(id poststore.SetID) (*roaring.Bitmap, error)

// setsPerLane is how many sets a lane is about.
const setsPerLane = 32

// setsDim is the dimension of which sets a row is in. A lane has, for each row at hand, a
// bit for each of some sets. The code of a row is its last lane; the lanes before, taken
// together, are numbered and stand in front of it.
type setsDim struct {
	sets    []*setReader
	lanes   [][]uint32   // of the rows at hand, from 1 on: 0 is for those that are not
	numbers []*numbering // of what precedes each lane but the first

	positions []uint16 // of the rows at hand, from 1 on, by their distance from the first
}

// setsDim returns the dimension of some sets.
func (q *countQuery) setsDim(ids []poststore.SetID) (*setsDim, error) {
	c := &setsDim{lanes: make([][]uint32, (len(ids)+setsPerLane-1)/setsPerLane)}
	for _, id := range ids {
		rows, err := q.sets(id)
		if err != nil {
			return nil, err
		}
		c.sets = append(c.sets, q.setReader(rows))
	}
	for range c.lanes[1:] {
		c.numbers = append(c.numbers, newNumbering())
	}
	return c, nil
}

// span is large as soon as there are many combinations, because few of them occur.
func (c *setsDim) span() uint64 {
	const few = 16
	switch n := len(c.sets); {
	case n <= few:
		return 1 << n
	case n < bits.Len64(maxSpan):
		return maxSpan
	}
	return math.MaxUint64
}

func (c *setsDim) read(codes []uint64, rows []uint32) {
	c.fill(rows)
	codes = codes[:len(rows)]
	for i, in := range c.lanes[0][1 : 1+len(rows)] {
		codes[i] = uint64(in)
	}
	for n, lane := range c.lanes[1:] {
		c.numbers[n].numberAll(codes)
		for i, in := range lane[1 : 1+len(rows)] {
			codes[i] = codes[i]<<setsPerLane | uint64(in)
		}
	}
}

// fill finds out which sets the rows are in.
func (c *setsDim) fill(rows []uint32) {
	for i := range c.lanes {
		c.lanes[i] = extended(c.lanes[i], 1+len(rows))
		clear(c.lanes[i])
	}
	first, last := rows[0], rows[len(rows)-1]
	var places []uint16
	if !scattered(len(rows), first, last) {
		c.positions = extended(c.positions, int(last-first)+1)
		places = c.positions[:last-first+1]
		clear(places)
		for i, row := range rows {
			places[row-first] = uint16(i + 1)
		}
	}
	for n, set := range c.sets {
		lane, bit := c.lanes[n/setsPerLane], uint32(1)<<(n%setsPerLane)
		for members := set.nextUpTo(last); len(members) > 0; members = set.nextUpTo(last) {
			if places == nil {
				setBitsBySearch(lane, bit, members, rows)
			} else {
				setBitsByOffset(lane, bit, members, places, first)
			}
		}
	}
}

// scattered reports whether so many rows from one to another are few.
func scattered(rows int, first, last uint32) bool { return uint64(last-first) >= 8*uint64(rows) }

// setBitsByOffset sets a bit in the lane of the rows that are members. They are looked up by their
// distance from the first.
func setBitsByOffset(lane []uint32, bit uint32, members []uint32, places []uint16, first uint32) {
	for _, row := range members {
		if at := row - first; at < uint32(len(places)) {
			lane[places[at]] |= bit
		}
	}
}

// setBitsBySearch is setBitsByOffset for few rows among many.
func setBitsBySearch(lane []uint32, bit uint32, members, rows []uint32) {
	for _, row := range members {
		if i, found := slices.BinarySearch(rows, row); found {
			lane[1+i] |= bit
		}
	}
}

// A setReader reads the rows of a set, in their order.
type setReader struct {
	rows    roaring.ManyIntIterable
	buffer  []uint32
	pending []uint32 // and not taken; in the buffer
}

// setReader returns one of the rows of a set, or of those among them that are counted, if
// it would take long to come to them.
func (q *countQuery) setReader(rows *roaring.Bitmap) *setReader {
	const far = 1 << 16
	if q.size > 0 {
		first, last := q.rows.Minimum(), q.rows.Maximum()
		if first >= far || scattered(int(q.size), first, last) {
			rows = roaring.And(rows, q.rows)
		}
	}
	return &setReader{rows: rows.ManyIterator(), buffer: make([]uint32, 256)}
}

// nextUpTo takes some more rows up to one. There are none when it returns none.
func (s *setReader) nextUpTo(last uint32) (some []uint32) {
	if len(s.pending) == 0 {
		s.pending = s.buffer[:s.rows.NextMany(s.buffer)]
	}
	n := len(s.pending)
	if n > 0 && s.pending[n-1] > last {
		n, _ = slices.BinarySearch(s.pending, last+1)
	}
	some, s.pending = s.pending[:n], s.pending[n:]
	return some
}

func (c *setsDim) keyFunc(bool) keyFunc {
	var key [poststore.MaxSets / 8]byte
	return func(dst []byte, code uint64) []byte {
		for n := len(c.lanes) - 1; n > 0; n-- {
			binary.LittleEndian.PutUint32(key[4*n:], uint32(code))
			code = c.numbers[n-1].codes[code>>setsPerLane]
		}
		binary.LittleEndian.PutUint32(key[:], uint32(code))
		return append(dst, key[:(len(c.sets)+7)/8]...)
	}
}

// bytes returns how much memory the combinations take.
func (c *setsDim) bytes() (size int64) {
	for _, n := range c.numbers {
		size += n.bytes()
	}
	return size
}
