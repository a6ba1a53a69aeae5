package query

import (
	"encoding/binary"
	"math"
	"math/bits"
)

// hash takes eight bytes at a time. It depends on nothing but the bytes, which
// are text and so have no zeros among them.
func hash(b []byte) uint32 {
	h := uint64(0x9E3779B97F4A7C15)
	for len(b) > 8 {
		h = mix(h ^ binary.LittleEndian.Uint64(b))
		b = b[8:]
	}
	return uint32(mix(h ^ lastBytes(b)))
}

// mix multiplies and folds the 128 bits of the product, so that each bit of the
// result depends on all of x.
func mix(x uint64) uint64 {
	high, low := bits.Mul64(x, 0xD6E8FEB86659FD93)
	return high ^ low
}

// lastBytes returns up to eight bytes as a number, the first lowest. Where there is
// memory behind them it is read along, which is faster than byte by byte, and cleared.
func lastBytes(b []byte) uint64 {
	if len(b) == 0 {
		return 0
	}
	if cap(b) >= 8 {
		return binary.LittleEndian.Uint64(b[:8]) & (math.MaxUint64 >> (64 - 8*len(b)))
	}
	var w uint64
	for i, c := range b {
		w |= uint64(c) << (8 * i)
	}
	return w
}
