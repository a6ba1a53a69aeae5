package query

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
