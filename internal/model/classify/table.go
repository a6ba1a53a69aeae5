package classify

import (
	"encoding/binary"
	"errors"
	"iter"
	"math"
	"math/bits"
	"slices"
)

// A Table has a row of weights for each feature that a model knows, one byte a weight.
//
// Tables are larger than the nearest caches, so most of a lookup is waiting for memory.
// A line is what memory hands over at once, 64 bytes: it has 2 bytes that tell each of
// its features, then their rows, and in its last byte 1 when a feature that belongs
// here found no room and lies in a line after it. A lookup seldom reads a second line.
// Two bytes are little: of 10,000 unknown features one is taken for a known one.
//
// The file has the number of lines and the width of a row as 4 bytes each, one scale of
// 4 bytes for each weight of a row, and the lines.
type Table struct {
	Scales []float32
	lines  []byte
	count  uint64
	width  int
	slots  int       // of a line
	beyond [4]uint64 // bits of the first 32 bytes of a line that tell no feature
}

const lineBytes = 64

var errTable = errors.New("classify: not a table of weights")

// OpenTable returns the table that EncodeTable made. It copies data, to where lines
// begin at what memory hands over.
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

// How wide rows may be: no more than 16 features fit a line, and no fewer than 3.
const (
	minWidth = 2
	maxWidth = 16
)

func newTable(count uint64, width int) *Table {
	t := &Table{Scales: make([]float32, width), lines: make([]byte, count*lineBytes), count: count, width: width}
	t.slots = (lineBytes - 1) / (2 + width)
	for i := range t.beyond {
		if known := t.slots - 4*i; known < 4 {
			t.beyond[i] = ^uint64(0) << (16 * max(known, 0))
		}
	}
	return t
}

// Row returns the weights of a feature, each to be read as an int8 and to be multiplied
// by its scale; nil when the model does not know the feature.
func (t *Table) Row(feature uint64) []byte {
	at, check := t.place(feature)
	return t.row(at, check)
}

// row looks for the row that check tells from line at on.
func (t *Table) row(at, check uint64) []byte {
	for range t.count {
		line := t.lines[at*lineBytes : at*lineBytes+lineBytes]
		if slot := t.find(line, check); slot < t.slots {
			from := 2*t.slots + slot*t.width
			return line[from : from+t.width : from+t.width]
		}
		if line[lineBytes-1] == 0 {
			return nil
		}
		at = t.after(at)
	}
	return nil
}

// after returns the line after one, the first after the last.
func (t *Table) after(at uint64) uint64 {
	if at++; at == t.count {
		return 0
	}
	return at
}

// find returns the slot of a line that check tells, t.slots or more when there is none.
func (t *Table) find(line []byte, check uint64) int {
	for i := 0; 4*i < t.slots; i++ {
		if equal := zeros(binary.LittleEndian.Uint64(line[8*i:]) ^ check*eachPair | t.beyond[i]); equal != 0 {
			return 4*i + bits.TrailingZeros64(equal)/16
		}
	}
	return t.slots
}

const eachPair = 0x0001000100010001

// zeros returns a bit at the top of each pair of bytes of x that is 0. Bits above the
// lowest one may be wrong.
func zeros(x uint64) uint64 { return (x - eachPair) &^ x & (eachPair << 15) }

// rows returns the rows of all features, in the order they lie in.
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

// Warm reads the places where features are looked for and does nothing with them. Memory
// is slow to answer, but it answers many questions at once: a Row after Warm does not
// wait. What it returns means nothing, but must be used.
func (t *Table) Warm(features []uint64) (sum byte) {
	for _, feature := range features {
		at, _ := t.place(feature)
		sum += t.lines[at*lineBytes]
	}
	return sum
}

// place returns the line that a feature is looked for from, and what tells it from
// others there, which is never 0.
func (t *Table) place(feature uint64) (at, check uint64) {
	h := (feature ^ feature>>32) * 0x9e3779b97f4a7c15
	at, _ = bits.Mul64(h, t.count)
	return at, h&0xffff | 1<<15
}
