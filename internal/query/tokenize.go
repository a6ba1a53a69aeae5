package query

import (
	"unicode/utf8"

	"golang.org/x/text/cases"
	"golang.org/x/text/unicode/norm"
)

// A tokenizer takes text apart. Its memory is reused from one text to the next.
//
// It reads a text once, character by character. What a character is and how it is
// compared stands in a table (char.go). Letters and digits, most of any text, are
// read many at a time (letters.go, spanGroup.go); all else goes through the rules for
// words (scan.go, joint.go), tags (tagState.go) and emoji (emoji.go). Characters that
// depend on their neighbours are normalised together with them first (cluster.go).
type tokenizer struct {
	buf   []byte  // normalised text of the tokens
	words []token // the index is the position
	tags  []token // those of more than one word, besides the words themselves

	patterns bool // of a query: * and ? are characters of words

	pending    pendingToken // the token that is being read
	tag        tagState     // the tag it belongs to
	cluster    cluster      // the character that marks would belong to
	tagBlocked bool         // the last character does not let a tag begin after it

	folded, spare []byte // scratch
	caser         *cases.Caser
	normalizer    norm.Iter
}

// A token is a word, a tag or an emoji, in its normalised spelling.
type token struct {
	text, plain bufRange // plain is text without accents
	hash        uint32   // of plain
	position    int32
	width       int32 // in positions; 0 for the gap between two texts
	from, to    int32 // where it stands in the piece of text, in bytes, without its sigil
	next        int32 // text's: 1 + the number of the next token in the bucket that is spelled otherwise
	repeat      int32 // text's: 1 + the number of the next token that is the same
	sigil       byte  // '#', '@' or '$' of a tag
}

// A bufRange is a part of tokenizer.buf.
type bufRange struct{ start, end int32 }

func (t *tokenizer) bytes(s bufRange) []byte { return t.buf[s.start:s.end] }

// reset forgets all tokens.
func (t *tokenizer) reset() { t.buf, t.words, t.tags = t.buf[:0], t.words[:0], t.tags[:0] }

// gap leaves a position empty, so that no phrase reaches across it.
func (t *tokenizer) gap() { t.words = append(t.words, token{position: int32(len(t.words))}) }

// tokenize adds the tokens of text, in order. Their places ascend and do not
// overlap, except that tokens which are written as one character (½) share its place.
func (t *tokenizer) tokenize(text string) {
	t.cluster, t.tagBlocked = cluster{bufStart: notBuffered}, false
	for i := 0; i < len(text); {
		if text[i] >= utf8.RuneSelf {
			i = t.readUnicode(text, i)
			continue
		}
		switch c := &asciiChars[text[i]]; c.class {
		case classLetter, classUnderscore:
			i = t.readASCIIWord(text, i)
		case classSeparator:
			if !t.idle() {
				t.close()
			}
			i++
		default:
			t.tagBlocked = i > 0 && t.tagBlockedAfter(text[i-1])
			t.readChar(c, i, i+1)
			i++
		}
	}
	t.close()
}

// readUnicode reads the character at i, which is not ASCII, and perhaps those that
// belong to it. It returns where to go on.
func (t *tokenizer) readUnicode(text string, i int) int {
	r, size := utf8.DecodeRuneInString(text[i:])
	if r == utf8.RuneError && size == 1 {
		t.close() // a byte that is no text separates
		t.cluster, t.tagBlocked = cluster{from: i + 1, bufStart: notBuffered}, false
		return i + 1
	}
	switch c := lookup(r); {
	case c.flags&combining != 0:
		return t.combine(c, text, i, i+size)
	case c.class == classLetter:
		return t.readLetters(text, i)
	case c.class == classAlone:
		return t.readSingles(c, text, i, i+size)
	case c.class == classExpanded:
		return t.expand(c, r, text, i, i+size)
	default:
		t.cluster = cluster{from: i, bufStart: notBuffered}
		t.tagBlocked = i > 0 && t.tagBlockedAfter(text[i-1])
		t.readChar(c, i, i+size)
		if c.class.isSign() {
			t.cluster.from = i + size // read it once only
		}
		return i + size
	}
}

// tagBlockedAfter is glued where the last byte is known.
func (t *tokenizer) tagBlockedAfter(last byte) bool {
	if last < utf8.RuneSelf {
		return asciiChars[last].flags&blocksTag != 0
	}
	return t.tagBlocked
}
