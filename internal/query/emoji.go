package query

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
