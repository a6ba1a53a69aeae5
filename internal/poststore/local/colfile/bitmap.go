package colfile

import "math/bits"

// Roaring bitmaps in their portable format, read in place. The roaring library reads them too, but
// it trusts their bytes and allocates memory for every container. See
// https://github.com/RoaringBitmap/RoaringFormatSpec.

const (
	cookieRuns               = 12347 // some containers are runs; includes the number of containers
	cookieNoRuns             = 12346
	minContainersWithOffsets = 4       // bitmaps with runs and fewer containers have no offsets
	maxContainers            = 1 << 16 // each covers 65,536 rows
	maxArrayRows             = 4096    // a container with more rows is a bitset
	bitsetBytes              = 8192
)

// A containerReader iterates over the containers of a bitmap.
type containerReader struct {
	remaining int
	heads     []byte // key and cardinality of the remaining containers
	runs      []byte // one bit per container, or nil
	index     int
	body      []byte // contents of the remaining containers
}

// A container contains the rows with the same upper 16 bits.
type container struct {
	base     uint32 // the upper 16 bits
	count    uint64
	encoding byte
	data     []byte
}

const (
	arrayContainer  = 'a' // ascending uint16 values
	bitsetContainer = 'b' // one bit per row
	runContainer    = 'r' // uint16 pairs: first row and number of rows that follow
)

// newContainerReader reads the header of a bitmap. It returns false if the header is malformed.
func newContainerReader(b []byte) (c containerReader, ok bool) {
	d := decoder{b: b}
	cookie := d.uint32()
	switch {
	case cookie&0xffff == cookieRuns:
		c.remaining = int(cookie>>16) + 1
		c.runs = d.take(uint64(c.remaining+7) / 8)
	case cookie == cookieNoRuns:
		n := d.uint32()
		if n > maxContainers {
			return c, false
		}
		c.remaining = int(n)
	default:
		return c, false
	}
	c.heads = d.take(4 * uint64(c.remaining))
	if c.runs == nil || c.remaining >= minContainersWithOffsets {
		d.take(4 * uint64(c.remaining)) // the offsets follow from the cardinalities
	}
	c.body = d.b
	return c, !d.truncated
}

// next returns the next container. It returns false at the end or if the container is truncated.
func (c *containerReader) next() (n container, ok bool) {
	if c.remaining == 0 {
		return n, false
	}
	n = container{base: uint32(le.Uint16(c.heads)) << 16, count: uint64(le.Uint16(c.heads[2:])) + 1}
	size := uint64(0)
	switch {
	case c.runs != nil && c.runs[c.index/8]&(1<<(c.index%8)) != 0:
		if len(c.body) < 2 {
			return n, false
		}
		n.encoding, size = runContainer, 4*uint64(le.Uint16(c.body))
		c.body = c.body[2:]
	case n.count > maxArrayRows:
		n.encoding, size = bitsetContainer, bitsetBytes
	default:
		n.encoding, size = arrayContainer, 2*n.count
	}
	if size > uint64(len(c.body)) {
		return n, false
	}
	n.data, c.body = c.body[:size], c.body[size:]
	c.heads = c.heads[4:]
	c.remaining--
	c.index++
	return n, true
}

// checkBitmap returns the number of rows in a bitmap. It returns false unless the bitmap is exactly
// as the roaring library would write it, with all rows below limit.
func checkBitmap(b []byte, limit uint64) (n uint64, ok bool) {
	c, ok := newContainerReader(b)
	if !ok || c.remaining == 0 {
		return 0, false
	}
	end := uint64(0) // end of the previous container's range of rows
	for c.remaining > 0 {
		next, ok := c.next()
		if !ok || uint64(next.base) < end {
			return 0, false
		}
		last, ok := next.check()
		if !ok || uint64(next.base|last) >= limit {
			return 0, false
		}
		n += next.count
		end = uint64(next.base) + 1<<16
	}
	return n, len(c.body) == 0
}

// check returns the last row of a container. It returns false unless the container has exactly
// count rows in ascending order.
func (c *container) check() (last uint32, ok bool) {
	switch c.encoding {
	case arrayContainer:
		return checkArray(c.data)
	case bitsetContainer:
		return checkBitset(c.data, c.count)
	default:
		return checkRuns(c.data, c.count)
	}
}

func checkArray(data []byte) (last uint32, ok bool) {
	last = uint32(le.Uint16(data))
	for data = data[2:]; len(data) >= 2; data = data[2:] {
		row := uint32(le.Uint16(data))
		if row <= last {
			return 0, false
		}
		last = row
	}
	return last, true
}

func checkBitset(data []byte, count uint64) (last uint32, ok bool) {
	n := uint64(0)
	for i := 0; i < bitsetBytes; i += 8 {
		if w := le.Uint64(data[i:]); w != 0 {
			n += uint64(bits.OnesCount64(w))
			last = uint32(8*i + bits.Len64(w) - 1)
		}
	}
	return last, n == count
}

func checkRuns(data []byte, count uint64) (last uint32, ok bool) {
	n := uint64(0)
	for i := 0; i < len(data); i += 4 {
		first, more := uint32(le.Uint16(data[i:])), uint32(le.Uint16(data[i+2:]))
		// Adjacent runs would have been merged.
		if i > 0 && first <= last+1 || first+more > 0xffff {
			return 0, false
		}
		last = first + more
		n += uint64(more) + 1
	}
	return last, n == count
}

