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

// A char describes a character for the tokenizer.
type char struct {
	utf8  uint32 // normalized and folded form, little-endian; for classExpanded, index of the expansion
	plain rune   // the character without accents, or samePlain, nonePlain or severalPlain
	size  uint8  // length of utf8 in bytes
	class class
	flags flags
	ccc   uint8 // canonical combining class of a mark that does not compose
}

const (
	samePlain    rune = 0
	nonePlain    rune = -1 // the character is an accent
	severalPlain rune = -2 // as for æ
)

// A page is the chars of 256 consecutive characters. It is computed from the Unicode libraries
// when one of them first occurs in a text, and is immutable. Most texts need only a few pages. All
// pages together take 3 MB.
type page struct {
	chars      [256]char
	expansions []string // texts of classExpanded characters
}

// pages is a cache that depends only on Unicode.
var pages [(utf8.MaxRune + 1) / 256]atomic.Pointer[page]

func lookup(r rune) *char { return &pageOf(r).chars[r&0xFF] }

func pageOf(r rune) *page {
	if p := pages[r>>8].Load(); p != nil {
		return p
	}
	return addPage(r >> 8)
}

// charAt is lookup for the character at offset i of text.
func charAt(text string, i int) *char {
	if text[i] < utf8.RuneSelf {
		return &asciiChars[text[i]]
	}
	r, _ := utf8.DecodeRuneInString(text[i:])
	return lookup(r)
}

// addPage computes and stores a page. All pages that contain only separators share one.
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

// allSeparators reports whether text contains only separators. The characters of ⁉ count as
// separators, even in queries.
func allSeparators(text string) bool {
	for _, r := range text {
		if class, _ := classOf(r); class != classSeparator && class != classWildcard {
			return false
		}
	}
	return true
}

// plainOf returns r without accents, or samePlain, nonePlain or severalPlain.
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
	classSeparator  class = iota // never part of a word
	classLetter                  // letters and digits, which form words together
	classUnderscore              // like classLetter, but not at the start or end of a word
	classAlone                   // a letter that is a word on its own
	classMark                    // part of the preceding character
	classIgnored                 // affects only how text is displayed
	classSelector                // like classIgnored, and selects text or emoji presentation
	classJoiner                  // like classIgnored, and joins several emoji into one
	classSubtag                  // like classIgnored, and part of a flag emoji
	classEmoji
	classModifier // gives an emoji a skin tone
	classApostrophe
	classQuote
	classComma
	classSigil
	classWildcard // * and ?
	classExpanded // normalizes to several characters
)

// isSign reports whether the meaning of the class depends on the next character.
func (c class) isSign() bool { return classApostrophe <= c && c <= classWildcard }

// flags are additional properties of a character.
type flags uint16

const (
	isLetter flags = 1 << iota
	isDigit
	isHebrew     // a Hebrew letter
	isPictograph // can follow a joiner in an emoji
	isRegional   // half of a flag
	blocksTag    // a tag cannot start after it
	accented     // has a different spelling without accents
	combining    // depends on the preceding characters
	skipped      // of a run or token: at least one character was dropped
)

// classOf returns the class and flags of r, which must be normalized and folded.
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

// classOfSign is classOf for punctuation. The Hebrew geresh is an apostrophe.
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

// isWordRune reports whether r can be part of a word: letters, digits, marks and, as in UAX #29,
// the underscore.
func isWordRune(r rune) bool {
	return r == '_' || isLetterOrNumber(r) || unicode.IsMark(r)
}

func isLetterOrNumber(r rune) bool { return unicode.IsLetter(r) || unicode.IsNumber(r) }

// isIdeographic reports whether r is a word on its own: ideographs, kana, and their iteration and
// prolonged sound marks.
func isIdeographic(r rune) bool {
	return r >= 0x2E80 && unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana) || '〱' <= r && r <= '〵' || r == 'ー'
}

// isIgnorable reports whether r affects only how text is displayed: joiners, direction marks, soft
// hyphens and the Arabic kashida.
func isIgnorable(r rune) bool {
	const kashida, graphemeJoiner, zeroWidthSpace = 'ـ', '\u034F', '\u200B'
	return r == kashida || r == graphemeJoiner || isVariationSelector(r) ||
		r >= 0xAD && r != zeroWidthSpace && unicode.Is(unicode.Cf, r)
}

func isVariationSelector(r rune) bool { return 0xFE00 <= r && r <= 0xFE0F }

// isEmoji reports whether r is an emoji or a pictograph. Symbols attached to words (© ° ®) and box
// drawing characters are not.
func isEmoji(r rune) bool {
	if r < 0x2190 || 0x2500 <= r && r <= 0x259F {
		return false
	}
	return 0x1F000 <= r && r <= 0x1FAFF && !unicode.IsNumber(r) || unicode.Is(unicode.So, r)
}

// isPictographic reports whether UAX #29 attaches r to the preceding emoji only after a joiner.
func isPictographic(r rune) bool { return joined("\u200D", r) && !joined("!", r) }

// isModifier reports whether r is a skin tone.
func isModifier(r rune) bool { return 0x1F3FB <= r && r <= 0x1F3FF }

// isSubtag reports whether r is a tag character, which spells the region after a black flag.
func isSubtag(r rune) bool { return 0xE0020 <= r && r <= 0xE007F }
