package query

import "math"

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
	var all Group
	for _, part := range n {
		g := cheapest(part.needs(nil, cost), cost)
		if g == nil {
			return groups // this part may be met without any word
		}
		all = append(all, g...)
	}
	return append(groups, all)
}

func (*not) needs(groups []Group, _ func(Key) int) []Group { return groups }
