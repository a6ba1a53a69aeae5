package query

import (
	"math"
	"slices"
)

// A Literal is a proposition about the tokens of a post: that one has this hash of its
// plain spelling or, when Prefix is set, a plain spelling with that prefix.
type Literal struct {
	Hash   uint32
	Prefix string
}

// A Clause is a disjunction of literals: it holds for a post when one of them does.
type Clause []Literal

// Prefilter returns a necessary condition for the query to select a post: all clauses hold
// for it. Where the query leaves a choice, the clauses are those with the lowest total
// cost. Without any clause, the query may select posts whatever their tokens are.
func (q *Query) Prefilter(cost func(Literal) int) []Clause { return q.root.prefilter(nil, cost) }

// hasPrefilter reports whether the prefilter of n has any clauses.
func hasPrefilter(n node) bool {
	switch n := n.(type) {
	case and:
		return slices.ContainsFunc(n, hasPrefilter)
	case or:
		return !slices.ContainsFunc(n, func(part node) bool { return !hasPrefilter(part) })
	case *not:
		return false
	case *word, *phrase:
		return true
	}
	return len(n.prefilter(nil, func(Literal) int { return 1 })) > 0
}

func (n and) prefilter(clauses []Clause, cost func(Literal) int) []Clause {
	for _, part := range n {
		clauses = part.prefilter(clauses, cost)
	}
	return clauses
}

// The prefilter of an or is one clause: the union of the cheapest clause of each part.
func (n or) prefilter(clauses []Clause, cost func(Literal) int) []Clause {
	union := make(Clause, 0, len(n))
	for _, part := range n {
		if w, ok := part.(*word); ok {
			union = append(union, w.matcher.literal())
			continue
		}
		var cheapest Clause
		minCost := math.MaxInt
		for _, c := range part.prefilter(nil, cost) {
			sum := 0
			for _, l := range c {
				sum += cost(l)
			}
			if sum < minCost {
				cheapest, minCost = c, sum
			}
		}
		if cheapest == nil {
			return clauses // no token is necessary for this part
		}
		union = append(union, cheapest...)
	}
	return append(clauses, union)
}

func (*not) prefilter(clauses []Clause, _ func(Literal) int) []Clause { return clauses }
