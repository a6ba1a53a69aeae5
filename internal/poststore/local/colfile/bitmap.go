package colfile

import "math/bits"

// Roaring bitmaps in their portable form, read where they lie. The library reads them
// too, but it trusts them, and it allocates for every container.
// https://github.com/RoaringBitmap/RoaringFormatSpec

const (
	cookieRuns               = 12347 // some containers are runs; the number of containers is in it
	cookieNoRuns             = 12346
	minContainersWithOffsets = 4       // containers; with fewer, and runs, there are no offsets
	maxContainers            = 1 << 16 // each is for 65,536 rows
	maxArrayRows             = 4096    // rows; a container of more is a bitset
	bitsetBytes              = 8192
)

// A containerReader goes through the containers of a bitmap.
type containerReader struct {
	remaining int
	heads     []byte // key and cardinality of those that are left
	runs      []byte // a bit for each container, or nil
	index     int
	body      []byte // of those that are left
}

// A container is the rows that agree in their upper 16 bits.
type container struct {
	base     uint32 // those bits
	count    uint64
	encoding byte
	data     []byte
}

const (
	arrayContainer  = 'a' // uint16 ascending
	bitsetContainer = 'b' // a bit for each row
	runContainer    = 'r' // uint16 pairs: first row, and how many follow
)

// newContainerReader reads the head of a bitmap. ok is false when it is none.
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

// next returns the next container. ok is false at the end or when it is cut off.
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

// checkBitmap returns how many rows a bitmap has. ok is false unless it is one that the
// library would write, with all rows below limit.
func checkBitmap(b []byte, limit uint64) (n uint64, ok bool) {
	c, ok := newContainerReader(b)
	if !ok || c.remaining == 0 {
		return 0, false
	}
	end := uint64(0) // of the rows so far
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

// check returns the last row of a container. ok is false unless there are as many rows
// as it says, ascending.
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
		// Runs that touch would be one.
		if i > 0 && first <= last+1 || first+more > 0xffff {
			return 0, false
		}
		last = first + more
		n += uint64(more) + 1
	}
	return last, n == count
}
