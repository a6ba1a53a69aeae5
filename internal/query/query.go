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
