package query

import (
	"unicode/utf8"

	"github.com/clipperhouse/uax29/v2/words"
	"golang.org/x/text/cases"
	"golang.org/x/text/unicode/norm"
)

// A tokenizer takes text apart. Its memory is reused from one text to the next.
//
// Text is cut at white space first: most pieces are plain ASCII, and those take
// a short way (ascii.go). The others are normalised and segmented (unicode.go).
// Both ways keep the same rules.
type tokenizer struct {
	buf   []byte  // normalised text of the tokens
	words []token // the index is the position
	tags  []token // those of more than one word, besides the words themselves

	folded, spare []byte // scratch
	caser         *cases.Caser
	normalizer    norm.Iter
	segmenter     *words.Iterator[[]byte]
}

// A token is a word, a tag or an emoji, in its normalised spelling.
type token struct {
	text, plain span   // plain is text without accents
	hash        uint32 // of plain
	position    int32
	width       int32 // in positions; 0 for the gap between two texts
	next        int32 // Document's: 1 + the index of the next token in the bucket
	sigil       byte  // '#', '@' or '$' of a tag
}

// A span is a part of tokenizer.buf.
type span struct{ start, end int32 }

func (t *tokenizer) bytes(s span) []byte { return t.buf[s.start:s.end] }

// reset forgets all tokens.
func (t *tokenizer) reset() { t.buf, t.words, t.tags = t.buf[:0], t.words[:0], t.tags[:0] }

// gap leaves a position empty, so that no phrase reaches across it.
func (t *tokenizer) gap() { t.words = append(t.words, token{position: int32(len(t.words))}) }

// tokenize adds the tokens of text.
func (t *tokenizer) tokenize(text string) {
	for i := 0; i < len(text); {
		if text[i] <= ' ' {
			i++
			continue
		}
		start, bits := i, byte(0)
		for i < len(text) && text[i] > ' ' {
			bits |= text[i]
			i++
		}
		if bits < utf8.RuneSelf {
			t.asciiField(text[start:i])
		} else {
			t.unicodeField(text[start:i])
		}
	}
}

// emit makes a token of what stands in buf from start on, unless that is nothing.
func (t *tokenizer) emit(start int, sigil byte) {
	if start == len(t.buf) {
		return
	}
	text := span{int32(start), int32(len(t.buf))}
	t.words = append(t.words, token{
		text:     text,
		plain:    text,
		hash:     hash(t.buf[start:]),
		position: int32(len(t.words)),
		width:    1,
		sigil:    sigil,
	})
}

// hash is 32-bit FNV-1a.
func hash(b []byte) uint32 {
	h := uint32(2166136261)
	for _, c := range b {
		h = (h ^ uint32(c)) * 16777619
	}
	return h
}
