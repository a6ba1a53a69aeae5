package query

import (
	"bytes"
	"cmp"
	"slices"
)

// An element is what a word or phrase consists of: a *term or a *wildcard. It
// stands for one token.
type element interface {
	// in reports whether the element stands in the text.
	in(t *text) bool

	// mark adds the positions where it stands.
	mark(t *text, at positions)

	// span is how many positions it takes up.
	span() int

	// value is the same for elements that are.
	value() any

	// key is what a text must have for the element to stand in it.
	key() Literal

	print(b []byte) []byte
}

// A term is a token that a query looks for.
type term struct {
	sigil byte   // '#', '@', '$', or 0: with any of them or none
	text  string // normalised
	plain string // text without accents
	hash  uint32 // of plain, as tokens are filed
	width int    // in positions: more than 1 for a tag of several words
}

// matches reports whether a token of t is the one looked for. A term without
// accents is found whatever accents the token has; one with accents only in its
// own spelling.
func (m *term) matches(t *tokenizer, tok *token) bool {
	return tok.hash == m.hash &&
		(m.sigil == 0 || m.sigil == tok.sigil) &&
		string(t.bytes(tok.plain)) == m.plain &&
		(m.text == m.plain || string(t.bytes(tok.text)) == m.text) &&
		int(tok.width) == m.width
}

func (m *term) in(t *text) bool {
	if t.bound != nil {
		return t.bound.has(m, t)
	}
	return t.first(m) != nil
}

func (m *term) span() int    { return m.width }
func (m *term) key() Literal { return Literal{Hash: m.hash} }

func (m *term) mark(t *text, at positions) {
	if t.bound != nil {
		t.bound.mark(m, t, at)
		return
	}
	if len(at) < longText || !t.recall(m.value(), at, func(at positions) { m.walk(t, at) }) {
		m.walk(t, at)
	}
}

func (m *term) value() any { return *m }

func (m *term) walk(t *text, at positions) {
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
	made := term{sigil: tok.sigil, text: written, hash: tok.hash, width: int(tok.width)}
	if string(text) != written {
		made.text = string(text)
	}
	made.plain = made.text
	if !bytes.Equal(text, plain) {
		made.plain = string(plain)
	}
	return made
}

// elements takes a part of a query apart. The result does not share memory with t.
func (t *tokenizer) elements(text string) []element {
	t.reset()
	t.tokenize(text)
	var elements []element
	for i := 0; i < len(t.words); {
		tok := &t.words[i]
		if tag := t.tagAt(i); tag != nil {
			tok = tag
		}
		elements = append(elements, t.newElement(tok, text))
		i += int(tok.width)
	}
	return elements
}

func (t *tokenizer) newElement(tok *token, written string) element {
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
