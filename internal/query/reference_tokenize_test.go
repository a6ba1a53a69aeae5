package query

import (
	"bytes"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/clipperhouse/uax29/v2/words"
	"golang.org/x/text/unicode/norm"
)

// A referenceTokenizer is the simplest tokenizer: it normalizes the whole text, finds tags, and
// uses the UAX #29 library to split the text between them. It does not track byte ranges.
type referenceTokenizer struct {
	tokenizer
	inTag bool
}

func (t *referenceTokenizer) tokenize(text string) {
	for _, field := range strings.FieldsFunc(text, func(r rune) bool { return r <= ' ' }) {
		t.field(string(t.fold(field)))
	}
}

func (t *referenceTokenizer) field(text string) {
	start := 0
	for i := 0; i < len(text); {
		end := i + 1
		if strings.IndexByte("#@$", text[i]) >= 0 && referenceTagAt(text, i) {
			end = referenceTagEnd(text, i)
			t.segments(text[start:i])
			t.tagged(text[i], text[i+1:end])
			start = end
		}
		i = end
	}
	t.segments(text[start:])
}

// referenceTagAt reports whether the sigil at i starts a tag.
func referenceTagAt(text string, i int) bool {
	previous, _ := utf8.DecodeLastRuneInString(text[:i])
	if isWordRune(previous) && !isIgnorable(previous) || previous == '&' || previous == '/' {
		return false
	}
	rest := strings.TrimLeftFunc(text[i+1:referenceTagEnd(text, i)], func(r rune) bool {
		return isIgnorable(r) && !isVariationSelector(r)
	})
	first, _ := utf8.DecodeRuneInString(rest)
	if text[i] == '$' {
		return unicode.IsLetter(first)
	}
	return !unicode.IsMark(first) && strings.ContainsFunc(rest, func(r rune) bool {
		return isLetterOrNumber(r) && !isIgnorable(r)
	})
}

// referenceTagEnd returns the end of the tag whose sigil is at i.
func referenceTagEnd(text string, i int) int {
	for j, r := range text[i+1:] {
		if !isWordRune(r) && !isIgnorable(r) {
			return i + 1 + j
		}
	}
	return len(text)
}

func (t *referenceTokenizer) tagged(sigil byte, text string) {
	first := len(t.words)
	t.inTag = true
	t.segments(text)
	t.inTag = false
	switch n := len(t.words) - first; n {
	case 0:
	case 1:
		t.words[first].sigil = sigil
	default:
		var whole []byte
		for _, w := range t.words[first:] {
			whole = append(whole, t.bytes(w.text)...)
		}
		tok := t.newToken(string(whole))
		tok.position, tok.width, tok.sigil = int32(first), int32(n), sigil
		t.tags = append(t.tags, tok)
	}
}

func (t *referenceTokenizer) add(text string) {
	if text != "" {
		t.words = append(t.words, t.newToken(text))
	}
}

func (t *referenceTokenizer) newToken(text string) token {
	tok := token{position: int32(len(t.words)), width: 1}
	tok.text.start = int32(len(t.buf))
	t.buf = append(t.buf, norm.NFKC.String(text)...)
	tok.text.end = int32(len(t.buf))
	tok.plain = tok.text
	var plain []byte
	for _, r := range string(t.bytes(tok.text)) {
		plain = appendPlainRune(plain, r, []byte(string(r)))
	}
	if len(plain) > 0 && !bytes.Equal(plain, t.bytes(tok.text)) {
		tok.plain.start = int32(len(t.buf))
		t.buf = append(t.buf, plain...)
		tok.plain.end = int32(len(t.buf))
	}
	tok.hash = hash(t.bytes(tok.plain))
	return tok
}

// segments adds the words of folded text.
func (t *referenceTokenizer) segments(text string) {
	text = withoutIgnorable(text)
	for segments := words.FromString(text); segments.Next(); {
		t.segment(segments.Value())
	}
}

// withoutIgnorable removes the characters that affect only display, except those that are part of
// an emoji.
func withoutIgnorable(text string) string {
	const joiner = '\u200D'
	var kept []rune
	inEmoji, joining := false, false
	for _, r := range text {
		switch {
		case r == joiner:
			joining = inEmoji
		case isSubtag(r) && inEmoji:
			kept = append(kept, r)
			joining = false
		case isIgnorable(r):
		case joining && isPictographic(r):
			kept = append(kept, joiner, r)
			joining, inEmoji = false, inEmoji || isEmoji(r)
		default:
			if !unicode.IsMark(r) || beginsKeycap(append(kept, r)) {
				inEmoji = isEmoji(r) || unicode.IsMark(r)
			}
			kept = append(kept, r)
			joining = false
		}
	}
	return string(kept)
}

// beginsKeycap reports whether the last two characters are a symbol and a keycap.
func beginsKeycap(runes []rune) bool {
	n := len(runes)
	return n >= 2 && (runes[n-2] == '#' || runes[n-2] == '*') && runes[n-1] == '\u20E3'
}

// segment adds the words of a UAX #29 segment, which is usually a single word. It splits segments
// that UAX #29 joins but the query language does not (U.S, Katakana).
func (t *referenceTokenizer) segment(text string) {
	runes := []rune(text)
	word, previous, alone := "", rune(0), false
	flush := func() {
		if !t.inTag {
			word = strings.TrimRight(word, "_")
		}
		t.add(word)
		word, alone = "", false
	}
	for i := 0; i < len(runes); i++ {
		switch r := runes[i]; {
		case isEmoji(r), beginsKeycap(runes[i:min(i+2, len(runes))]):
			flush()
			n := emojiLength(runes[i:])
			t.add(string(runes[i:][:n]))
			i += n - 1
		case unicode.IsMark(r):
			if word != "" { // a mark without a base character is not a word
				word += string(r)
			}
			continue
		case isWordRune(r) && (isIdeographic(r) || !joined("a", r)):
			flush()
			word = string(r)
			alone = true // except for marks that follow
		case isWordRune(r):
			if alone {
				flush()
			}
			if r != '_' || word != "" || t.inTag {
				word += string(r)
			}
		case i+1 < len(runes) && referenceJoins(previous, r, runes[i+1]):
			if r == ',' {
				word += ","
			}
		default:
			flush()
		}
		previous = runes[i]
	}
	flush()
}

func referenceJoins(previous, r, next rune) bool {
	switch r {
	case '\'', '’', '‘', '׳':
		return unicode.IsLetter(previous) && unicode.IsLetter(next)
	case '"', '״':
		return isHebrewLetter(previous) && isHebrewLetter(next)
	case ',':
		return unicode.IsDigit(previous) && unicode.IsDigit(next)
	}
	return false
}

func isHebrewLetter(r rune) bool { return unicode.IsLetter(r) && unicode.Is(unicode.Hebrew, r) }

// emojiLength returns the number of characters of the emoji at the start of the text.
func emojiLength(runes []rune) int {
	regional := func(r rune) bool { return unicode.Is(unicode.Regional_Indicator, r) }
	half := regional(runes[0])
	for i := 1; i < len(runes); i++ {
		switch r := runes[i]; {
		case unicode.IsMark(r), isModifier(r), isSubtag(r):
		case r == '\u200D':
			i++ // a pictograph follows
			half = false
		case half && regional(r):
			half = false
		default:
			return i
		}
	}
	return len(runes)
}
