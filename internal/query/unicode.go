package query

import (
	"bytes"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/clipperhouse/uax29/v2/words"
	"golang.org/x/text/cases"
	"golang.org/x/text/transform"
	"golang.org/x/text/unicode/norm"
)

// unicodeField adds the tokens of a piece of text.
func (t *tokenizer) unicodeField(s string) {
	field := t.fold(s)
	start := 0
	for i := 0; i < len(field); {
		end := i + 1
		if isSigil(field[i]) && tagAt(field, i) {
			end = tagEnd(field, i)
			t.segments(field[start:i], false)
			t.tag(field[i], field[i+1:end])
			start = end
		}
		i = end
	}
	t.segments(field[start:], false)
}

// fold returns s in NFKC and case folded. The result is valid until the next call.
func (t *tokenizer) fold(s string) []byte {
	if t.caser == nil {
		folder := cases.Fold()
		t.caser = &folder
	}
	if !utf8.ValidString(s) {
		s = strings.ToValidUTF8(s, " ") // the segmenter takes all that follows a bad byte for one word
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
	return t.folded
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
	raiseCherokee(t.folded)
	t.caser.Reset()
	folded, _, err := transform.Append(t.caser, t.spare[:0], t.folded)
	if err != nil {
		return false // does not happen: the text is valid
	}
	t.folded, t.spare = folded, t.folded
	return true
}

// raiseCherokee makes Cherokee letters capitals, all of them, because the caser
// exchanges capitals and small letters instead of folding one into the other.
func raiseCherokee(text []byte) {
	for i := 0; i < len(text); {
		r, size := utf8.DecodeRune(text[i:])
		if r >= 0x13A0 && unicode.Is(unicode.Cherokee, r) {
			utf8.EncodeRune(text[i:], unicode.ToUpper(r)) // both take three bytes
		}
		i += size
	}
}

// segments adds the words of folded text. Those of a tag keep their underscores.
func (t *tokenizer) segments(text []byte, inTag bool) {
	if len(text) == 0 {
		return
	}
	if t.segmenter == nil {
		t.segmenter = words.FromBytes(nil)
	}
	t.segmenter.SetText(text)
	for t.segmenter.Next() {
		segment := t.segmenter.Value()
		if r, _ := utf8.DecodeRune(segment); isEmoji(r) || isKeycap(r, segment) {
			t.emoji(segment)
		} else {
			t.segment(segment, inTag)
		}
	}
}

// tag adds a tag: its words, as everywhere, and besides them the tag as a whole
// when it has several. Only scripts without spaces put several words in a tag.
func (t *tokenizer) tag(sigil byte, text []byte) {
	first := len(t.words)
	t.segments(text, true)
	switch n := len(t.words) - first; n {
	case 0:
	case 1:
		t.words[first].sigil = sigil
	default:
		whole := t.words[first]
		start := len(t.buf)
		for _, w := range t.words[first:] {
			t.buf = append(t.buf, t.bytes(w.text)...)
		}
		whole.text = span{int32(start), int32(len(t.buf))}
		whole.sigil, whole.width = sigil, int32(n)
		t.finish(&whole)
		t.tags = append(t.tags, whole)
	}
}

// emoji adds an emoji. Whether it asks to be shown in colour makes no difference.
func (t *tokenizer) emoji(segment []byte) {
	start := len(t.buf)
	for _, r := range string(segment) {
		if !isVariationSelector(r) {
			t.buf = utf8.AppendRune(t.buf, r)
		}
	}
	t.emitUnicode(start)
}

// emitUnicode is emit for text with accents.
func (t *tokenizer) emitUnicode(start int) {
	n := len(t.words)
	if t.emit(start, 0); len(t.words) > n {
		t.finish(&t.words[n])
	}
}

// finish normalises the token's text, which may need it after characters were
// left out, and adds the spelling without accents.
func (t *tokenizer) finish(tok *token) {
	if text := t.bytes(tok.text); norm.NFKC.QuickSpan(text) < len(text) {
		t.spare = t.appendNFKC(t.spare[:0], text)
		tok.text.start = int32(len(t.buf))
		t.buf = append(t.buf, t.spare...)
		tok.text.end = int32(len(t.buf))
	}
	start := len(t.buf)
	t.buf = appendPlain(t.buf, t.bytes(tok.text))
	if plain := t.buf[start:]; len(plain) == 0 || bytes.Equal(plain, t.bytes(tok.text)) {
		t.buf = t.buf[:start]
		tok.plain = tok.text
	} else {
		tok.plain = span{int32(start), int32(len(t.buf))}
	}
	tok.hash = hash(t.bytes(tok.plain))
}
