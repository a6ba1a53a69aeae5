package query

import (
	"unicode"

	"github.com/clipperhouse/uax29/v2/words"
)

// A class says what a character does to words.
type class uint8

const (
	classSeparator  class = iota // no part of any word
	classLetter                  // also digits: makes up words with others of the class
	classUnderscore              // the same, but not at the ends of words
	classAlone                   // a letter that is a word by itself
	classMark                    // part of the character before it
	classIgnored                 // there for display only
	classSelector                // also: chooses between text and colour for an emoji
	classJoiner                  // also: makes one emoji of several
	classSubtag                  // also: part of the emoji of a flag
	classEmoji
	classModifier // gives an emoji a skin tone
	classApostrophe
	classQuote
	classComma
	classSigil
	classWildcard // * and ?
	classExpanded // stands for several characters
)

// isSign reports whether characters of the class mean something by what follows them.
func (c class) isSign() bool { return classApostrophe <= c && c <= classWildcard }

// flags are what else there is to know of a character.
type flags uint16

const (
	isLetter flags = 1 << iota
	isDigit
	isHebrew     // a letter of it
	isPictograph // follows a joiner in emoji
	isRegional   // half a flag
	blocksTag    // no tag begins after it
	accented     // has a spelling without accents
	combining    // depends on the characters before it
	skipped      // of a run or a token: a character of it was left out
)

// classOf returns what r does, once it is normalised and folded.
func classOf(r rune) (class, flags) {
	var f flags
	if isWordRune(r) && !isIgnorable(r) || r == '&' || r == '/' {
		f |= blocksTag
	}
	if plainOf(r) != samePlain {
		f |= accented
	}
	if isPictographic(r) {
		f |= isPictograph
	}
	if unicode.IsLetter(r) {
		f |= isLetter
	}
	if unicode.IsDigit(r) {
		f |= isDigit
	}
	if unicode.Is(unicode.Hebrew, r) && unicode.IsLetter(r) {
		f |= isHebrew
	}
	if unicode.Is(unicode.Regional_Indicator, r) {
		f |= isRegional
	}
	switch {
	case isIgnorable(r):
		return classOfIgnorable(r), f
	case unicode.IsMark(r):
		return classMark, f
	case isModifier(r):
		return classModifier, f
	case isEmoji(r):
		return classEmoji, f
	case r == '_':
		return classUnderscore, f
	case isWordRune(r) && !isIdeographic(r) && joined("a", r):
		return classLetter, f
	case isWordRune(r):
		return classAlone, f
	}
	return classOfSign(r), f
}

func classOfIgnorable(r rune) class {
	const joiner = '\u200D'
	switch {
	case r == joiner:
		return classJoiner
	case isVariationSelector(r):
		return classSelector
	case isSubtag(r):
		return classSubtag
	}
	return classIgnored
}

// classOfSign is classOf for what is no letter. The Hebrew geresh is an apostrophe.
func classOfSign(r rune) class {
	switch r {
	case '\'', '’', '‘', '׳':
		return classApostrophe
	case '"', '״':
		return classQuote
	case ',':
		return classComma
	case '#', '@', '$':
		return classSigil
	case '*', '?':
		return classWildcard
	}
	return classSeparator
}

// joined reports whether UAX #29 lets no word begin between text and r.
func joined(text string, r rune) bool {
	segments := words.FromString(text + string(r))
	segments.Next()
	return segments.End() > len(text)
}

// isWordRune reports whether r is part of words: letters, digits, marks and,
// as in UAX #29, the underscore.
func isWordRune(r rune) bool {
	return r == '_' || isLetterOrNumber(r) || unicode.IsMark(r)
}

func isLetterOrNumber(r rune) bool { return unicode.IsLetter(r) || unicode.IsNumber(r) }

// isIdeographic reports whether r is a word by itself: ideographs, kana and the
// marks for repeating and lengthening them.
func isIdeographic(r rune) bool {
	return r >= 0x2E80 && unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana) || '〱' <= r && r <= '〵' || r == 'ー'
}

// isIgnorable reports whether r is there for display only and makes no
// difference to a word: joiners, direction marks, soft hyphens, the Arabic kashida.
func isIgnorable(r rune) bool {
	const kashida, graphemeJoiner, zeroWidthSpace = 'ـ', '\u034F', '\u200B'
	return r == kashida || r == graphemeJoiner || isVariationSelector(r) ||
		r >= 0xAD && r != zeroWidthSpace && unicode.Is(unicode.Cf, r)
}

func isVariationSelector(r rune) bool { return 0xFE00 <= r && r <= 0xFE0F }

// isEmoji reports whether r is an emoji or a pictograph. Signs that stick to words
// (© ° ®) and the lines of tables are not.
func isEmoji(r rune) bool {
	if r < 0x2190 || 0x2500 <= r && r <= 0x259F {
		return false
	}
	return 0x1F000 <= r && r <= 0x1FAFF && !unicode.IsNumber(r) || unicode.Is(unicode.So, r)
}

// isPictographic reports whether r is joined to an emoji before it by a joiner, as
// UAX #29 has it, though not without one.
func isPictographic(r rune) bool { return joined("\u200D", r) && !joined("!", r) }

// isModifier reports whether r is a skin tone.
func isModifier(r rune) bool { return 0x1F3FB <= r && r <= 0x1F3FF }

// isSubtag reports whether r spells, after a black flag, whose flag is meant.
func isSubtag(r rune) bool { return 0xE0020 <= r && r <= 0xE007F }
