// Package query is the keyword query language: it turns text into tokens,
// parses a query, prints its normal form and decides which posts it selects.
// Its one idea is that a query's words and a post's words go through the same
// tokenizer, so that matching is only a comparison of tokens. What a query
// selects is defined here; a store may narrow by other means first, but returns
// exactly the posts that Match accepts.
//
// The language so far: words, phrases, AND, OR, NOT, parentheses and comments.
// Syntax of the language that is not there yet (reserved.go) is an error and
// never taken for something else.
package query

import (
	"fmt"

	"earshot"
)

// What a query may hold at most.
const (
	maxCharacters = 100_000
	maxTerms      = 10_000 // words and phrases
	maxLevels     = 200    // parentheses within parentheses, as written and in the normal form
)

// A Query is a parsed query. It is immutable and safe for parallel use.
type Query struct {
	root node
}

// Parse reads a query. An error is always a *ParseError.
func Parse(text string) (*Query, error) {
	p, err := newParser(text)
	if err != nil {
		return nil, err
	}
	root, err := p.query()
	if err != nil {
		return nil, err
	}
	return &Query{root: root}, nil
}

// String returns the normal form: operators spelled out, words as they are
// compared, AND and OR never mixed without parentheses. It parses to the same query.
func (q *Query) String() string { return string(q.root.print(nil)) }

// Match reports whether the query selects the document.
func (q *Query) Match(d *Document) bool { return q.root.match(d) }

// A ParseError says what is wrong with a query, and where.
type ParseError struct {
	Position int // in characters, from 1
	Message  string
}

func (e *ParseError) Error() string {
	return fmt.Sprintf("Invalid keywords at position %d: %s", e.Position, e.Message)
}

// Unwrap makes the error one that the caller of the interface is meant to read.
func (e *ParseError) Unwrap() error {
	return &earshot.Error{Kind: earshot.Invalid, Message: e.Error()}
}

func errorAt(position int, format string, args ...any) *ParseError {
	return &ParseError{Position: position, Message: fmt.Sprintf(format, args...)}
}
