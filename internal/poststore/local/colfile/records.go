package colfile

import "fmt"

// Records are sequences of varints that are addressed by number. A block of 32 records consists of
// a byte with the width of the lengths, the lengths of the records in bytes, and the records. An
// index contains the offset of each block. In addition to its bytes, a record takes the space of
// its length and a quarter of a byte, and finding a record adds up at most 31 lengths.
const recordsPerBlock = 32

// A recordWriter writes records to a section's stream. Other data may be written to the stream
// between two records.
type recordWriter struct {
	s         *sink
	lengths   []int  // lengths of the records in the current block
	data      []byte // the records in the current block
	maxLength int
	offsets   []uint64
}

func (w *recordWriter) add(record []byte) {
	w.lengths = append(w.lengths, len(record))
	w.data = append(w.data, record...)
	w.maxLength = max(w.maxLength, len(record))
	if len(w.lengths) == recordsPerBlock {
		w.flush()
	}
}

// flush writes the current block.
func (w *recordWriter) flush() {
	if len(w.lengths) == 0 {
		return
	}
	w.offsets = append(w.offsets, w.s.n)
	width := widthFor(uint64(w.maxLength))
	w.s.uint(uint64(width), 1)
	for _, length := range w.lengths {
		w.s.uint(uint64(length), uint64(width))
	}
	w.s.Write(w.data)
	w.lengths, w.data, w.maxLength = w.lengths[:0], w.data[:0], 0
}

// records reads records that check has accepted.
type records struct {
	stream  []byte
	offsets []uint64 // offsets of blocks in the stream
	n       uint64
}

func (r *records) at(i uint64) []byte {
	b, j := i/recordsPerBlock, int(i%recordsPerBlock)
	block := r.stream[r.offsets[b]:]
	width := int(block[0])
	lengths := block[1 : 1+width*r.blockLen(b)]
	from := 1 + len(lengths) + sumLengths(lengths, width, 0, j)
	return block[from : from+lengthAt(lengths, width, j)]
}

// A recordReader reads consecutive records without searching for each.
type recordReader struct {
	records *records
	block   uint64
	next    int // record at the start of rest, counted within the block
	width   int
	lengths []byte // lengths in the block; nil until the first call
	rest    []byte
}

func (r *recordReader) at(i uint64) []byte {
	b, j := i/recordsPerBlock, int(i%recordsPerBlock)
	if b != r.block || j < r.next || r.lengths == nil {
		block := r.records.stream[r.records.offsets[b]:]
		r.width = int(block[0])
		n := r.width * r.records.blockLen(b)
		r.lengths, r.rest = block[1:1+n], block[1+n:]
		r.block, r.next = b, 0
	}
	if j > r.next {
		r.rest = r.rest[sumLengths(r.lengths, r.width, r.next, j):]
	}
	length := lengthAt(r.lengths, r.width, j)
	record := r.rest[:length]
	r.rest = r.rest[length:]
	r.next = j + 1
	return record
}

// sumLengths returns the sum of the lengths in [from, to).
func sumLengths(lengths []byte, width, from, to int) (sum int) {
	if width == 1 { // by far the most common case
		for _, length := range lengths[from:to] {
			sum += int(length)
		}
		return sum
	}
	for i := from; i < to; i++ {
		sum += lengthAt(lengths, width, i)
	}
	return sum
}

// lengthAt returns the i-th length of a block.
func lengthAt(lengths []byte, width, i int) int {
	switch width {
	case 1:
		return int(lengths[i])
	case 2:
		return int(le.Uint16(lengths[2*i:]))
	default:
		return int(le.Uint32(lengths[4*i:]))
	}
}

func (r *records) blockLen(b uint64) int {
	return int(min(recordsPerBlock, r.n-b*recordsPerBlock))
}

// check verifies that at cannot fail and that no varint extends beyond its record.
func (r *records) check() error {
	if uint64(len(r.offsets)) != ceilDiv(r.n, recordsPerBlock) {
		return errMalformed
	}
	for b, offset := range r.offsets {
		if offset >= uint64(len(r.stream)) || !wellFormed(r.stream[offset:], r.blockLen(uint64(b))) {
			return fmt.Errorf("block %d: %w", b, errMalformed)
		}
	}
	return nil
}

// wellFormed reports whether b starts with a block of n records.
func wellFormed(b []byte, n int) bool {
	width := int(b[0])
	if width != 1 && width != 2 && width != 4 || len(b) < 1+width*n {
		return false
	}
	lengths, rest := b[1:1+width*n], b[1+width*n:]
	for i := range n {
		length := lengthAt(lengths, width, i)
		if length > len(rest) || length > 0 && rest[length-1] >= 0x80 {
			return false
		}
		rest = rest[length:]
	}
	return true
}
