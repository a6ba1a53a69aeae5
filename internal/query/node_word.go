package query

import (
	"bytes"
	"cmp"
	"slices"
)

// word matches texts in which a term or something like a wildcard stands.
type word struct{ matcher tokenMatcher }

// newTermWord returns the word for a term. Most nodes are such, so both are one
// piece of memory.
func newTermWord(t term) *word {
	made := &struct {
		word word
		term term
	}{term: t}
	made.word.matcher = &made.term
	return &made.word
}

func (n *word) match(in *text) bool { return n.matcher.occursIn(in) }

func (n *word) addSpans(in *text, _ matchEnd, into *spanSet) {
	if n.matcher.occursIn(in) {
		n.matcher.addPositions(in, into.withWidth(n.matcher.width()))
	}
}

// addOtherEnd: a match has one place, which is both of its ends.
func (*word) addOtherEnd(_ *text, _ matchEnd, known, into *spanSet) { known.addAll(into) }

func (n *word) highlight(in *text, into *spanSet) { n.addSpans(in, anyEnd, into) }

func (*word) depth() int              { return 0 }
func (*word) positive(want bool) bool { return want }

func (n *word) prefilter(groups []Clause, _ func(Literal) int) []Clause {
	return append(groups, Clause{n.matcher.literal()})
}

// An tokenMatcher is what a word or phrase consists of: a *term or a *wildcard. It
// stands for one token.
type tokenMatcher interface {
	// occursIn reports whether the element stands in the text.
	occursIn(t *text) bool

	// addPositions adds the positions where it stands.
	addPositions(t *text, at positions)

	// width is how many positions it takes up.
	width() int

	// cacheKey is the same for elements that are.
	cacheKey() any

	// literal is what a text must have for the element to stand in it.
	literal() Literal

	print(b []byte) []byte
}

// A term is a token that a query looks for.
type term struct {
	sigil      byte   // '#', '@', '$', or 0: with any of them or none
	text       string // normalised
	plain      string // text without accents
	hash       uint32 // of plain, as tokens are filed
	tokenWidth int    // in positions: more than 1 for a tag of several words
}

// matches reports whether a token of t is the one looked for. A term without
// accents is found whatever accents the token has; one with accents only in its
// own spelling.
func (m *term) matches(t *tokenizer, tok *token) bool {
	return tok.hash == m.hash &&
		(m.sigil == 0 || m.sigil == tok.sigil) &&
		string(t.bytes(tok.plain)) == m.plain &&
		(m.text == m.plain || string(t.bytes(tok.text)) == m.text) &&
		int(tok.width) == m.tokenWidth
}

func (m *term) occursIn(t *text) bool {
	if t.binding != nil {
		return t.binding.contains(m, t)
	}
	return t.first(m) != nil
}

func (m *term) width() int       { return m.tokenWidth }
func (m *term) literal() Literal { return Literal{Hash: m.hash} }

func (m *term) addPositions(t *text, at positions) {
	if t.binding != nil {
		t.binding.addPositions(m, t, at)
		return
	}
	if len(at) < minCachedWords || !t.cachePositions(m.cacheKey(), at, func(at positions) { m.findPositions(t, at) }) {
		m.findPositions(t, at)
	}
}

func (m *term) cacheKey() any { return *m }

func (m *term) findPositions(t *text, at positions) {
	for tok := t.first(m); tok != nil; tok = t.after(tok, m) {
		at.add(int(tok.position))
	}
}

func (m *term) print(b []byte) []byte {
	if m.sigil != 0 {
		b = append(b, m.sigil)
	}
	return append(b, m.text...)
}

// newTerm returns the term that a token of a query spells. Where that is all the
// query says, as written, no copy is made.
func (t *tokenizer) newTerm(tok *token, written string) term {
	text, plain := t.bytes(tok.text), t.bytes(tok.plain)
	made := term{sigil: tok.sigil, text: written, hash: tok.hash, tokenWidth: int(tok.width)}
	if string(text) != written {
		made.text = string(text)
	}
	made.plain = made.text
	if !bytes.Equal(text, plain) {
		made.plain = string(plain)
	}
	return made
}

// matchers takes a part of a query apart. The result does not share memory with t.
func (t *tokenizer) matchers(text string) []tokenMatcher {
	t.reset()
	t.tokenize(text)
	var elements []tokenMatcher
	for i := 0; i < len(t.words); {
		tok := &t.words[i]
		if tag := t.tagAt(i); tag != nil {
			tok = tag
		}
		elements = append(elements, t.newMatcher(tok, text))
		i += int(tok.width)
	}
	return elements
}

func (t *tokenizer) newMatcher(tok *token, written string) tokenMatcher {
	if t.patterns && bytes.ContainsAny(t.bytes(tok.text), "*?") {
		return t.newWildcard(tok)
	}
	made := t.newTerm(tok, written)
	return &made
}

// tagAt returns the tag of several words that begins at a position, or nil.
func (t *tokenizer) tagAt(position int) *token {
	i, found := slices.BinarySearchFunc(t.tags, int32(position), func(tag token, at int32) int {
		return cmp.Compare(tag.position, at)
	})
	if !found {
		return nil
	}
	return &t.tags[i]
}
