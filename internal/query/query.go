// Package query is the keyword query language: it turns text into tokens,
// parses a query, prints its normal form and decides which posts it selects.
// Its one idea is that a query's words and a post's words go through the same
// tokenizer, so that matching is only a comparison of tokens. What a query
// selects is defined here; a store may narrow by other means first, but returns
// exactly the posts that Match accepts.
//
// A query is a tree of nodes, one file for each kind: word, phrase, raw, near,
// window, textfield, valuefield, rangefield, boolean. Those that stand somewhere
// in a text say so with sets of positions, on which phrases and distances are
// computed (positions.go, pool.go).
package query

import (
	"cmp"
	"fmt"
	"slices"
	"sync"

	"earshot"
)

// What a query may hold at most.
const (
	maxCharacters = 100_000
	maxTerms      = 10_000 // words and phrases
	maxDepth      = 200    // parentheses within parentheses, as written and in the normal form
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

// String returns the normal form: operators spelled out, words as they are
// compared, AND and OR never mixed without parentheses. It parses to the same query.
func (q *Query) String() string { return string(q.root.print(nil)) }

// Match reports whether the query selects the document.
func (q *Query) Match(d *Document) bool { return q.root.match(&d.main) }

// A Mode says how a query is read.
type Mode int

const (
	// Lenient takes the language of two families of tools together.
	Lenient Mode = iota

	// Strict refuses what the stricter of them does: AND and OR mixed without
	// parentheses, NEAR after NEAR without parentheses, and AND in an operand of NEAR.
	Strict
)

// A Report is what Lint finds. Query is nil when there are errors.
type Report struct {
	Query    *Query
	Errors   []ParseError // in the order of their positions
	Warnings []Warning    // likewise
}

// A Warning says what a query may not have been meant to say, and where.
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

// Unwrap makes the error one that the caller of the interface is meant to read.
func (e *ParseError) Unwrap() error {
	return &earshot.Error{Kind: earshot.Invalid, Message: e.Error()}
}

func errorAt(position int, format string, args ...any) *ParseError {
	return &ParseError{Position: position, Message: fmt.Sprintf(format, args...)}
}

// Lint reads a query and reports all there is to say of it. It stops at the first
// error that leaves the meaning open.
func Lint(text string, mode Mode) Report {
	p := parsers.Get().(*parser)
	defer func() {
		p.report = nil // whoever asked may keep it, the parser not
		parsers.Put(p)
	}()
	*p = parser{lexer: p.lexer, tokenizer: p.tokenizer, open: p.open[:0], mode: mode, report: new(Report)}
	p.tokenizer.patterns = true
	root, err := p.parse(text)
	if err != nil {
		p.report.Errors = append(p.report.Errors, *err.(*ParseError))
	}
	slices.SortStableFunc(p.report.Errors, func(a, b ParseError) int { return cmp.Compare(a.Position, b.Position) })
	slices.SortStableFunc(p.report.Warnings, func(a, b Warning) int { return cmp.Compare(a.Position, b.Position) })
	if len(p.report.Errors) == 0 {
		p.report.Query = &Query{root: root}
	}
	return *p.report
}

// parsers keeps parsers for their memory. A list of monitors is read in no time
// when each query does not begin with none.
var parsers = sync.Pool{New: func() any {
	p := new(parser)
	p.lexer.warn = p.warn
	return p
}}

func (p *parser) parse(text string) (node, error) {
	if err := p.lexer.reset(text); err != nil {
		return nil, err
	}
	if err := p.advance(); err != nil {
		return nil, err
	}
	return p.query()
}

// warn adds a warning. After the first hundred the user has seen enough.
func (p *parser) warn(position int, format string, args ...any) {
	const enough = 100
	w := Warning(*errorAt(position, format, args...))
	if n := len(p.report.Warnings); n < enough && (n == 0 || p.report.Warnings[n-1] != w) {
		p.report.Warnings = append(p.report.Warnings, w)
	}
}

// warnOrReject warns of what strict mode does not allow; in strict mode it is an error.
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
