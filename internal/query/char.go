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

// A char is what the tokenizer knows of a character.
type char struct {
	utf8  uint32 // its normalised and folded form as bytes, the first lowest; of classExpanded: which expansion
	plain rune   // the character without accents, or samePlain, nonePlain, severalPlain
	size  uint8  // of utf8 in bytes
	class class
	flags flags
	ccc   uint8 // of a mark that composes with nothing: its canonical combining class
}

const (
	samePlain    rune = 0
	nonePlain    rune = -1 // the character is an accent
	severalPlain rune = -2 // æ
)

// A page holds the chars of 256 characters. It is made when the first of them
// turns up in a text, from the libraries that know all about Unicode, and never
// changes: most texts need a handful of pages, and all there are take 3 MB.
type page struct {
	chars      [256]char
	expansions []string // of classExpanded
}

// pages is a cache: what it holds depends on nothing but Unicode.
var pages [(utf8.MaxRune + 1) / 256]atomic.Pointer[page]

// lookup returns what is known of r.
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

// addPage makes a page. Pages without any character that matters are the same one.
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

// separators is the page of characters that are no part of words.
var separators = new(page)

// newChar finds out about r.
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
		c.utf8 = packUTF8(first)
	case allSeparators(folded):
		c.flags = flagsOfLast(folded)
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

func packUTF8(r rune) uint32 {
	var b [utf8.UTFMax]byte
	utf8.EncodeRune(b[:], r)
	return binary.LittleEndian.Uint32(b[:])
}

// allSeparators takes the signs in ⁉ for separators, in queries as well.
func allSeparators(text string) bool {
	for _, r := range text {
		if class, _ := classOf(r); class != classSeparator && class != classWildcard {
			return false
		}
	}
	return true
}

func flagsOfLast(text string) flags {
	r, _ := utf8.DecodeLastRuneInString(text)
	_, flags := classOf(r)
	return flags
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
