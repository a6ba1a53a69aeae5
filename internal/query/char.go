package query

import (
	"encoding/binary"
	"strings"
	"sync/atomic"
	"unicode"
	"unicode/utf8"

	"github.com/clipperhouse/uax29/v2/words"
	"golang.org/x/text/unicode/norm"
)

// A char is what the tokenizer knows about a character.
type char struct {
	utf8  uint32 // normalized and folded form, little-endian; of classExpanded: index of the expansion
	plain rune   // the character without accents, or samePlain, nonePlain, severalPlain
	size  uint8  // of utf8 in bytes
	class class
	flags flags
	ccc   uint8 // canonical combining class of a mark that composes with nothing
}

const (
	samePlain    rune = 0
	nonePlain    rune = -1 // the character is an accent
	severalPlain rune = -2 // æ
)

// A page holds the chars of 256 characters. It is computed from the Unicode libraries when
// the first of them occurs in a text, and never changes: most texts need a handful of
// pages, and all of them take 3 MB.
type page struct {
	chars      [256]char
	expansions []string // of classExpanded
}

// pages is a cache that depends on nothing but Unicode.
var pages [(utf8.MaxRune + 1) / 256]atomic.Pointer[page]

func lookup(r rune) *char { return &pageOf(r).chars[r&0xFF] }

func pageOf(r rune) *page {
	if p := pages[r>>8].Load(); p != nil {
		return p
	}
	return addPage(r >> 8)
}

// charAt is lookup for the character at i of text.
func charAt(text string, i int) *char {
	if text[i] < utf8.RuneSelf {
		return &asciiChars[text[i]]
	}
	r, _ := utf8.DecodeRuneInString(text[i:])
	return lookup(r)
}

// addPage computes a page. All pages that hold only separators are the same one.
func addPage(number rune) *page {
	p, t, useful := new(page), new(tokenizer), false
	for i := range p.chars {
		p.chars[i] = p.newChar(t, number<<8+rune(i))
		useful = useful || p.chars[i].class != classSeparator || p.chars[i].flags != 0
	}
	if !useful {
		p = separators
	}
	pages[number].Store(p)
	return p
}

var separators = new(page)

// newChar computes the char of r.
func (p *page) newChar(t *tokenizer, r rune) char {
	if !utf8.ValidRune(r) {
		return char{}
	}
	folded := string(t.fold(string(r)))
	first, size := utf8.DecodeRuneInString(folded)
	c := char{plain: plainOf(r)}
	switch {
	case size == len(folded):
		c.class, c.flags = classOf(first)
		if c.class == classWildcard && !strings.ContainsRune("*?＊？", r) {
			c.class = classSeparator
		}
		c.size = uint8(size)
		var b [utf8.UTFMax]byte
		utf8.EncodeRune(b[:], first)
		c.utf8 = binary.LittleEndian.Uint32(b[:])
	case allSeparators(folded):
		last, _ := utf8.DecodeLastRuneInString(folded)
		_, c.flags = classOf(last)
	default:
		c.class, c.utf8 = classExpanded, uint32(len(p.expansions))
		p.expansions = append(p.expansions, folded)
	}
	properties := norm.NFKC.PropertiesString(string(r))
	if !properties.BoundaryBefore() || !norm.NFKC.PropertiesString(folded).BoundaryBefore() {
		c.flags |= combining
	}
	if folded == string(r) && norm.NFKC.QuickSpanString("!"+folded) == 1+len(folded) {
		c.ccc = properties.CCC()
	}
	return c
}

// allSeparators reports whether text is only separators. The signs in ⁉ are such, even in
// queries.
func allSeparators(text string) bool {
	for _, r := range text {
		if class, _ := classOf(r); class != classSeparator && class != classWildcard {
			return false
		}
	}
	return true
}

// plainOf returns r without accents.
func plainOf(r rune) rune {
	plain := appendPlainRune(nil, r, utf8.AppendRune(nil, r))
	if len(plain) == 0 {
		return nonePlain
	}
	first, size := utf8.DecodeRune(plain)
	switch {
	case size < len(plain):
		return severalPlain
	case first == r:
		return samePlain
	}
	return first
}

// A class is the role of a character in words.
type class uint8

const (
	classSeparator  class = iota // no part of any word
	classLetter                  // also digits: forms words with others of the class
	classUnderscore              // the same, but not at the ends of words
	classAlone                   // a letter that is a word by itself
	classMark                    // part of the character before it
	classIgnored                 // affects display only
	classSelector                // also: chooses between text and emoji presentation
	classJoiner                  // also: makes one emoji of several
	classSubtag                  // also: part of the emoji of a flag
	classEmoji
	classModifier // gives an emoji a skin tone
	classApostrophe
	classQuote
	classComma
	classSigil
	classWildcard // * and ?
	classExpanded // has several characters once normalized
)

// isSign reports whether the meaning of the class depends on what follows.
func (c class) isSign() bool { return classApostrophe <= c && c <= classWildcard }

// flags are further properties of a character.
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
	skipped      // of a run or a token: a character of it was dropped
)

// classOf returns the class and flags of r, which is normalized and folded.
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

// classOfSign is classOf for non-letters. The Hebrew geresh is an apostrophe.
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

// joined reports whether UAX #29 has no word boundary between text and r.
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

// isIgnorable reports whether r affects display only: joiners, direction marks, soft
// hyphens, the Arabic kashida.
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

// isPictographic reports whether UAX #29 joins r to the emoji before it by a joiner, but not
// without one.
func isPictographic(r rune) bool { return joined("\u200D", r) && !joined("!", r) }

// isModifier reports whether r is a skin tone.
func isModifier(r rune) bool { return 0x1F3FB <= r && r <= 0x1F3FF }

// isSubtag reports whether r is a letter of the region that follows a black flag.
func isSubtag(r rune) bool { return 0xE0020 <= r && r <= 0xE007F }
