// Package query is the keyword query language: it tokenizes text, parses a query, prints
// its normal form and decides which posts it selects. Its one idea is that queries and
// posts go through the same tokenizer, so that matching is only a comparison of tokens.
// This package defines what a query selects; a store may prefilter by other means, but
// returns exactly the posts that Match accepts.
//
//	"new york" OR nyc
//	   lex*.go, parse*.go      text -> syntax tree (node*.go); print.go is the reverse
//	   tokenize*.go, char.go   text -> tokens, for queries and posts alike
//	   document.go, text.go    the tokens of a post, in a hash table
//	   positions.go            sets of token positions, for phrases and distances
//	   prefilter.go            tokens that a matching post must have
//	   bind.go, select*.go     the same query on an index of many posts
//	   highlight.go            what to show of a match, and excerpt.go around it
package query

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"sync"

	"earshot"
)

// Limits of a query. They bound the time and memory that one query costs, far above what
// people write.
const (
	maxCharacters = 100_000
	maxTerms      = 10_000 // words and phrases
	maxDepth      = 200    // nested parentheses, as written and in the normal form
)

// A Query is a parsed query. It is immutable and safe for parallel use.
type Query struct {
	root node
}

// Parse reads a query in lenient mode. An error is always a *ParseError.
func Parse(text string) (*Query, error) {
	r := Lint(text, Lenient)
	if len(r.Errors) > 0 {
		return nil, &r.Errors[0]
	}
	return r.Query, nil
}

// String returns the normal form: operators spelled out, words normalized, AND and OR never
// mixed without parentheses. It parses to the same query.
func (q *Query) String() string { return string(q.root.print(nil)) }

// Match reports whether the query selects the document.
func (q *Query) Match(d *Document) bool { return q.root.match(&d.main) }

// A Mode says how a query is read.
type Mode int

const (
	// Lenient accepts the languages of two families of tools.
	Lenient Mode = iota

	// Strict rejects what the stricter family does: AND and OR mixed without parentheses,
	// NEAR after NEAR without parentheses, and AND in an operand of NEAR.
	Strict
)

// A Report is the result of Lint. Query is nil when there are errors.
type Report struct {
	Query    *Query
	Errors   []ParseError // in the order of their positions
	Warnings []Warning    // likewise
}

// A Warning says what may be unintended in a query, and where.
type Warning struct {
	Position int // in characters, from 1
	Message  string
}

// A ParseError says what is wrong with a query, and where.
type ParseError struct {
	Position int // in characters, from 1
	Message  string
}

func (e *ParseError) Error() string {
	return fmt.Sprintf("Invalid keywords at position %d: %s", e.Position, e.Message)
}

// Unwrap makes the error one that the caller of the API should read.
func (e *ParseError) Unwrap() error {
	return &earshot.Error{Kind: earshot.Invalid, Message: e.Error()}
}

func errorAt(position int, format string, args ...any) *ParseError {
	return &ParseError{Position: position, Message: fmt.Sprintf(format, args...)}
}

// Lint parses a query and reports all errors and warnings. It stops at the first error that
// leaves the meaning open.
func Lint(text string, mode Mode) Report {
	p := parsers.Get().(*parser)
	defer func() {
		p.report = nil // the caller may retain it, the parser must not
		parsers.Put(p)
	}()
	*p = parser{lexer: p.lexer, tokenizer: p.tokenizer, open: p.open[:0], mode: mode, report: new(Report)}
	p.tokenizer.patterns = true
	root, err := p.parse(text)
	if parseErr, ok := errors.AsType[*ParseError](err); ok {
		p.report.Errors = append(p.report.Errors, *parseErr)
	}
	slices.SortStableFunc(p.report.Errors, func(a, b ParseError) int { return cmp.Compare(a.Position, b.Position) })
	slices.SortStableFunc(p.report.Warnings, func(a, b Warning) int { return cmp.Compare(a.Position, b.Position) })
	if len(p.report.Errors) == 0 {
		p.report.Query = &Query{root: root}
	}
	return *p.report
}

// parsers recycles the memory of parsers, which makes parsing the queries of many monitors
// much faster.
var parsers = sync.Pool{New: func() any {
	p := new(parser)
	p.lexer.warn = p.warn
	return p
}}

// warn adds a warning, up to a limit.
func (p *parser) warn(position int, format string, args ...any) {
	const maxWarnings = 100 // nobody reads more
	w := Warning(*errorAt(position, format, args...))
	if n := len(p.report.Warnings); n < maxWarnings && (n == 0 || p.report.Warnings[n-1] != w) {
		p.report.Warnings = append(p.report.Warnings, w)
	}
}

// warnOrReject adds a warning or, in strict mode, an error.
func (p *parser) warnOrReject(position int, format string, args ...any) {
	if p.mode != Strict {
		p.warn(position, format, args...)
	} else if len(p.report.Errors) == 0 || p.report.Errors[len(p.report.Errors)-1].Position != position {
		p.report.Errors = append(p.report.Errors, *errorAt(position, format, args...))
	}
}

// advance reads the next item.
func (p *parser) advance() (err error) {
	p.item, err = p.lexer.next()
	return err
}
