package query

import (
	"unicode/utf8"

	"golang.org/x/text/cases"
	"golang.org/x/text/unicode/norm"
)

// A tokenizer splits text into tokens. Its memory is reused from one text to the next.
//
// It reads a text once, character by character. A table has the class and the normalized
// form of each character (char.go). Letters and digits, most of any text, are read many at
// a time (tokenize_letters.go); all else goes through the rules for words (this file), tags
// and emoji (tokenize_tag.go). Characters that depend on their neighbors are first
// normalized together with them (tokenize_normalize.go).
type tokenizer struct {
	buf   []byte  // normalized text of the tokens
	words []token // by position
	tags  []token // those of more than one word, whose words are also in words

	patterns bool // in a query: * and ? are characters of words

	pending    pendingToken // being read
	tag        tagState     // of the tag it belongs to
	cluster    cluster      // that marks would belong to
	tagBlocked bool         // no tag may begin after the last character

	folded, spare []byte // scratch
	caser         *cases.Caser
	normalizer    norm.Iter
}

// A token is a word, a tag or an emoji, in its normalized spelling.
type token struct {
	text, plain bufRange // plain is text without accents
	hash        uint32   // of plain
	position    int32
	width       int32 // in positions; 0 for the gap between two texts
	from, to    int32 // byte range in its piece, without its sigil
	next        int32 // text's: 1 + the index of the next token in the bucket that is no repeat
	repeat      int32 // text's: 1 + the index of the next repeat
	sigil       byte  // '#', '@' or '$' of a tag
}

// A bufRange is a range of tokenizer.buf.
type bufRange struct{ start, end int32 }

func (t *tokenizer) bytes(s bufRange) []byte { return t.buf[s.start:s.end] }

// reset removes all tokens.
func (t *tokenizer) reset() { t.buf, t.words, t.tags = t.buf[:0], t.words[:0], t.tags[:0] }

// gap leaves a position empty, so that no phrase reaches across it.
func (t *tokenizer) gap() { t.words = append(t.words, token{position: int32(len(t.words))}) }

// tokenize adds the tokens of text, in order. Their byte ranges ascend and do not overlap,
// except that the tokens of a single character (½) share its range.
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

// readUnicode reads the non-ASCII character at i, and perhaps those that belong to it. It
// returns where to continue.
func (t *tokenizer) readUnicode(text string, i int) int {
	r, size := utf8.DecodeRuneInString(text[i:])
	if r == utf8.RuneError && size == 1 {
		t.close() // invalid UTF-8 separates
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
			t.cluster.from = i + size // read it only once
		}
		return i + size
	}
}

// tagBlockedAfter returns tagBlocked after a character with this last byte.
func (t *tokenizer) tagBlockedAfter(last byte) bool {
	if last < utf8.RuneSelf {
		return asciiChars[last].flags&blocksTag != 0
	}
	return t.tagBlocked
}

// A pendingToken is the token being read.
type pendingToken struct {
	kind       tokenKind
	connector  class // of the sign after it that connects it to the right next character, or 0
	last       flags // of its last character that is not a mark
	start, end int   // of its text in buf; underscores after the end are dropped
	from, to   int   // byte range in the source

	flags        flags // accented and skipped
	denormalized bool  // its text must be normalized: marks have become adjacent
	afterJoiner  bool  // of an emoji: the last character was a joiner
	halfFlag     bool  // of an emoji: it is half a flag
}

type tokenKind uint8

const (
	noToken tokenKind = iota
	wordToken
	singleToken // a character that is a word by itself, and its marks
	emojiToken
)

// idle reports whether neither a token nor a tag is pending.
func (t *tokenizer) idle() bool { return t.pending.kind == noToken && t.tag.phase == noTag }

// readChar reads a character at [from, to) of the text.
func (t *tokenizer) readChar(c *char, from, to int) {
	glued := t.tagBlocked
	t.tagBlocked = c.flags&blocksTag != 0
	if t.pending.kind == emojiToken && t.readInEmoji(c, from, to) {
		return
	}
	switch c.class {
	case classLetter, classAlone:
		t.enterLetter(c)
		t.addChar(c, from, to)
		t.pending.last = c.flags
		t.tag.hasLetter = true
	case classUnderscore:
		t.enterLetter(c)
		t.readUnderscore(c, from, to)
	case classMark:
		t.readMark(c, from, to)
	case classSelector:
		t.tag.demote()
		t.pending.flags |= skipped
	case classIgnored, classJoiner, classSubtag:
		t.pending.flags |= skipped
	case classEmoji, classModifier:
		t.close()
		t.addEmoji(c, from, to)
	case classApostrophe, classQuote, classComma:
		t.readConnector(c)
	case classSigil:
		t.close()
		t.tag.expect(byte(c.utf8), !glued, from)
	case classWildcard:
		t.readWildcard(c, from, to)
	default:
		t.close()
	}
}

