package clickhouse

import (
	"slices"
	"strings"
)

// A predicate is a condition on the columns of a post.
type predicate struct {
	sql   string // "1" always holds, "0" never
	exact bool   // otherwise the predicate is an approximation

	// If one of these is not empty, it is the predicate, and sql is empty. Lists of such predicates
	// need only one function call.
	token  string   // words has this token
	phrase []string // words has these tokens one after another
	prefix string   // words has a token that starts with this
}

var (
	alwaysHolds = predicate{sql: "1", exact: true}
	neverHolds  = predicate{sql: "0", exact: true}
)

// undecided returns the approximation of what SQL cannot decide: all posts as a superset, or none
// as a subset.
func undecided(superset bool) predicate {
	if superset {
		return predicate{sql: "1"}
	}
	return predicate{sql: "0"}
}

func (c *compiler) expression(parts ...string) predicate {
	sql := strings.Join(parts, "")
	c.size += len(sql)
	return predicate{sql: sql, exact: true}
}

// sql returns the SQL of a predicate.
func (c *compiler) sql(p predicate) string {
	switch {
	case p.token != "":
		return "has(" + allWords + ", " + c.bind(p.token) + ")"
	case len(p.phrase) > 0:
		return "(" + c.hasAll(p.phrase) + " AND position(words, " + c.bind(" "+strings.Join(p.phrase, " ")+" ") + ") > 0)"
	case p.prefix != "":
		return "position(words, " + c.bind(" "+p.prefix) + ") > 0"
	}
	return p.sql
}

// allWords is the expression of the text index.
const allWords = "splitByChar(' ', words)"

// hasAll returns the SQL of a condition that words has all tokens.
func (c *compiler) hasAll(tokens []string) string { return c.inChunks("hasAll", " AND ", tokens) }

// hasAny returns the SQL of a condition that words has one of the tokens.
func (c *compiler) hasAny(tokens []string) string { return c.inChunks("hasAny", " OR ", tokens) }

// inChunks calls a function with few enough tokens for one parameter each time.
func (c *compiler) inChunks(function, operator string, tokens []string) string {
	const maxTokens, maxBytes = 4096, 32 << 10
	tokens = slices.Clone(tokens)
	slices.Sort(tokens)
	tokens = slices.Compact(tokens)
	var calls []string
	for first, size := 0, 0; first < len(tokens); {
		end := first
		for size = 0; end < len(tokens) && end-first < maxTokens && (end == first || size+len(tokens[end]) < maxBytes); end++ {
			size += len(tokens[end])
		}
		calls = append(calls, function+"("+allWords+", "+c.bindList(tokens[first:end])+")")
		first = end
	}
	sql := strings.Join(calls, operator)
	if len(calls) > 1 {
		sql = "(" + sql + ")"
	}
	c.size += len(sql)
	return sql
}

// all returns the conjunction of predicates.
func (c *compiler) all(list ...predicate) predicate {
	made := predicate{exact: true}
	var tokens []string
	var parts []predicate
	for _, p := range list {
		switch {
		case p.sql == "0" && p.exact:
			return neverHolds
		case p.token != "":
			tokens = append(tokens, p.token)
		case p.sql != "1":
			parts = append(parts, p)
		}
		made.exact = made.exact && p.exact
	}
	switch {
	case len(tokens) == 0 && len(parts) == 0:
		return predicate{sql: "1", exact: made.exact}
	case len(tokens) == 1 && len(parts) == 0:
		return predicate{token: tokens[0], exact: made.exact}
	case len(tokens) == 0 && len(parts) == 1:
		parts[0].exact = made.exact
		return parts[0]
	}
	var conditions []string
	if len(tokens) > 1 {
		conditions = append(conditions, c.hasAll(tokens))
	} else if len(tokens) == 1 {
		conditions = append(conditions, c.sql(predicate{token: tokens[0]}))
	}
	for _, p := range parts {
		conditions = append(conditions, c.sql(p))
	}
	made.sql = join(conditions, " AND ")
	return made
}

