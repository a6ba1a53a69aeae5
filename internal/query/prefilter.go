package query

import (
	"math"
	"slices"
)

// A Literal is something that the words of a post have or have not: a token with this
// hash of its spelling without accents or, when Prefix is set, one whose spelling
// begins with that.
type Literal struct {
	Hash   uint32
	Prefix string
}

// A Clause is a list of keys of which a post needs one.
type Clause []Literal

// Prefilter returns what a post's words must have for the query to select it: a key of
// each group. Where the query leaves a choice, the groups are those with the least
// sum of costs. Without any group, the query may select a post whatever its words are.
func (q *Query) Prefilter(cost func(Literal) int) []Clause { return q.root.prefilter(nil, cost) }

// hasPrefilter reports whether there are any groups.
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

// cheapest returns the group with the least sum of costs, nil when there is none.
func cheapest(groups []Clause, cost func(Literal) int) Clause {
	var best Clause
	least := math.MaxInt
	for _, g := range groups {
		sum := 0
		for _, k := range g {
			sum += cost(k)
		}
		if sum < least {
			best, least = g, sum
		}
	}
	return best
}

func (n and) prefilter(groups []Clause, cost func(Literal) int) []Clause {
	for _, part := range n {
		groups = part.prefilter(groups, cost)
	}
	return groups
}

// An or needs one group made of a group of each part.
func (n or) prefilter(groups []Clause, cost func(Literal) int) []Clause {
	all := make(Clause, 0, len(n))
	for _, part := range n {
		if w, ok := part.(*word); ok {
			all = append(all, w.matcher.literal())
			continue
		}
		g := cheapest(part.prefilter(nil, cost), cost)
		if g == nil {
			return groups // this part may be met without any word
		}
		all = append(all, g...)
	}
	return append(groups, all)
}

func (*not) prefilter(groups []Clause, _ func(Literal) int) []Clause { return groups }
