package query

import (
	"unicode/utf8"

	"golang.org/x/text/cases"
	"golang.org/x/text/unicode/norm"
)

// A tokenizer splits text into tokens. It reuses its memory from one text to the next.
//
// It reads a text once, character by character. A table has the class and the normalized form of
// each character (char.go). Runs of letters and digits, which make up most of a text, take a fast
// path (tokenize_letters.go). Everything else goes through the rules for words (this file), tags
// and emoji (tokenize_tag.go). Characters that combine with their neighbors are normalized together
// with them first (tokenize_normalize.go).
type tokenizer struct {
	buf   []byte  // normalized text of the tokens
	words []token // in order of position
	tags  []token // tags of more than one word; their words are also in words

	patterns bool // whether * and ? are characters of words, as in a query

	pending    pendingToken // the token being read
	tag        tagState     // the tag that the pending token belongs to
	cluster    cluster      // the character that following marks would combine with
	tagBlocked bool         // whether the last character prevents a tag from starting after it

	folded, spare []byte // scratch
	caser         *cases.Caser
	normalizer    norm.Iter
}

// A token is a word, a tag or an emoji in its normalized spelling.
type token struct {
	text, plain bufRange // plain is text without accents
	hash        uint32   // of plain
	position    int32
	width       int32 // in positions; 0 for the gap between two texts
	from, to    int32 // byte range in its piece, without its sigil
	next        int32 // used by text: 1 + the index of the next distinct token in the bucket, or 0
	repeat      int32 // used by text: 1 + the index of the next repeat of this token, or 0
	sigil       byte  // '#', '@' or '$' for a tag, otherwise 0

	repeats uint16 // used by text, in the first of several repeats: how many follow, at most MaxUint16
}

// A bufRange is a range of tokenizer.buf.
type bufRange struct{ start, end int32 }

func (t *tokenizer) bytes(s bufRange) []byte { return t.buf[s.start:s.end] }

// reset removes all tokens.
func (t *tokenizer) reset() { t.buf, t.words, t.tags = t.buf[:0], t.words[:0], t.tags[:0] }

// gap inserts an empty position, which phrases do not cross.
func (t *tokenizer) gap() { t.words = append(t.words, token{position: int32(len(t.words))}) }

// tokenize appends the tokens of text in order. Their byte ranges ascend and do not overlap, except
// that all tokens of a single character (½) share its range.
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

// readUnicode reads the non-ASCII character at i and, where possible, related characters after it.
// It returns the offset at which to continue.
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
			t.cluster.from = i + size // so that it is not read twice
		}
		return i + size
	}
}

// tagBlockedAfter returns the value of tagBlocked after a character that ends with byte last.
func (t *tokenizer) tagBlockedAfter(last byte) bool {
	if last < utf8.RuneSelf {
		return asciiChars[last].flags&blocksTag != 0
	}
	return t.tagBlocked
}

// A pendingToken is the token being read.
type pendingToken struct {
	kind       tokenKind
	connector  class // class of the trailing punctuation that may connect it to the next character, or 0
	last       flags // flags of its last character that is not a mark
	start, end int   // range of its text in buf; underscores after end are dropped
	from, to   int   // byte range in the source

	flags        flags // accented and skipped
	denormalized bool  // its text must be normalized because marks have become adjacent
	afterJoiner  bool  // in an emoji: the last character was a joiner
	halfFlag     bool  // in an emoji: it is the first half of a flag
}

type tokenKind uint8

const (
	noToken tokenKind = iota
	wordToken
	singleToken // a character that is a word on its own, with its marks
	emojiToken
)

// idle reports whether neither a token nor a tag is pending.
func (t *tokenizer) idle() bool { return t.pending.kind == noToken && t.tag.phase == noTag }

// readChar reads a character with the byte range [from, to).
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

// enterLetter prepares for a letter or digit, which either continues the pending word or starts a
// new one.
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

// addChar appends a character to the pending token, or starts a new token.
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

// readUnderscore drops underscores at the start and end of words, but not in tags.
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

// readWildcard adds a wildcard to the pending word, or starts a word. Outside queries, wildcards
// are separators. So are full-width wildcards, which are punctuation.
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

// addWord appends a token with the text buf[start:end] and the byte range [from, to).
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
