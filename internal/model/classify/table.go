package classify

import (
	"encoding/binary"
	"errors"
	"iter"
	"math"
	"math/bits"
	"slices"
)

// A Table is a hash table that maps features to rows of weights, one byte per weight.
//
// Tables are larger than the CPU caches, so lookups are bound by memory latency. A line is one
// 64-byte cache line. It contains a two-byte tag for each slot, followed by the rows. Its last byte
// is 1 if a feature that belongs in this line overflowed into a later one. A lookup rarely reads a
// second line. Two-byte tags are short: about one in 10,000 unknown features is mistaken for a
// known one.
//
// The encoded form contains the number of lines and the width of a row as four bytes each, a
// four-byte scale per column, and the lines.
type Table struct {
	Scales  []float32
	lines   []byte
	count   uint64
	width   int
	slots   int       // number per line
	padding [4]uint64 // bits in the first 32 bytes of a line that are not tags
}

const lineBytes = 64

var errTable = errors.New("classify: invalid weight table")

// OpenTable decodes a table encoded by [EncodeTable]. It copies data so that lines are aligned with
// cache lines.
func OpenTable(data []byte) (*Table, error) {
	if len(data) < 8 {
		return nil, errTable
	}
	count, width := uint64(binary.LittleEndian.Uint32(data)), uint64(binary.LittleEndian.Uint32(data[4:]))
	head := 8 + 4*width
	if count == 0 || width < minWidth || width > maxWidth || uint64(len(data)) != head+count*lineBytes {
		return nil, errTable
	}
	t := newTable(count, int(width))
	copy(t.lines, data[head:])
	for i := range t.Scales {
		t.Scales[i] = math.Float32frombits(binary.LittleEndian.Uint32(data[8+4*i:]))
	}
	return t, nil
}

// Limits on the width of rows. A line has 3 to 15 slots.
const (
	minWidth = 2
	maxWidth = 16
)

func newTable(count uint64, width int) *Table {
	t := &Table{Scales: make([]float32, width), lines: make([]byte, count*lineBytes), count: count, width: width}
	t.slots = (lineBytes - 1) / (2 + width)
	for i := range t.padding {
		if known := t.slots - 4*i; known < 4 {
			t.padding[i] = ^uint64(0) << (16 * max(known, 0))
		}
	}
	return t
}

// Row returns the weights of a feature, or nil. Each is an int8 to be multiplied by the scale of
// its column.
func (t *Table) Row(feature uint64) []byte {
	at, check := t.locate(feature)
	return t.row(at, check)
}

// row returns the row whose tag is check, or nil. The search starts at line at.
func (t *Table) row(at, check uint64) []byte {
	for range t.count {
		line := t.lines[at*lineBytes : at*lineBytes+lineBytes]
		if slot := t.findSlot(line, check); slot < t.slots {
			from := 2*t.slots + slot*t.width
			return line[from : from+t.width : from+t.width]
		}
		if line[lineBytes-1] == 0 {
			return nil
		}
		at = t.nextLine(at)
	}
	return nil
}

// nextLine returns the index of the next line, cyclically.
func (t *Table) nextLine(at uint64) uint64 {
	if at++; at == t.count {
		return 0
	}
	return at
}

// findSlot returns the slot whose tag is check, or t.slots if there is none.
func (t *Table) findSlot(line []byte, check uint64) int {
	for i := 0; 4*i < t.slots; i++ {
		if equal := zeros(binary.LittleEndian.Uint64(line[8*i:]) ^ check*eachPair | t.padding[i]); equal != 0 {
			return 4*i + bits.TrailingZeros64(equal)/16
		}
	}
	return t.slots
}

const eachPair = 0x0001000100010001

// zeros sets the top bit of each 16-bit group of x that is 0. Only the lowest set bit is reliable.
func zeros(x uint64) uint64 { return (x - eachPair) &^ x & (eachPair << 15) }

// rows yields the rows of all features, in memory order.
func (t *Table) rows() iter.Seq[[]byte] {
	return func(yield func([]byte) bool) {
		for line := range slices.Chunk(t.lines, lineBytes) {
			for slot := range t.slots {
				from := 2*t.slots + slot*t.width
				if binary.LittleEndian.Uint16(line[2*slot:]) != 0 && !yield(line[from:from+t.width]) {
					return
				}
			}
		}
	}
}

// Prefetch reads the lines of features to bring them into the CPU cache. Memory is slow but serves
// many reads in parallel, so a later [Table.Row] does not have to wait. The result is meaningless,
// but the caller must use it so that the compiler keeps the reads.
func (t *Table) Prefetch(features []uint64) (sum byte) {
	for _, feature := range features {
		at, _ := t.locate(feature)
		sum += t.lines[at*lineBytes]
	}
	return sum
}

// locate returns the first line to search for a feature, and the feature's tag, which is never 0.
func (t *Table) locate(feature uint64) (at, check uint64) {
	h := (feature ^ feature>>32) * 0x9e3779b97f4a7c15
	at, _ = bits.Mul64(h, t.count)
	return at, h&0xffff | 1<<15
}
