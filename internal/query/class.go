package query

import (
	"bytes"
	"unicode"
)

// isWordRune reports whether r is part of words: letters, digits, marks and,
// as in UAX #29, the underscore.
func isWordRune(r rune) bool {
	return r == '_' || isLetterOrNumber(r) || unicode.IsMark(r)
}

func isLetterOrNumber(r rune) bool { return unicode.IsLetter(r) || unicode.IsNumber(r) }

// isIdeographic reports whether r is a word by itself.
func isIdeographic(r rune) bool {
	return r >= 0x2E80 && unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana) || r == 'ー'
}

// isApostrophe reports whether r is written for an apostrophe inside words. The
// Hebrew geresh is one as well.
func isApostrophe(r rune) bool {
	switch r {
	case '\'', '’', '‘', 'ʼ', 'ʻ', '׳':
		return true
	}
	return false
}

// isIgnorable reports whether r is there for display only and makes no
// difference to a word: joiners, direction marks, soft hyphens, the Arabic kashida.
func isIgnorable(r rune) bool {
	const kashida, graphemeJoiner, zeroWidthSpace = 'ـ', '\u034F', '\u200B'
	return r == kashida || r == graphemeJoiner || isVariationSelector(r) ||
		r >= 0xAD && r != zeroWidthSpace && unicode.Is(unicode.Cf, r)
}

func isVariationSelector(r rune) bool { return 0xFE00 <= r && r <= 0xFE0F }

// isEmoji reports whether a segment that begins with r is an emoji or a
// pictograph. Signs that stick to words (© ° ®) and the lines of tables are not.
func isEmoji(r rune) bool {
	if r < 0x2190 || 0x2500 <= r && r <= 0x259F {
		return false
	}
	return 0x1F000 <= r && r <= 0x1FAFF || unicode.Is(unicode.So, r)
}

// isKeycap reports whether a segment is a sign in the frame of a key, which is
// an emoji. Digits in one are numbers all the same.
func isKeycap(first rune, segment []byte) bool {
	return (first == '#' || first == '*') && bytes.ContainsRune(segment, '\u20E3')
}
