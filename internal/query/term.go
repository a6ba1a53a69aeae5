package query

import (
	"bytes"
	"cmp"
	"slices"
)

// A term is a token that a query looks for.
type term struct {
	sigil byte   // '#', '@', '$', or 0: with any of them or none
	text  string // normalised
	plain string // text without accents
	hash  uint32 // of plain, as tokens are filed
}

// matches reports whether a token of d is the one looked for. A term without
// accents is found whatever accents the token has; one with accents only in its
// own spelling.
func (t *term) matches(d *Document, tok *token) bool {
	return tok.hash == t.hash &&
		(t.sigil == 0 || t.sigil == tok.sigil) &&
		string(d.bytes(tok.plain)) == t.plain &&
		(t.text == t.plain || string(d.bytes(tok.text)) == t.text)
}

// terms tokenizes a part of a query. The result does not share memory with t.
func (t *tokenizer) terms(text string) []*term {
	t.reset()
	t.tokenize(text)
	var terms []*term
	for i := 0; i < len(t.words); {
		tok := &t.words[i]
		if tag := t.tagAt(i); tag != nil {
			tok = tag
		}
		terms = append(terms, t.newTerm(tok))
		i += int(tok.width)
	}
	return terms
}

func (t *tokenizer) newTerm(tok *token) *term {
	text, plain := t.bytes(tok.text), t.bytes(tok.plain)
	made := &term{sigil: tok.sigil, text: string(text), hash: tok.hash}
	made.plain = made.text
	if !bytes.Equal(text, plain) {
		made.plain = string(plain)
	}
	return made
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
