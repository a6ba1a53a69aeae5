package query

import (
	"bytes"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/cases"
	"golang.org/x/text/transform"
	"golang.org/x/text/unicode/norm"
)

// fold returns s in NFKC and case folded. The result is valid until the next call.
func (t *tokenizer) fold(s string) []byte {
	t.folded = t.folded[:0]
	for i := range len(s) {
		if s[i] >= utf8.RuneSelf {
			t.foldUnicode(s)
			break
		}
		t.folded = append(t.folded, byte(asciiChars[s[i]].utf8))
	}
	return t.folded
}

func (t *tokenizer) foldUnicode(s string) {
	if t.caser == nil {
		folder := cases.Fold()
		t.caser = &folder
	}
	if !utf8.ValidString(s) {
		s = strings.ToValidUTF8(s, " ") // as in tokenize, bytes that are no text separate
	}
	t.folded = append(t.folded[:0], s...)
	t.normalize()
	// Folding may undo the normalisation and the other way round; twice settles all
	// but a few letters, three times those as well.
	for range 3 {
		if !t.foldCase() || !t.normalize() {
			break
		}
	}
}

// normalize brings t.folded into NFKC and reports whether that changed it.
func (t *tokenizer) normalize() bool {
	if norm.NFKC.QuickSpan(t.folded) == len(t.folded) {
		return false
	}
	breakTradeMarks(t.folded)
	t.spare = t.appendNFKC(t.spare[:0], t.folded)
	t.folded, t.spare = t.spare, t.folded
	return !bytes.Equal(t.folded, t.spare)
}

// appendNFKC is norm.NFKC.Append but for the memory that takes.
func (t *tokenizer) appendNFKC(b, text []byte) []byte {
	for t.normalizer.Init(norm.NFKC, text); !t.normalizer.Done(); {
		b = append(b, t.normalizer.Next()...)
	}
	return b
}

// breakTradeMarks puts spaces in place of the signs for a trade mark: the normal
// form of Acme™ would be another word, AcmeTM.
func breakTradeMarks(text []byte) {
	for {
		i := bytes.IndexAny(text, "™℠")
		if i < 0 {
			return
		}
		text = text[i+copy(text[i:], "   "):]
	}
}

// foldCase folds t.folded and reports whether that changed it.
func (t *tokenizer) foldCase() bool {
	if n, err := t.caser.Span(t.folded, true); err == nil && n == len(t.folded) {
		return false
	}
	upperCherokee(t.folded)
	t.caser.Reset()
	folded, _, err := transform.Append(t.caser, t.spare[:0], t.folded)
	if err != nil {
		return false // does not happen: the text is valid
	}
	t.folded, t.spare = folded, t.folded
	return true
}

// upperCherokee makes Cherokee letters capitals, all of them, because the caser
// exchanges capitals and small letters instead of folding one into the other.
func upperCherokee(text []byte) {
	for i := 0; i < len(text); {
		r, size := utf8.DecodeRune(text[i:])
		if r >= 0x13A0 && unicode.Is(unicode.Cherokee, r) {
			utf8.EncodeRune(text[i:], unicode.ToUpper(r)) // both take three bytes
		}
		i += size
	}
}

// normalizeText normalises a part of buf, which may need it after characters were
// left out, and returns where it is then.
func (t *tokenizer) normalizeText(start, end int) (int, int) {
	text := t.buf[start:end]
	if norm.NFKC.QuickSpan(text) == len(text) {
		return start, end
	}
	t.spare = t.appendNFKC(t.spare[:0], text)
	start = len(t.buf)
	t.buf = append(t.buf, t.spare...)
	return start, len(t.buf)
}
