package interest

import (
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// A folding maps each of the first 0x2000 characters of Unicode to the letter it is compared as, in
// lower case and without accents, or to one of the values below. It covers all alphabets that have
// capitals.
type folding [0x2000]uint16

// Classes of characters other than letters. No letter has these values.
const (
	isBreak  = iota // ends a word and a phrase
	isSpace         // ends a word but not a phrase
	isJoiner        // part of a word but not compared: men's is mens
	isSigil         // may start a tag
	isEmoji         // a word of its own
)

func newFolding() *folding {
	f := new(folding)
	for r := range rune(len(f)) {
		f[r] = foldLow(r)
	}
	return f
}

func foldLow(r rune) uint16 {
	switch {
	case r == '#' || r == '@' || r == '$':
		return isSigil
	case r == '\'' || r == 0xAD || 0x300 <= r && r < 0x370: // soft hyphen, accents
		return isJoiner
	case r == ' ' || r == '-' || r == '&' || r == '/' || r == '.' || r == 0xA0:
		return isSpace
	case r == '_':
		return '_'
	case !unicode.IsLetter(r) && !unicode.IsNumber(r) && !unicode.IsMark(r):
		return isBreak
	case r < 0x530 || r >= 0x1E00: // Latin, Greek and Cyrillic
		return uint16(unicode.ToLower(withoutAccent(r)))
	}
	return uint16(r)
}

func withoutAccent(r rune) rune {
	var buf [2 * utf8.UTFMax]byte
	n := utf8.EncodeRune(buf[:], r)
	if d := norm.NFD.Properties(buf[:n]).Decomposition(); d != nil {
		r, _ = utf8.DecodeRune(d)
	}
	return r
}

// fold returns the class of r, one of the values above, or the letter it is compared as.
func (f *folding) fold(r rune) uint32 {
	if int(r) < len(f) {
		return uint32(f[r])
	}
	return foldHigh(r)
}

// foldHigh is fold for characters outside the table. It decides by block, because these scripts
// have no capitals and an occasional stray sign in a word does not matter.
func foldHigh(r rune) uint32 {
	switch {
	case r == 0x2019 || r == 0x200D || r == 0xFE0F || 0x1F3FB <= r && r <= 0x1F3FF: // ’ and emoji modifiers
		return isJoiner
	case r == 0x2010 || r == 0x2011: // hyphens
		return isSpace
	case 0x2600 <= r && r < 0x27C0 || 0x1F300 <= r && r < 0x1FB00:
		return isEmoji
	case 0xFF21 <= r && r <= 0xFF3A: // full-width capitals
		return uint32(r - 0xFF21 + 'a')
	case 0xFF41 <= r && r <= 0xFF5A:
		return uint32(r - 0xFF41 + 'a')
	case 0x3021 <= r && r < 0xE000 || 0xF900 <= r && r < 0xFE00 || 0xFE70 <= r && r < 0xFF00 || 0xFF66 <= r && r < 0xFFDD || r >= 0x20000:
		return uint32(r)
	}
	return isBreak
}
