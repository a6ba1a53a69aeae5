package query

import (
	"encoding/binary"
	"math"
	"math/bits"
	"unicode/utf8"
)

// asciiChars is the lookup table for ASCII.
var asciiChars = func() (table [utf8.RuneSelf]char) {
	for i := range table {
		c := byte(i)
		table[i] = char{utf8: uint32(c), size: 1}
		table[i].class, table[i].flags = classOfASCII(c)
		if 'A' <= c && c <= 'Z' {
			table[i].utf8 = uint32(c + 'a' - 'A')
		}
	}
	return table
}()

func classOfASCII(c byte) (class, flags) {
	switch {
	case isASCIILetter(c):
		return classLetter, isLetter | blocksTag
	case isASCIIDigit(c):
		return classLetter, isDigit | blocksTag
	}
	switch c {
	case '_':
		return classUnderscore, blocksTag
	case '\'':
		return classApostrophe, 0
	case '"':
		return classQuote, 0
	case ',':
		return classComma, 0
	case '#', '@', '$':
		return classSigil, 0
	case '*', '?':
		return classWildcard, 0
	case '&', '/':
		return classSeparator, blocksTag // &#39; is an HTML entity and /#top is part of a URL
	}
	return classSeparator, 0
}

func isASCIILetter(c byte) bool { return 'a' <= c|0x20 && c|0x20 <= 'z' }

func isASCIIDigit(c byte) bool { return '0' <= c && c <= '9' }

func isASCIISeparator(c byte) bool { return c < utf8.RuneSelf && asciiChars[c].class == classSeparator }

// loadLast is load for the last bytes of a text, starting at i and padded with zeros.
func loadLast(text string, i int) uint64 {
	if len(text) >= 8 {
		return load(text[len(text)-8:]) >> (8 * (8 - (len(text) - i)))
	}
	var w uint64
	for j := len(text) - 1; j >= i; j-- {
		w = w<<8 | uint64(text[j])
	}
	return w
}

// load returns the first eight bytes as a little-endian number. It compiles to a single
// instruction.
func load(s string) uint64 {
	_ = s[7]
	return uint64(s[0]) | uint64(s[1])<<8 | uint64(s[2])<<16 | uint64(s[3])<<24 |
		uint64(s[4])<<32 | uint64(s[5])<<40 | uint64(s[6])<<48 | uint64(s[7])<<56
}

// lowerASCII returns eight bytes in lowercase, and the number of leading bytes that are letters,
// digits or underscores. It processes all eight at once (SWAR): adding a constant to a byte below
// 0x80 sets its highest bit if the byte is at or above a threshold, and never carries into the next
// byte.
func lowerASCII(w uint64) (lower uint64, n int) {
	const ones, highs = 0x0101010101010101, 0x8080808080808080
	low := w &^ highs
	folded := low | ones*0x20
	letters := (folded + ones*(0x80-'a')) &^ (folded + ones*(0x80-'z'-1))
	digits := (low + ones*(0x80-'0')) &^ (low + ones*(0x80-'9'-1))
	underscores := ^((low ^ ones*'_') + ones*0x7F)
	letters &= highs
	others := ^(letters | digits | underscores) | w
	return low | letters>>2, bits.TrailingZeros64(others&highs) / 8
}

func isASCII(text string) bool {
	for i := range len(text) {
		if text[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

// hash hashes eight bytes at a time. The bytes must be text, so that none of them is zero.
func hash(b []byte) uint32 {
	h := uint64(0x9E3779B97F4A7C15)
	for len(b) > 8 {
		h = mix(h ^ binary.LittleEndian.Uint64(b))
		b = b[8:]
	}
	return uint32(mix(h ^ lastBytes(b)))
}

// mix folds the 128 bits of a product, so that each bit of the result depends on all of x.
func mix(x uint64) uint64 {
	high, low := bits.Mul64(x, 0xD6E8FEB86659FD93)
	return high ^ low
}

// lastBytes returns up to eight bytes as a little-endian number. If the capacity allows, it reads
// eight bytes at once and masks the excess, which is faster than a loop.
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
