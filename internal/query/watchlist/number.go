package watchlist

import (
	"math/bits"
	"strings"
	"unicode/utf8"

	"earshot/internal/query"
)

// A number stands for something that a post has: a word, the beginning of one, a
// handle, its source. Monitors are filed under numbers. Two things may share one:
// that brings a monitor up that need not have been, never the other way round.
type number uint32

// everything is what every post has.
const everything number = 0

// A trait is a kind of number. The first eight are beginnings of words, of as many
// bytes. Words themselves have none: every post is taken apart into its words,
// and into its other traits only where a monitor asks for them.
type trait uint8

const (
	longestPrefix = 8

	ofHandle trait = longestPrefix + iota
	ofPage
	ofSource
	ofLanguage

	traitCount
)

// A traits is a set of them.
type traits uint16

func (s traits) has(t trait) bool { return s&(1<<t) != 0 }

// keyed returns the number of a key of a query, and its trait.
func keyed(k query.Literal) (number, traits) {
	if k.Prefix == "" {
		return number(k.Hash), 0
	}
	length := min(len(k.Prefix), longestPrefix) // where that cuts a character, it cuts the posts' as well
	return beginning(opening(k.Prefix), length), 1 << length
}

// opening returns the first eight bytes of a word, the first of them lowest.
func opening[T string | []byte](word T) uint64 {
	var b uint64
	for i := range min(len(word), longestPrefix) {
		b |= uint64(word[i]) << (8 * i)
	}
	return b
}

// beginning returns the number of the first bytes of a word.
func beginning(opening uint64, length int) number {
	return mix(opening&(1<<(8*length)-1), trait(length)) // a shift by 64 leaves 0, so eight bytes are all of it
}

// named returns the number of a text that counts as it is spelled.
func named(t trait, text string) number {
	h := uint64(len(text))
	for len(text) > 0 {
		n := min(len(text), 8)
		h = bits.RotateLeft64(h, 23)*0x9E3779B97F4A7C15 ^ opening(text[:n])
		text = text[n:]
	}
	return mix(h, t)
}

// handled returns the number of the handle that text begins with, as far as that
// consists of letters, digits and underscores, in any case. It is false when there
// is none or it has letters other than those of ASCII: such handles have no number.
func handled(text string) (number, bool) {
	h, n := uint64(0), 0
	for n < len(text) {
		r, size := utf8.DecodeRuneInString(text[n:])
		if !inHandle(r) {
			break
		}
		switch {
		case 'A' <= r && r <= 'Z':
			r += 'a' - 'A'
		case r == '\u212A': // the Kelvin sign and the long s are the only others that
			r = 'k' //         fold to letters of ASCII
		case r == '\u017F':
			r = 's'
		case r >= utf8.RuneSelf:
			return 0, false
		}
		h = (h ^ uint64(r)) * 0x100000001B3
		n += size
	}
	return mix(h, ofHandle), n > 0
}

func isASCII(text string) bool {
	return !strings.ContainsFunc(text, func(r rune) bool { return r >= utf8.RuneSelf })
}

// mix spreads what makes up a number over all of its bits.
func mix(v uint64, t trait) number {
	v = (v ^ uint64(t)<<56) * 0x9E3779B97F4A7C15
	v = (v ^ v>>32) * 0xD6E8FEB86659FD93
	return number(v >> 32)
}