// any returns the disjunction of predicates.
func (c *compiler) any(list ...predicate) predicate {
	made := predicate{exact: true}
	var tokens, prefixes []string
	var phrases [][]string
	var parts []predicate
	for _, p := range list {
		switch {
		case p.sql == "1" && p.exact:
			return alwaysHolds
		case p.token != "":
			tokens = append(tokens, p.token)
		case len(p.phrase) > 0:
			phrases = append(phrases, p.phrase)
		case p.prefix != "":
			prefixes = append(prefixes, p.prefix)
		case p.sql == "1":
			return predicate{sql: "1"}
		case p.sql != "0":
			parts = append(parts, p)
		}
		made.exact = made.exact && p.exact
	}
	var conditions []string
	if len(tokens) > 1 {
		conditions = append(conditions, c.hasAny(tokens))
	} else if len(tokens) == 1 {
		parts = append(parts, predicate{token: tokens[0]})
	}
	conditions, parts = c.anyPhrase(phrases, conditions, parts)
	conditions, parts = c.anyPrefix(prefixes, conditions, parts)
	switch {
	case len(conditions) == 0 && len(parts) == 0:
		return predicate{sql: "0", exact: made.exact}
	case len(conditions) == 0 && len(parts) == 1:
		parts[0].exact = made.exact
		return parts[0]
	}
	for _, p := range parts {
		conditions = append(conditions, c.sql(p))
	}
	made.sql = join(conditions, " OR ")
	return made
}

// minList is the number of phrases or prefixes from which on a list is searched for at once. Few are
// faster one by one, because the index finds the candidates of each.
const minList = 16

// anyPhrase adds the condition that words has one of the phrases. Those of a list are compared with
// all sequences of the same length, in a hash table.
func (c *compiler) anyPhrase(phrases [][]string, conditions []string, parts []predicate) ([]string, []predicate) {
	const maxWords = 8 // of phrases in a list, because each word needs a copy of the text
	var byLength [maxWords + 1][][]string
	for _, p := range phrases {
		byLength[min(len(p), maxWords+1)%(maxWords+1)] = append(byLength[min(len(p), maxWords+1)%(maxWords+1)], p)
	}
	for length, list := range byLength {
		if length == 0 || len(list) < minList { // longer phrases are at 0
			for _, p := range list {
				parts = append(parts, predicate{phrase: p})
			}
			continue
		}
		var longest, joined []string
		for _, p := range list {
			longest = append(longest, slices.MaxFunc(p, func(a, b string) int { return len(a) - len(b) }))
			joined = append(joined, strings.Join(p, " "))
		}
		names, shifted := lambdaNames(length), make([]string, length)
		for i := range shifted {
			shifted[i] = shiftLeft(allWords, i, "''")
		}
		conditions = append(conditions, "("+c.hasAny(longest)+
			" AND arrayExists(("+strings.Join(names, ", ")+") -> concat("+strings.Join(names, ", ' ', ")+") IN "+c.bindList(joined)+", "+
			strings.Join(shifted, ", ")+"))")
	}
	return conditions, parts
}

// anyPrefix adds the condition that words has a token with one of the prefixes. Those of a list
// become a regular expression.
func (c *compiler) anyPrefix(prefixes, conditions []string, parts []predicate) ([]string, []predicate) {
	if len(prefixes) < minList {
		for _, p := range prefixes {
			parts = append(parts, predicate{prefix: p})
		}
		return conditions, parts
	}
	const chunk = 100 // a longer expression needs more memory than the server gives it
	for list := range slices.Chunk(prefixes, chunk) {
		quoted := make([]string, len(list))
		for i, p := range list {
			quoted[i] = quoteRegexp(p)
		}
		conditions = append(conditions, c.expression("match(words, ", c.bind(" (?:"+strings.Join(quoted, "|")+")"), ")").sql)
	}
	return conditions, parts
}

func join(conditions []string, operator string) string {
	if len(conditions) == 1 {
		return conditions[0]
	}
	return "(" + strings.Join(conditions, operator) + ")"
}

// negate returns the negation of a predicate. An approximation from above becomes one from below.
func (c *compiler) negate(p predicate) predicate {
	switch p.sql {
	case "1":
		return predicate{sql: "0", exact: p.exact}
	case "0":
		return predicate{sql: "1", exact: p.exact}
	}
	return predicate{sql: "(NOT " + c.sql(p) + ")", exact: p.exact}
}
