package query

import "unicode/utf8"

// A tagState is the state of reading a tag: a sigil and the word behind it.
type tagState struct {
	phase     tagPhase
	sigil     byte
	hasLetter bool // has a letter or digit
	first     int  // position of its first word
	from      int  // of the sigil
}

type tagPhase uint8

const (
	noTag       tagPhase = iota
	tagSymbol            // after a sign that no tag follows, but the frame of a keycap may
	tagExpected          // after a sigil
	tagInside
)

// expect takes note of a sign after which a tag may begin, or only a keycap.
func (g *tagState) expect(sign byte, tagMayBegin bool, from int) {
	*g = tagState{phase: tagSymbol, sigil: sign, from: from}
	if tagMayBegin {
		g.phase = tagExpected
	}
}

// demote makes the sigil a mere sign: #️ with a selector is an emoji of a keycap.
func (g *tagState) demote() {
	if g.phase == tagExpected {
		g.phase = tagSymbol
	}
}

// reset forgets the sigil, unless there is something of the tag already.
func (g *tagState) reset() {
	if g.phase != tagInside {
		g.phase = noTag
	}
}

// enter is called before a character of a word.
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

// endTag makes a tag of the words read since its sigil, if one is being read: they
// stay as they are, as everywhere, and besides them the tag as a whole is added when
// it has several. Only scripts without spaces put several words in a tag.
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
		t.addTag(g.sigil, words)
	}
}

// addTag adds a tag of several words.
func (t *tokenizer) addTag(sigil byte, words []token) {
	whole := words[0]
	start := len(t.buf)
	for _, w := range words {
		t.buf = append(t.buf, t.bytes(w.text)...)
	}
	start, end := t.normalizeText(start, len(t.buf))
	whole.text = bufRange{int32(start), int32(end)}
	whole.sigil, whole.width = sigil, int32(len(words))
	whole.to = words[len(words)-1].to
	whole.plain = whole.text
	whole.hash = hash(t.bytes(whole.text))
	t.addPlain(&whole)
	t.tags = append(t.tags, whole)
}

// readConnector keeps a word open after a sign that may hold it together: don't, 10,000.
func (t *tokenizer) readConnector(c *char) {
	if t.pending.kind == wordToken && t.pending.connector == 0 && t.tag.phase == noTag && c.class.mayFollow(t.pending.last) {
		t.pending.connector = c.class
		return
	}
	t.close()
}

// mayFollow reports whether the sign may hold a word together after a character.
// It follows UAX #29 but for '.', which separates.
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

// connects reports whether the sign holds a word together before a character.
func (sign class) connects(c *char) bool { return c.class == classLetter && sign.mayFollow(c.flags) }

// addConnector puts the joint into the word: a comma stays, the others are left out.
func (t *tokenizer) addConnector() {
	if t.pending.connector == classComma {
		t.buf = append(t.buf, ',')
	} else {
		t.pending.flags |= skipped
	}
	t.pending.connector = 0
}

// connectsASCII reports whether the ASCII sign that rest begins with holds a word together
// between a character and an ASCII one.
func connectsASCII(last flags, rest string) bool {
	if len(rest) < 2 || rest[1] >= utf8.RuneSelf {
		return false
	}
	sign := asciiChars[rest[0]].class
	return sign.mayFollow(last) && sign.connects(&asciiChars[rest[1]])
}

// keycap is the frame of a key, U+20E3, as char.utf8 has it.
const keycap = 0xA383E2

// readInEmoji continues the open emoji with a character, if it belongs to it.
// Whether an emoji asks to be shown in colour makes no difference.
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

// addJoined adds a joiner and what it joins to the open emoji.
func (t *tokenizer) addJoined(c *char, from, to int) {
	undo := len(t.buf)
	t.buf = append(t.buf, "\u200D"...)
	t.pending.afterJoiner, t.pending.halfFlag = false, false
	t.addChar(c, from, to)
	t.cluster.bufStart, t.cluster.afterJoiner = undo, true
}

// addToEmoji is add for what is part of an emoji already begun: marks that follow do
// not compose with it.
func (t *tokenizer) addToEmoji(c *char, from, to int) {
	t.addChar(c, from, to)
	if c.flags&combining == 0 {
		t.cluster = cluster{from: to, bufStart: notBuffered}
	}
}

// addEmoji begins an emoji.
func (t *tokenizer) addEmoji(c *char, from, to int) {
	t.addChar(c, from, to)
	t.pending.kind = emojiToken
	t.pending.halfFlag = c.flags&isRegional != 0
}

// addKeycap makes an emoji of the sign read last and the frame around it. Digits in
// one are numbers all the same.
func (t *tokenizer) addKeycap(frame *char, to int) {
	from, sign := t.tag.from, t.tag.sigil
	t.close()
	t.addEmoji(&asciiChars[sign], from, to)
	t.addToEmoji(frame, from, to)
}

// keycap reports whether the last sign is one of those that have a keycap.
func (g *tagState) keycap() bool {
	return (g.phase == tagSymbol || g.phase == tagExpected) && (g.sigil == '#' || g.sigil == '*')
}
