package query

import (
	"bytes"
	"cmp"
	"slices"
)

// word matches texts in which a term or a wildcard occurs.
type word struct{ matcher tokenMatcher }

// newTermWord returns the word for a term. Most nodes are words of terms, so both share one
// allocation.
func newTermWord(t term) *word {
	made := &struct {
		word word
		term term
	}{term: t}
	made.word.matcher = &made.term
	return &made.word
}

func (n *word) match(in *text) bool { return n.matcher.occursIn(in) }

func (n *word) addSpans(in *text, _ matchEnd, dst *spanSet) {
	if n.matcher.occursIn(in) {
		n.matcher.addPositions(in, dst.withWidth(n.matcher.width()))
	}
}

// addOtherEnd copies known, because a match is a single span and thus both of its ends.
func (*word) addOtherEnd(_ *text, _ matchEnd, known, dst *spanSet) { known.addAll(dst) }

func (n *word) highlight(in *text, dst *spanSet) { n.addSpans(in, anyEnd, dst) }

func (*word) depth() int              { return 0 }
func (*word) positive(want bool) bool { return want }

func (n *word) prefilter(clauses []Clause, _ func(Literal) int) []Clause {
	return append(clauses, Clause{n.matcher.literal()})
}

// A tokenMatcher matches a single token. It is a [*term] or a [*wildcard]. Words and phrases
// consist of matchers.
type tokenMatcher interface {
	// occursIn reports whether the text has a matching token.
	occursIn(t *text) bool

	// addPositions adds the positions of the matching tokens to dst.
	addPositions(t *text, dst positions)

	// width returns the number of positions that a match covers.
	width() int

	// literal returns a literal that holds for every text in which the matcher occurs.
	literal() Literal

	print(b []byte) []byte
}

// A term is a token that a query searches for.
type term struct {
	sigil      byte   // '#', '@' or '$'; 0 matches tokens with any sigil or none
	text       string // normalized
	plain      string // text without accents
	hash       uint32 // of plain
	tokenWidth int    // in positions: more than 1 for a tag of several words
}

// matches reports whether m matches a token of t. A term without accents matches a token with any
// accents. A term with accents matches only its own spelling.
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

func (m *term) addPositions(t *text, dst positions) {
	if t.binding != nil {
		t.binding.addPositions(m, t, dst)
		return
	}
	for first := t.first(m); first != nil; first = t.search(first.next, m) {
		t.addRepeats(first, dst)
	}
}

func (m *term) print(b []byte) []byte {
	if m.sigil != 0 {
		b = append(b, m.sigil)
	}
	return append(b, m.text...)
}

// newTerm returns the term for a query token. If the token is spelled like its source, both share
// memory.
func (t *tokenizer) newTerm(tok *token, source string) term {
	text, plain := t.bytes(tok.text), t.bytes(tok.plain)
	made := term{sigil: tok.sigil, text: source, hash: tok.hash, tokenWidth: int(tok.width)}
	if string(text) != source {
		made.text = string(text)
	}
	made.plain = made.text
	if !bytes.Equal(text, plain) {
		made.plain = string(plain)
	}
	return made
}

// matchers tokenizes part of a query. The result does not share memory with t.
func (t *tokenizer) matchers(text string) []tokenMatcher {
	t.reset()
	t.tokenize(text)
	var matchers []tokenMatcher
	for i := 0; i < len(t.words); {
		tok := &t.words[i]
		if tag := t.tagAt(i); tag != nil {
			tok = tag
		}
		if t.patterns && bytes.ContainsAny(t.bytes(tok.text), "*?") {
			matchers = append(matchers, t.newWildcard(tok))
		} else {
			made := t.newTerm(tok, text)
			matchers = append(matchers, &made)
		}
		i += int(tok.width)
	}
	return matchers
}

// tagAt returns the multi-word tag that starts at a position, or nil.
func (t *tokenizer) tagAt(position int) *token {
	i, found := slices.BinarySearchFunc(t.tags, int32(position), func(tag token, at int32) int {
		return cmp.Compare(tag.position, at)
	})
	if !found {
		return nil
	}
	return &t.tags[i]
}
