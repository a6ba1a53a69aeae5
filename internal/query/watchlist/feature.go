package watchlist

import (
	"math/bits"
	"strings"
	"unicode/utf8"

	"earshot/internal/query"
)

// A feature is the hash of a property of a post: a word, the prefix of a word, a handle, its
// source. Monitors are indexed by features. A hash collision may retrieve a monitor that does not
// match, but never misses one.
type feature uint32

// anyPost is a feature of every post.
const anyPost feature = 0

// A featureKind is a kind of feature. Kinds 1 to 8 are prefixes of words with that many bytes.
// Whole words have no kind: their features are computed for every post, and other features only if
// a monitor uses their kind.
type featureKind uint8

const (
	maxPrefix = 8

	kindHandle featureKind = maxPrefix + iota
	kindPage
	kindSource
	kindLanguage

	kindCount
)

// featureKinds is a set of kinds, as a bitmap.
type featureKinds uint16

func (s featureKinds) has(k featureKind) bool { return s&(1<<k) != 0 }

// literalFeature returns the feature of a query literal, and its kind as a set.
func literalFeature(k query.Literal) (feature, featureKinds) {
	if k.Prefix == "" {
		return feature(k.Hash), 0
	}
	length := min(len(k.Prefix), maxPrefix) // may split a character, but does so in posts as well
	return prefixFeature(packPrefix(k.Prefix), length), 1 << length
}

// packPrefix returns up to eight leading bytes of a word as a little-endian number.
func packPrefix[T string | []byte](word T) uint64 {
	var b uint64
	for i := range min(len(word), maxPrefix) {
		b |= uint64(word[i]) << (8 * i)
	}
	return b
}

// prefixFeature returns the feature of the first length bytes of a packed prefix.
func prefixFeature(prefix uint64, length int) feature {
	// A shift by 64 yields 0, so length 8 selects all bytes.
	return mix(prefix&(1<<(8*length)-1), featureKind(length))
}

func textFeature(t featureKind, text string) feature {
	h := uint64(len(text))
	for len(text) > 0 {
		n := min(len(text), 8)
		h = bits.RotateLeft64(h, 23)*0x9E3779B97F4A7C15 ^ packPrefix(text[:n])
		text = text[n:]
	}
	return mix(h, t)
}

// handleFeature returns the feature of the leading letters, digits and underscores of text,
// ignoring case. ok is false if there are none or if a letter is not ASCII.
func handleFeature(text string) (f feature, ok bool) {
	h, n := uint64(0), 0
	for n < len(text) {
		r, size := utf8.DecodeRuneInString(text[n:])
		if !isHandleRune(r) {
			break
		}
		switch {
		case 'A' <= r && r <= 'Z':
			r += 'a' - 'A'
		case r == '\u212A': // only the Kelvin sign and the long s also fold to ASCII letters
			r = 'k'
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

// mix hashes v and its kind so that every bit of the result depends on all of them.
func mix(v uint64, t featureKind) feature {
	v = (v ^ uint64(t)<<56) * 0x9E3779B97F4A7C15
	v = (v ^ v>>32) * 0xD6E8FEB86659FD93
	return feature(v >> 32)
}
