package query

import (
	"math"
	"slices"
)

// A Key is something that the words of a post have or have not: a token with this
// hash of its spelling without accents or, when Prefix is set, one whose spelling
// begins with that.
type Key struct {
	Hash   uint32
	Prefix string
}

// A Group is a list of keys of which a post needs one.
type Group []Key

// Needs returns what a post's words must have for the query to select it: a key of
// each group. Where the query leaves a choice, the groups are those with the least
// sum of costs. Without any group, the query may select a post whatever its words are.
func (q *Query) Needs(cost func(Key) int) []Group { return q.root.needs(nil, cost) }

// hasNeeds reports whether there are any groups.
func hasNeeds(n node) bool {
	switch n := n.(type) {
	case and:
		return slices.ContainsFunc(n, hasNeeds)
	case or:
		return !slices.ContainsFunc(n, func(part node) bool { return !hasNeeds(part) })
	case *not:
		return false
	case *word, *phrase:
		return true
	}
	return len(n.needs(nil, func(Key) int { return 1 })) > 0
}

// cheapest returns the group with the least sum of costs, nil when there is none.
func cheapest(groups []Group, cost func(Key) int) Group {
	var best Group
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

func (n and) needs(groups []Group, cost func(Key) int) []Group {
	for _, part := range n {
		groups = part.needs(groups, cost)
	}
	return groups
}

// An or needs one group made of a group of each part.
func (n or) needs(groups []Group, cost func(Key) int) []Group {
	all := make(Group, 0, len(n))
	for _, part := range n {
		if w, ok := part.(*word); ok {
			all = append(all, w.element.key())
			continue
		}
		g := cheapest(part.needs(nil, cost), cost)
		if g == nil {
			return groups // this part may be met without any word
		}
		all = append(all, g...)
	}
	return append(groups, all)
}

func (*not) needs(groups []Group, _ func(Key) int) []Group { return groups }
