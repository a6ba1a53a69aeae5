package query

import (
	"math"
	"slices"
)

// A Literal is a statement about a post: one of its tokens has a plain spelling with this hash or,
// if Prefix is set, with this prefix.
type Literal struct {
	Hash   uint32
	Prefix string
}

// A Clause is a disjunction of literals. It holds for a post if at least one literal does.
type Clause []Literal

// Prefilter returns a necessary condition for the query to select a post: all clauses must hold. If
// the query allows a choice, Prefilter returns the clauses with the lowest total cost. If there are
// no clauses, the query may select posts regardless of their tokens.
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

// prefilter returns a single clause: the union of the cheapest clause of each part.
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
			return clauses // this part requires no token
		}
		union = append(union, cheapest...)
	}
	return append(clauses, union)
}

func (*not) prefilter(clauses []Clause, _ func(Literal) int) []Clause { return clauses }
