// Package query implements the keyword query language of monitors, filters and analyses. It parses
// a query, prints its normal form, and decides which posts the query selects.
//
// Queries and posts go through the same tokenizer, so matching only compares tokens. The tokenizer
// also normalizes case, character width and Unicode composition. [Query.Match] defines what a query
// selects. A store may use an index to find candidates, but must return exactly the posts that
// Match accepts.
//
//	("new york" OR nyc) AND pizza            Best pizza in New York!
//	          |                                        |
//	          | lex*.go, parse*.go                     | document.go, text.go
//	          |               tokenize*.go             |
//	          v                                        v
//	    and                                  best pizza in new york
//	     |-- or                              0    1     2  3   4
//	     |    |-- phrase new york                      |
//	     |    `-- word nyc                             |
//	     `-- word pizza                                |
//	          |                                        |
//	          '----> match: new york at 3, pizza at 1 <'
//
// An example:
//
//	q, err := query.Parse(`("new york" OR nyc) pizza`)
//	d := query.NewDocument(&earshot.Post{Contents: "Best pizza in New York!"})
//	q.Match(d)  // true
//	q.Spans(d)  // the bytes of "pizza" and of "New York"
//	q.String()  // ("new york" OR nyc) AND pizza
//
// Files:
//
//	lex*.go, parse*.go      text -> syntax tree (node*.go); print.go does the reverse
//	tokenize*.go, char.go   text -> tokens, for queries and posts alike
//	document.go, text.go    the tokens of a post, in a hash table
//	positions.go            sets of token positions, for phrases and distances
//	prefilter.go            tokens that a matching post must have; package watchlist uses them
//	bind.go, select*.go     the same query on an index of many posts
//	formula.go              the meaning of a query, for engines that compile it to another language
//	form*.go, uses.go       a query as the fields of a form, and as a list of its words
//	similar.go              words that are spelled like another
//	highlight.go            what to highlight in a match; excerpt.go shortens the text around it
package query

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"sync"

	"earshot"
)

// Limits of a query. They bound the time and memory that one query costs, and are far above what
// people write.
const (
	maxCharacters = 100_000
	maxTerms      = 10_000 // words and phrases
	maxDepth      = 200    // nested parentheses, as written and in the normal form
)

// A Query is a parsed query. It is immutable and safe for concurrent use.
type Query struct {
	root node
}

// Parse parses a query in [Lenient] mode. A non-nil error is always a [*ParseError].
func Parse(text string) (*Query, error) {
	r := Lint(text, Lenient)
	if len(r.Errors) > 0 {
		return nil, &r.Errors[0]
	}
	return r.Query, nil
}

// String returns the normal form of the query: operators spelled out, words normalized, and
// parentheses wherever AND and OR mix. Parsing the normal form returns an equal query.
func (q *Query) String() string { return string(q.root.print(nil)) }

// Match reports whether the query selects the document.
func (q *Query) Match(d *Document) bool { return q.root.match(&d.main) }

// A Mode selects how strictly [Lint] reads a query.
type Mode int

const (
	// Lenient accepts a superset of the two families of query languages that people are used to.
	Lenient Mode = iota

	// Strict rejects what the stricter family rejects: AND and OR mixed without parentheses,
	// chained NEAR without parentheses, AND in an operand of NEAR, and values that a field never has.
	Strict
)

// A Report is the result of [Lint]. Query is nil if there are errors.
type Report struct {
	Query    *Query
	Errors   []ParseError // sorted by position
	Warnings []Warning    // sorted by position, at most 100
}

// A Warning describes something in a query that may be unintended.
type Warning struct {
	Position int // in characters, from 1
	Message  string
}

// A ParseError describes why a query is invalid. Its text is for people, for example "Invalid
// keywords at position 7: unclosed quote opened at 7".
type ParseError struct {
	Position int // in characters, from 1
	Message  string
}

func (e *ParseError) Error() string {
	return fmt.Sprintf("Invalid keywords at position %d: %s", e.Position, e.Message)
}

// Unwrap returns an [earshot.Invalid] error, so the API shows the message to the caller.
func (e *ParseError) Unwrap() error {
	return &earshot.Error{Kind: earshot.Invalid, Message: e.Error()}
}

func errorAt(position int, format string, args ...any) *ParseError {
	return &ParseError{Position: position, Message: fmt.Sprintf(format, args...)}
}

// Lint parses a query and reports all errors and warnings. It stops at the first error that leaves
// the meaning of the query undefined.
func Lint(text string, mode Mode) Report { return lint(text, mode, nil) }

// lint is Lint. If written is not nil, it also receives how the query is written.
func lint(text string, mode Mode, written *spelling) Report {
	p := parsers.Get().(*parser)
	defer func() {
		p.report, p.written = nil, nil // the caller may retain them, the parser must not
		parsers.Put(p)
	}()
	*p = parser{lexer: p.lexer, tokenizer: p.tokenizer, open: p.open[:0], mode: mode, report: new(Report), written: written}
	p.tokenizer.patterns = true
	root, err := p.parse(text)
	if parseErr, ok := errors.AsType[*ParseError](err); ok {
		p.report.Errors = append(p.report.Errors, *parseErr)
	}
	if written != nil {
		written.hasComments = p.lexer.hasComments
	}
	slices.SortStableFunc(p.report.Errors, func(a, b ParseError) int { return cmp.Compare(a.Position, b.Position) })
	slices.SortStableFunc(p.report.Warnings, func(a, b Warning) int { return cmp.Compare(a.Position, b.Position) })
	if len(p.report.Errors) == 0 {
		p.report.Query = &Query{root: root}
	}
	return *p.report
}

// parsers is a pool of parsers. Reusing their memory makes parsing the queries of many monitors
// much faster.
var parsers = sync.Pool{New: func() any {
	p := new(parser)
	p.lexer.warn = p.warn
	return p
}}

// warn adds a warning, up to a limit, unless it repeats the previous one.
func (p *parser) warn(position int, format string, args ...any) {
	const maxWarnings = 100 // people do not read more
	w := Warning(*errorAt(position, format, args...))
	if n := len(p.report.Warnings); n < maxWarnings && (n == 0 || p.report.Warnings[n-1] != w) {
		p.report.Warnings = append(p.report.Warnings, w)
	}
}

// warnOrReject adds a warning in lenient mode and an error in strict mode.
func (p *parser) warnOrReject(position int, format string, args ...any) {
	if p.mode != Strict {
		p.warn(position, format, args...)
	} else if len(p.report.Errors) == 0 || p.report.Errors[len(p.report.Errors)-1].Position != position {
		p.report.Errors = append(p.report.Errors, *errorAt(position, format, args...))
	}
}

// advance reads the next item into p.item.
func (p *parser) advance() (err error) {
	p.item, err = p.lexer.next()
	return err
}
