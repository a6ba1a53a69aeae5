package query

import "unicode/utf8"

// A tagState is the state of reading a tag, which is a sigil and the word after it.
type tagState struct {
	phase     tagPhase
	sigil     byte
	hasLetter bool // the tag has a letter or digit
	first     int  // position of the tag's first word
	from      int  // byte offset of the sigil
}

type tagPhase uint8

const (
	noTag       tagPhase = iota
	tagSymbol            // after a symbol that a keycap can follow, but not a tag
	tagExpected          // after a sigil
	tagInside
)

// expect records a symbol. A keycap can follow it and, if tagMayBegin is set, a tag.
func (g *tagState) expect(sign byte, tagMayBegin bool, from int) {
	*g = tagState{phase: tagSymbol, sigil: sign, from: from}
	if tagMayBegin {
		g.phase = tagExpected
	}
}

// demote turns the sigil into a plain symbol: #️ with a variation selector starts a keycap emoji.
func (g *tagState) demote() {
	if g.phase == tagExpected {
		g.phase = tagSymbol
	}
}

// reset drops the sigil, unless the tag has already started.
func (g *tagState) reset() {
	if g.phase != tagInside {
		g.phase = noTag
	}
}

// enter updates the state before a character of a word.
func (g *tagState) enter(c *char, position int) {
	if g.phase == tagInside {
		return
	}
	if g.phase == tagExpected && (g.sigil != '$' || c.flags&isLetter != 0) { // $100 is money
		g.phase, g.first, g.hasLetter = tagInside, position, false
		return
	}
	g.phase = noTag
}

// endTag turns the words read since the sigil into a tag. A single word gets the sigil. Several
// words, which occur only in scripts without spaces, remain in words, and the whole tag is added to
// tags.
func (t *tokenizer) endTag() {
	g := &t.tag
	inside := g.phase == tagInside
	g.phase = noTag
	if !inside {
		return
	}
	if !g.hasLetter {
		t.words = t.words[:g.first] // #___
		return
	}
	switch words := t.words[g.first:]; len(words) {
	case 0:
	case 1:
		words[0].sigil = g.sigil
	default:
		start := len(t.buf)
		for _, w := range words {
			t.buf = append(t.buf, t.bytes(w.text)...)
		}
		start, end := t.normalizeText(start, len(t.buf))
		tag := words[0]
		tag.text = bufRange{int32(start), int32(end)}
		tag.sigil, tag.width = g.sigil, int32(len(words))
		tag.to = words[len(words)-1].to
		tag.plain = tag.text
		tag.hash = hash(t.bytes(tag.text))
		t.addPlain(&tag)
		t.tags = append(t.tags, tag)
	}
}

// readConnector leaves a word pending after punctuation that may connect it, as in don't and
// 10,000.
func (t *tokenizer) readConnector(c *char) {
	if t.pending.kind == wordToken && t.pending.connector == 0 && t.tag.phase == noTag && c.class.mayFollow(t.pending.last) {
		t.pending.connector = c.class
		return
	}
	t.close()
}

// mayFollow reports whether the punctuation mark may connect a word after a character with these
// flags. The rules are those of UAX #29, except that '.' separates.
func (sign class) mayFollow(last flags) bool {
	switch sign {
	case classApostrophe:
		return last&isLetter != 0
	case classQuote:
		return last&isHebrew != 0
	case classComma:
		return last&isDigit != 0
	}
	return false
}

// connects reports whether the punctuation mark connects a word to the character that follows it.
func (sign class) connects(c *char) bool { return c.class == classLetter && sign.mayFollow(c.flags) }

// addConnector adds the pending connector to the word. It retains a comma and drops others.
func (t *tokenizer) addConnector() {
	if t.pending.connector == classComma {
		t.buf = append(t.buf, ',')
	} else {
		t.pending.flags |= skipped
	}
	t.pending.connector = 0
}

// connectsASCII reports whether the ASCII punctuation at the start of rest connects the previous
// character to an ASCII character after it.
func connectsASCII(last flags, rest string) bool {
	if len(rest) < 2 || rest[1] >= utf8.RuneSelf {
		return false
	}
	sign := asciiChars[rest[0]].class
	return sign.mayFollow(last) && sign.connects(&asciiChars[rest[1]])
}

// keycap is U+20E3, the combining enclosing keycap, encoded like char.utf8.
const keycap = 0xA383E2

// readInEmoji adds a character to the pending emoji and reports whether the character belongs to
// it. It drops variation selectors.
func (t *tokenizer) readInEmoji(c *char, from, to int) bool {
	joiner, half := t.pending.afterJoiner, t.pending.halfFlag
	switch {
	case c.class == classJoiner:
		t.pending.afterJoiner = true
		t.pending.flags |= skipped
		return true
	case c.class == classSelector:
		t.pending.to = to
		t.pending.flags |= skipped
		return true
	case c.class == classIgnored:
		t.pending.flags |= skipped
		return true
	case c.class == classMark, c.class == classSubtag, c.class == classModifier:
		t.pending.afterJoiner = false
	case joiner && c.flags&isPictograph != 0:
		t.addJoined(c, from, to)
		return true
	case half && c.flags&isRegional != 0:
		t.pending.afterJoiner, t.pending.halfFlag = false, false
	default:
		return false
	}
	t.addToEmoji(c, from, to)
	return true
}

// addJoined adds a joiner and the joined character to the pending emoji.
func (t *tokenizer) addJoined(c *char, from, to int) {
	undo := len(t.buf)
	t.buf = append(t.buf, "\u200D"...)
	t.pending.afterJoiner, t.pending.halfFlag = false, false
	t.addChar(c, from, to)
	t.cluster.bufStart, t.cluster.afterJoiner = undo, true
}

// addToEmoji is addChar for a further character of an emoji. Marks that follow do not compose with
// it.
func (t *tokenizer) addToEmoji(c *char, from, to int) {
	t.addChar(c, from, to)
	if c.flags&combining == 0 {
		t.cluster = cluster{from: to, bufStart: notBuffered}
	}
}

// addEmoji starts an emoji.
func (t *tokenizer) addEmoji(c *char, from, to int) {
	t.addChar(c, from, to)
	t.pending.kind = emojiToken
	t.pending.halfFlag = c.flags&isRegional != 0
}

// addKeycap replaces the last symbol with a keycap emoji. Digits in keycaps remain numbers.
func (t *tokenizer) addKeycap(frame *char, to int) {
	from, sign := t.tag.from, t.tag.sigil
	t.close()
	t.addEmoji(&asciiChars[sign], from, to)
	t.addToEmoji(frame, from, to)
}

// keycap reports whether the last symbol can have a keycap.
func (g *tagState) keycap() bool {
	return (g.phase == tagSymbol || g.phase == tagExpected) && (g.sigil == '#' || g.sigil == '*')
}
