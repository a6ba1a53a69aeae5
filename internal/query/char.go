package query

import (
	"encoding/binary"
	"strings"
	"sync/atomic"
	"unicode/utf8"

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
