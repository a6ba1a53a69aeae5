package query

// A reading is the token that is being read.
type reading struct {
	is         readingKind
	joint      class // of the sign after it that holds it together if the right character follows, or 0
	last       flags // of its last character that is no mark
	start, end int   // of its text in buf; underscores behind the end are left out
	from, to   int   // its place in the source

	flags      flags // accented and skipped
	unfinished bool  // its text must be normalised: marks met that were apart
	joiner     bool  // of an emoji: the last character was a joiner
	half       bool  // of an emoji: it is half a flag
}

type readingKind uint8

const (
	nothing readingKind = iota
	aWord
	oneCharacter // and its marks
	anEmoji
)

// idle reports whether neither a token nor a tag is being read.
func (t *tokenizer) idle() bool { return t.open.is == nothing && t.tag.state == noTag }

// read takes in a character that stands at [from, to) of the text.
func (t *tokenizer) read(c *char, from, to int) {
	glued := t.glued
	t.glued = c.flags&gluing != 0
	if t.open.is == anEmoji && t.readInEmoji(c, from, to) {
		return
	}
	switch c.class {
	case classLetter, classAlone:
		t.enter(c)
		t.add(c, from, to)
		t.open.last = c.flags
		t.tag.named = true
	case classUnderscore:
		t.enter(c)
		t.readUnderscore(c, from, to)
	case classMark:
		t.readMark(c, from, to)
	case classSelector:
		t.tag.deny()
		t.open.flags |= skipped
	case classIgnored, classJoiner, classSubtag:
		t.open.flags |= skipped
	case classEmoji, classModifier:
		t.close()
		t.addEmoji(c, from, to)
	case classApostrophe, classQuote, classComma:
		t.readJoint(c)
	case classSigil:
		t.close()
		t.tag.await(byte(c.utf8), !glued, from)
	case classWildcard:
		t.readWildcard(c, from, to)
	default:
		t.close()
	}
}

// enter makes room for a letter or digit, which is to continue the open word or to
// begin another.
func (t *tokenizer) enter(c *char) {
	switch {
	case t.open.joint != 0:
		if t.open.joint.joins(c) {
			t.join()
		} else {
			t.flush()
		}
	case t.open.is != aWord || c.class == classAlone:
		t.flush()
	}
	if t.tag.state != noTag {
		t.tag.enter(c, len(t.words))
	}
}

// add appends a character to the open token, or begins one.
func (t *tokenizer) add(c *char, from, to int) {
	if t.open.is == nothing {
		t.begin(len(t.buf), from)
		if c.class != classLetter {
			t.open.is = oneCharacter
		}
	}
	if c.flags&combining == 0 {
		t.cluster.undo = len(t.buf)
	} else if t.open.flags&skipped != 0 {
		t.open.unfinished = true
	}
	t.buf = appendChar(t.buf, c)
	t.open.end, t.open.to = len(t.buf), to
	t.open.flags |= c.flags & accented
}

// begin opens a word.
func (t *tokenizer) begin(start, from int) {
	t.open = reading{is: aWord, start: start, end: start, from: from}
}

// readUnderscore leaves underscores out at the ends of words. Inside a tag they count.
func (t *tokenizer) readUnderscore(c *char, from, to int) {
	inside := t.tag.state == tagInside
	if t.open.is == nothing && !inside {
		return
	}
	end, place := t.open.end, t.open.to
	t.add(c, from, to)
	t.open.is, t.open.last = aWord, 0
	if !inside {
		t.open.end, t.open.to = end, place
	}
}

// readMark adds a mark to the open token. A mark on nothing is no word.
func (t *tokenizer) readMark(c *char, from, to int) {
	if t.tag.keycap() && c.utf8 == keycap {
		t.addKeycap(c, to)
		return
	}
	t.tag.refuse()
	if t.open.joint != 0 {
		t.flush()
	}
	if t.open.is != nothing {
		t.add(c, from, to)
	}
}

// readWildcard adds a wildcard to the open word, or makes it a token of its own
// where there is none. Outside queries it separates, and so do full-width ones, which
// are punctuation.
func (t *tokenizer) readWildcard(c *char, from, to int) {
	if !t.patterns || to-from > 1 {
		t.close()
		t.tag.await(byte(c.utf8), false, from) // the emoji of a star
		return
	}
	if t.open.is == nothing || t.open.is == anEmoji {
		t.close()
	}
	if t.open.joint != 0 {
		t.join()
	}
	t.add(c, from, to)
}

// close ends the open token and its tag.
func (t *tokenizer) close() {
	t.flush()
	t.endTag()
}

// flush ends the open token.
func (t *tokenizer) flush() {
	if t.open.is == nothing {
		return
	}
	t.buf = t.buf[:t.open.end]
	if t.open.unfinished {
		t.addUnfinished()
	} else {
		t.addWord(t.open.start, t.open.end, t.open.from, t.open.to, t.open.flags)
	}
	t.open = reading{}
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
		text:     span{int32(start), int32(end)},
		plain:    span{int32(start), int32(end)},
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
	start, end := t.normalizeText(t.open.start, t.open.end)
	t.addWord(start, end, t.open.from, t.open.to, accented)
}
