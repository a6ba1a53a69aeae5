package interest

import (
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// A folding says how each of the first characters of Unicode is read: as the letter
// that it is compared as, in lower case and without accent, or as one of the
// values below. All alphabets that have capitals are among them.
type folding [0x2000]uint16

// What a character is when it is no letter. No letter has these values.
const (
	isBreak  = iota // ends a word and a phrase
	isSpace         // ends a word, not a phrase
	isJoiner        // belongs to the word but is not compared: men's is mens
	isSigil         // perhaps begins a tag
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

// fold returns how r is read: one of the values above, or a letter.
func (f *folding) fold(r rune) uint32 {
	if int(r) < len(f) {
		return uint32(f[r])
	}
	return foldHigh(r)
}

// foldHigh is fold for what is not in the table. It goes by blocks: scripts up there
// have no capitals, and one sign more or less in a word does not matter.
func foldHigh(r rune) uint32 {
	switch {
	case r == 0x2019 || r == 0x200D || r == 0xFE0F || 0x1F3FB <= r && r <= 0x1F3FF: // ’, what emoji are built with
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