// yieldBitmap yields the rows of a checked bitmap.
func yieldBitmap(b []byte, yield func(uint32) bool) {
	c, _ := newContainerReader(b)
	for {
		next, ok := c.next()
		if !ok || !next.yieldRows(yield) {
			return
		}
	}
}

// yieldRows yields the rows of a container and reports whether to continue.
func (c *container) yieldRows(yield func(uint32) bool) bool {
	switch c.encoding {
	case arrayContainer:
		for d := c.data; len(d) >= 2; d = d[2:] {
			if !yield(c.base | uint32(le.Uint16(d))) {
				return false
			}
		}
	case bitsetContainer:
		return yieldBits(c.data, c.base, yield)
	default:
		for d := c.data; len(d) >= 4; d = d[4:] {
			first, more := uint32(le.Uint16(d)), uint32(le.Uint16(d[2:]))
			for row := first; row <= first+more; row++ {
				if !yield(c.base | row) {
					return false
				}
			}
		}
	}
	return true
}

func yieldBits(bitset []byte, base uint32, yield func(uint32) bool) bool {
	for i := 0; i < bitsetBytes; i += 8 {
		for w := le.Uint64(bitset[i:]); w != 0; w &= w - 1 {
			if !yield(base | uint32(8*i+bits.TrailingZeros64(w))) {
				return false
			}
		}
	}
	return true
}

// appendBitmap appends the rows of a checked bitmap.
func appendBitmap(dst []uint32, b []byte) []uint32 {
	c, _ := newContainerReader(b)
	for {
		next, ok := c.next()
		if !ok {
			return dst
		}
		dst = next.append(dst)
	}
}

func (c *container) append(dst []uint32) []uint32 {
	switch c.encoding {
	case arrayContainer:
		for d := c.data; len(d) >= 2; d = d[2:] {
			dst = append(dst, c.base|uint32(le.Uint16(d)))
		}
	case bitsetContainer:
		for i := 0; i < bitsetBytes; i += 8 {
			for w := le.Uint64(c.data[i:]); w != 0; w &= w - 1 {
				dst = append(dst, c.base|uint32(8*i+bits.TrailingZeros64(w)))
			}
		}
	default:
		for d := c.data; len(d) >= 4; d = d[4:] {
			first, more := uint32(le.Uint16(d)), uint32(le.Uint16(d[2:]))
			for row := first; row <= first+more; row++ {
				dst = append(dst, c.base|row)
			}
		}
	}
	return dst
}

// bitmapContains reports whether a checked bitmap contains a row.
func bitmapContains(b []byte, row uint32) bool {
	c, _ := newContainerReader(b)
	for {
		next, ok := c.next()
		if !ok || next.base > row {
			return false
		}
		if next.base == row&^0xffff {
			return next.contains(row & 0xffff)
		}
	}
}

func (c *container) contains(row uint32) bool {
	switch c.encoding {
	case bitsetContainer:
		return c.data[row/8]&(1<<(row%8)) != 0
	case arrayContainer:
		i := search16(c.data, 2, row)
		return i > 0 && uint32(le.Uint16(c.data[2*(i-1):])) == row
	default:
		i := search16(c.data, 4, row)
		if i == 0 {
			return false
		}
		run := c.data[4*(i-1):]
		return row-uint32(le.Uint16(run)) <= uint32(le.Uint16(run[2:]))
	}
}

// search16 returns the number of elements of the given size whose first uint16 is at most v.
func search16(data []byte, size int, v uint32) int {
	lo, hi := 0, len(data)/size
	for lo < hi {
		mid := (lo + hi) / 2
		if uint32(le.Uint16(data[size*mid:])) <= v {
			lo = mid + 1
		} else {
			hi = mid
		}
	}
	return lo
}

// setBitmapBits sets the bits of a checked bitmap's rows in words, which has one bit per row.
func setBitmapBits(words []uint64, b []byte) {
	c, _ := newContainerReader(b)
	for {
		next, ok := c.next()
		if !ok {
			return
		}
		next.setBits(words[next.base/64:])
	}
}

// setBits sets the bits of a container's rows. The first word corresponds to the container's base.
func (c *container) setBits(words []uint64) {
	switch c.encoding {
	case arrayContainer:
		for d := c.data; len(d) >= 2; d = d[2:] {
			row := le.Uint16(d)
			words[row/64] |= 1 << (row % 64)
		}
	case bitsetContainer:
		// For the last container of a file, words may be shorter.
		for i := range min(bitsetBytes/8, len(words)) {
			words[i] |= le.Uint64(c.data[8*i:])
		}
	default:
		for d := c.data; len(d) >= 4; d = d[4:] {
			first := uint(le.Uint16(d))
			setRange(words, first, first+uint(le.Uint16(d[2:])))
		}
	}
}

// setRange sets the bits from first to last, inclusive.
func setRange(words []uint64, first, last uint) {
	low, high := ^uint64(0)<<(first%64), ^uint64(0)>>(63-last%64)
	if first/64 == last/64 {
		words[first/64] |= low & high
		return
	}
	words[first/64] |= low
	for i := first/64 + 1; i < last/64; i++ {
		words[i] = ^uint64(0)
	}
	words[last/64] |= high
}
