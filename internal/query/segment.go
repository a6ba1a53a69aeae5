package query

import (
	"bytes"
	"unicode"
	"unicode/utf8"
)

// segment adds the words of a segment of UAX #29. It is one word as a rule;
// what UAX #29 joins and we do not (U.S, Katakana) is taken apart.
func (t *tokenizer) segment(segment []byte, inTag bool) {
	start, previous, alone := len(t.buf), rune(0), false
	flush := func() {
		if !inTag {
			start = t.trimUnderscores(start)
		}
		t.emitUnicode(start)
		start, alone = len(t.buf), false
	}
	for i, size := 0, 0; i < len(segment); i += size {
		var r rune
		r, size = utf8.DecodeRune(segment[i:])
		switch {
		case isIgnorable(r):
			continue // and previous stays
		case unicode.IsMark(r):
			if len(t.buf) > start { // a mark on nothing is no word
				t.buf = utf8.AppendRune(t.buf, r)
			}
			continue
		case isIdeographic(r):
			flush()
			t.buf = utf8.AppendRune(t.buf, r)
			alone = true // but for marks that follow
		case isWordRune(r):
			if alone {
				flush()
			}
			t.buf = utf8.AppendRune(t.buf, r)
		case joins(previous, r, segment[i+size:]):
			if r == ',' {
				t.buf = append(t.buf, ',')
			}
		default:
			flush()
		}
		previous = r
	}
	flush()
}

// joins is asciiJoins for any script: r holds a word together between previous
// and what follows.
func joins(previous, r rune, rest []byte) bool {
	next, _ := utf8.DecodeRune(rest)
	switch {
	case isApostrophe(r):
		return unicode.IsLetter(previous) && unicode.IsLetter(next)
	case r == '"' || r == '״':
		return unicode.Is(unicode.Hebrew, previous) && unicode.Is(unicode.Hebrew, next)
	case r == ',':
		return unicode.IsDigit(previous) && unicode.IsDigit(next)
	}
	return false
}

// tagAt reports whether the sigil at i begins a tag.
func tagAt(text []byte, i int) bool {
	previous, _ := utf8.DecodeLastRune(text[:i])
	if isWordRune(previous) && !isIgnorable(previous) || !sigilMayFollow(previous) {
		return false
	}
	first, _ := utf8.DecodeRune(text[i+1:])
	if text[i] == '$' {
		return unicode.IsLetter(first) // $100 is money
	}
	// A mark belongs to the sigil, as in the emoji of a number sign.
	return !unicode.IsMark(first) && bytes.ContainsFunc(text[i+1:tagEnd(text, i)], isLetterOrNumber)
}

// tagEnd returns where the tag ends whose sigil is at i.
func tagEnd(text []byte, i int) int {
	for i++; i < len(text); {
		r, size := utf8.DecodeRune(text[i:])
		if !isWordRune(r) && !isIgnorable(r) {
			break
		}
		i += size
	}
	return i
}
