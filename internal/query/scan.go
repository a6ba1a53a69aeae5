package query

// A pendingToken is the token that is being read.
type pendingToken struct {
	kind       tokenKind
	connector  class // of the sign after it that holds it together if the right character follows, or 0
	last       flags // of its last character that is no mark
	start, end int   // of its text in buf; underscores behind the end are left out
	from, to   int   // its place in the source

	flags        flags // accented and skipped
	denormalized bool  // its text must be normalised: marks met that were apart
	afterJoiner  bool  // of an emoji: the last character was a joiner
	halfFlag     bool  // of an emoji: it is half a flag
}

type tokenKind uint8

const (
	noToken tokenKind = iota
	wordToken
	singleToken // and its marks
	emojiToken
)

// idle reports whether neither a token nor a tag is being read.
func (t *tokenizer) idle() bool { return t.pending.kind == noToken && t.tag.phase == noTag }

// readChar takes in a character that stands at [from, to) of the text.
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

// enterLetter makes room for a letter or digit, which is to continue the open word or to
// begin another.
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

// addChar appends a character to the open token, or begins one.
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

// beginWord opens a word.
func (t *tokenizer) beginWord(start, from int) {
	t.pending = pendingToken{kind: wordToken, start: start, end: start, from: from}
}

// readUnderscore leaves underscores out at the ends of words. Inside a tag they count.
func (t *tokenizer) readUnderscore(c *char, from, to int) {
	inside := t.tag.phase == tagInside
	if t.pending.kind == noToken && !inside {
		return
	}
	end, place := t.pending.end, t.pending.to
	t.addChar(c, from, to)
	t.pending.kind, t.pending.last = wordToken, 0
	if !inside {
		t.pending.end, t.pending.to = end, place
	}
}

// readMark adds a mark to the open token. A mark on nothing is no word.
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

// readWildcard adds a wildcard to the open word, or makes it a token of its own
// where there is none. Outside queries it separates, and so do full-width ones, which
// are punctuation.
func (t *tokenizer) readWildcard(c *char, from, to int) {
	if !t.patterns || to-from > 1 {
		t.close()
		t.tag.expect(byte(c.utf8), false, from) // the emoji of a star
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

// close ends the open token and its tag.
func (t *tokenizer) close() {
	t.flush()
	t.endTag()
}

// flush ends the open token.
func (t *tokenizer) flush() {
	if t.pending.kind == noToken {
		return
	}
	t.buf = t.buf[:t.pending.end]
	if t.pending.denormalized {
		t.addUnfinished()
	} else {
		t.addWord(t.pending.start, t.pending.end, t.pending.from, t.pending.to, t.pending.flags)
	}
	t.pending = pendingToken{}
}

// addWord adds a token: its text in buf, its place, and whether it has accents.
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

// addUnfinished adds the open token once its text is normalised.
func (t *tokenizer) addUnfinished() {
	start, end := t.normalizeText(t.pending.start, t.pending.end)
	t.addWord(start, end, t.pending.from, t.pending.to, accented)
}
