package colfile

import "math/bits"

// yieldBitmap yields the rows of a bitmap that was checked.
func yieldBitmap(b []byte, yield func(uint32) bool) {
	c, _ := newContainerReader(b)
	for {
		next, ok := c.next()
		if !ok || !next.yieldRows(yield) {
			return
		}
	}
}

// yieldRows yields the rows of a container and reports whether more are wanted.
func (c *container) yieldRows(yield func(uint32) bool) bool {
	switch c.encoding {
	case arrayContainer:
		for d := c.data; len(d) >= 2; d = d[2:] {
			if !yield(c.base | uint32(le.Uint16(d))) {
				return false
			}
		}
	case bitsetContainer:
		for i := 0; i < bitsetBytes; i += 8 {
			for w := le.Uint64(c.data[i:]); w != 0; w &= w - 1 {
				if !yield(c.base | uint32(8*i+bits.TrailingZeros64(w))) {
					return false
				}
			}
		}
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

// appendBitmap appends the rows of a bitmap that was checked.
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

// append appends the rows of a container.
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

// bitmapContains reports whether a bitmap that was checked has a row.
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

// search16 returns how many of the elements, of a size that begins with a uint16, begin
// with one that is not greater than v.
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

// setBitmapBits sets the bits of a bitmap's rows. words has one for every row.
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

// setBits sets the bits of a container's rows, of which the first word is for its base.
func (c *container) setBits(words []uint64) {
	switch c.encoding {
	case arrayContainer:
		for d := c.data; len(d) >= 2; d = d[2:] {
			row := le.Uint16(d)
			words[row/64] |= 1 << (row % 64)
		}
	case bitsetContainer:
		// The last container of a file may have fewer words.
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

// setRange sets the bits from first to last, both included.
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
