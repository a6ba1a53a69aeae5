package watchlist

import (
	"math/bits"
	"strings"
	"unicode/utf8"

	"earshot/internal/query"
)

// A feature stands for something that a post has: a word, the beginning of one, a
// handle, its source. Monitors are filed under numbers. Two things may share one:
// that brings a monitor up that need not have been, never the other way round.
type feature uint32

// anyPost is what every post has.
const anyPost feature = 0

// A featureKind is a kind of number. The first eight are beginnings of words, of as many
// bytes. Words themselves have none: every post is taken apart into its words,
// and into its other traits only where a monitor asks for them.
type featureKind uint8

const (
	maxPrefix = 8

	kindHandle featureKind = maxPrefix + iota
	kindPage
	kindSource
	kindLanguage

	kindCount
)

// A featureKinds is a set of them.
type featureKinds uint16

func (s featureKinds) has(t featureKind) bool { return s&(1<<t) != 0 }

// literalFeature returns the number of a key of a query, and its trait.
func literalFeature(k query.Literal) (feature, featureKinds) {
	if k.Prefix == "" {
		return feature(k.Hash), 0
	}
	length := min(len(k.Prefix), maxPrefix) // where that cuts a character, it cuts the posts' as well
	return prefixFeature(packPrefix(k.Prefix), length), 1 << length
}

// packPrefix returns the first eight bytes of a word, the first of them lowest.
func packPrefix[T string | []byte](word T) uint64 {
	var b uint64
	for i := range min(len(word), maxPrefix) {
		b |= uint64(word[i]) << (8 * i)
	}
	return b
}

// prefixFeature returns the number of the first bytes of a word.
func prefixFeature(opening uint64, length int) feature {
	return mix(opening&(1<<(8*length)-1), featureKind(length)) // a shift by 64 leaves 0, so eight bytes are all of it
}

// textFeature returns the number of a text that counts as it is spelled.
func textFeature(t featureKind, text string) feature {
	h := uint64(len(text))
	for len(text) > 0 {
		n := min(len(text), 8)
		h = bits.RotateLeft64(h, 23)*0x9E3779B97F4A7C15 ^ packPrefix(text[:n])
		text = text[n:]
	}
	return mix(h, t)
}

// handleFeature returns the number of the handle that text begins with, as far as that
// consists of letters, digits and underscores, in any case. It is false when there
// is none or it has letters other than those of ASCII: such handles have no number.
func handleFeature(text string) (feature, bool) {
	h, n := uint64(0), 0
	for n < len(text) {
		r, size := utf8.DecodeRuneInString(text[n:])
		if !isHandleRune(r) {
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
	return mix(h, kindHandle), n > 0
}

func isASCII(text string) bool {
	return !strings.ContainsFunc(text, func(r rune) bool { return r >= utf8.RuneSelf })
}

// mix spreads what makes up a number over all of its bits.
func mix(v uint64, t featureKind) feature {
	v = (v ^ uint64(t)<<56) * 0x9E3779B97F4A7C15
	v = (v ^ v>>32) * 0xD6E8FEB86659FD93
	return feature(v >> 32)
}
