package clickhouse

import (
	"earshot/internal/poststore/clickhouse/chhttp"
	"earshot/internal/query"
	"earshot/internal/query/watchlist"
)

// A compiler compiles conditions to SQL over the columns of table posts, of rows in set 0. All
// values are bound as parameters.
//
//	acme NEAR/3 (pie OR "apple tart") -recall
//
//	has(splitByChar(' ', words), 'acme')                    the text index finds candidates
//	AND (has(splitByChar(' ', words), 'pie') OR hasAll(splitByChar(' ', words), ['apple', 'tart']))
//	AND arrayExists(…, splitByChar(' ', words))             positions decide: where_spans.go
//	AND NOT has(splitByChar(' ', words), 'recall')
//
// The functions of arrays mean the same with and without the index. Functions of texts, such as
// hasAllTokens, do not: without the index they split the text in another way.
//
// What SQL cannot decide, such as {exact text}, compiles to an approximation: a superset of the
// posts or, below an odd number of NOTs, a subset. The result is then a superset as a whole, and
// [watchlist.Condition.Match] decides its posts.
type compiler struct {
	args *chhttp.Args

	prefixes map[string][]string // the tokens of words that start with a prefix, where known
	wanted   func(prefix string) // if not nil, called with the prefixes whose tokens are unknown

	size   int               // length of the SQL so far, for maxSize
	params int               // number of placeholders so far, for maxParams
	bound  map[string]string // placeholders of strings
}

// bind returns the placeholder of a string. Expressions on positions repeat, so equal strings share
// one.
func (c *compiler) bind(value string) string {
	placeholder, ok := c.bound[value]
	if !ok {
		if c.bound == nil {
			c.bound = map[string]string{}
		}
		placeholder = c.args.String(value)
		c.bound[value] = placeholder
		c.params++
	}
	return placeholder
}

// bindList returns the placeholder of an array of strings.
func (c *compiler) bindList(values []string) string {
	c.params++
	return c.args.Strings(values)
}

// bindInt returns the placeholder of a number.
func (c *compiler) bindInt(value int64) string {
	c.params++
	return c.args.Int(value)
}

// isFull reports whether the condition is so long that further parts are approximated.
func (c *compiler) isFull() bool { return c.size > maxSize || c.params > maxParams }

const (
	// maxSize limits the SQL of a condition in bytes, because the server reads at most 256 KiB
	// (max_query_size). What would exceed it is approximated.
	maxSize = 100 << 10

	// maxParams limits the number of placeholders. Conditions with more are faster to approximate.
	maxParams = 500

	// maxNesting limits nested ANDs, ORs and NOTs, because the server's parser has a limit, too
	// (max_parser_depth). Deeper parts are approximated.
	maxNesting = 50
)

// where returns a SQL condition that holds for every post that the condition matches. If exact, it
// holds for no others.
func (c *compiler) where(cond *watchlist.Condition) (expr string, exact bool) {
	p := c.condition(cond.Formula())
	return c.sql(p), p.exact
}

// keywords compiles the keywords of a condition: see formula.
func (c *compiler) keywords(f query.Formula) predicate {
	return c.formula(f, scope{text: wholeText, superset: true})
}

// A scope is where a formula is evaluated.
type scope struct {
	text     section
	superset bool // how to approximate: false below an odd number of NOTs
	nesting  int
}

// formula compiles a formula.
func (c *compiler) formula(f query.Formula, in scope) predicate {
	if in.nesting++; in.nesting > maxNesting || c.isFull() {
		return undecided(in.superset)
	}
	switch f := f.(type) {
	case query.AllOf:
		return c.all(c.formulas(f, in)...)
	case query.AnyOf:
		return c.any(c.formulas(f, in)...)
	case query.Not:
		in.superset = !in.superset
		return c.negate(c.formula(f.Operand, in))
	case query.HasWord:
		return c.word(f.Pattern, in)
	case query.HasPhrase:
		return c.phrase(f, in)
	case query.HasExact:
		return c.exactText(f, in)
	case query.HasNear, query.HasWindow:
		return c.spans(f, in)
	case query.InText:
		switch f.Field {
		case "title":
			in.text = titleText
			return c.formula(f.Operand, in)
		case "contents":
			in.text = contentsText
			return c.formula(f.Operand, in)
		case "author":
			in.text = authorText
			return c.formula(f.Operand, in)
		}
	case query.HasValue:
		return c.value(f, in)
	case query.InRange:
		return c.number(f, in)
	}
	return undecided(in.superset)
}

func (c *compiler) formulas(list []query.Formula, in scope) []predicate {
	made := make([]predicate, len(list))
	for i, f := range list {
		made[i] = c.formula(f, in)
	}
	return made
}