// enterLetter prepares for a letter or digit, which continues the pending word or begins
// another.
func (t *tokenizer) enterLetter(c *char) {
	switch {
	case t.pending.connector != 0:
		if t.pending.connector.connects(c) {
			t.addConnector()
		} else {
			t.flush()
		}
	case t.pending.kind != wordToken || c.class == classAlone:
		t.flush()
	}
	if t.tag.phase != noTag {
		t.tag.enter(c, len(t.words))
	}
}

// addChar appends a character to the pending token, or begins one.
func (t *tokenizer) addChar(c *char, from, to int) {
	if t.pending.kind == noToken {
		t.beginWord(len(t.buf), from)
		if c.class != classLetter {
			t.pending.kind = singleToken
		}
	}
	if c.flags&combining == 0 {
		t.cluster.bufStart = len(t.buf)
	} else if t.pending.flags&skipped != 0 {
		t.pending.denormalized = true
	}
	t.buf = appendChar(t.buf, c)
	t.pending.end, t.pending.to = len(t.buf), to
	t.pending.flags |= c.flags & accented
}

func (t *tokenizer) beginWord(start, from int) {
	t.pending = pendingToken{kind: wordToken, start: start, end: start, from: from}
}

// readUnderscore drops underscores at the ends of words, but not inside a tag.
func (t *tokenizer) readUnderscore(c *char, from, to int) {
	inside := t.tag.phase == tagInside
	if t.pending.kind == noToken && !inside {
		return
	}
	end, trimmed := t.pending.end, t.pending.to
	t.addChar(c, from, to)
	t.pending.kind, t.pending.last = wordToken, 0
	if !inside {
		t.pending.end, t.pending.to = end, trimmed
	}
}

// readMark adds a mark to the pending token, if there is one.
func (t *tokenizer) readMark(c *char, from, to int) {
	if t.tag.keycap() && c.utf8 == keycap {
		t.addKeycap(c, to)
		return
	}
	t.tag.reset()
	if t.pending.connector != 0 {
		t.flush()
	}
	if t.pending.kind != noToken {
		t.addChar(c, from, to)
	}
}

// readWildcard adds a wildcard to the pending word, or begins one. Outside of queries
// wildcards separate, and so do full-width ones, which are punctuation.
func (t *tokenizer) readWildcard(c *char, from, to int) {
	if !t.patterns || to-from > 1 {
		t.close()
		t.tag.expect(byte(c.utf8), false, from) // *️⃣ is an emoji
		return
	}
	if t.pending.kind == noToken || t.pending.kind == emojiToken {
		t.close()
	}
	if t.pending.connector != 0 {
		t.addConnector()
	}
	t.addChar(c, from, to)
}

// close ends the pending token and its tag.
func (t *tokenizer) close() {
	t.flush()
	t.endTag()
}

// flush ends the pending token.
func (t *tokenizer) flush() {
	if t.pending.kind == noToken {
		return
	}
	t.buf = t.buf[:t.pending.end]
	if t.pending.denormalized {
		t.pending.start, t.pending.end = t.normalizeText(t.pending.start, t.pending.end)
		t.pending.flags |= accented
	}
	t.addWord(t.pending.start, t.pending.end, t.pending.from, t.pending.to, t.pending.flags)
	t.pending = pendingToken{}
}

// addWord adds a token: its text is buf[start:end], its byte range [from, to).
func (t *tokenizer) addWord(start, end, from, to int, f flags) {
	n := len(t.words)
	if n == cap(t.words) {
		t.words = append(t.words, token{})
	}
	t.words = t.words[:n+1]
	tok := &t.words[n]
	*tok = token{
		text:     bufRange{int32(start), int32(end)},
		plain:    bufRange{int32(start), int32(end)},
		hash:     hash(t.buf[start:end]),
		position: int32(n),
		width:    1,
		from:     int32(from),
		to:       int32(to),
	}
	if f&accented != 0 {
		t.addPlain(tok)
	}
}
