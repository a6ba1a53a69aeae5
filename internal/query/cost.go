package query

import "strings"

// Costs of parts of a query. The unit is about what it takes to look up a word: less than 0.1 µs on
// one core. They are for texts of 16,384 characters that are designed to be expensive; an ordinary
// post takes a small part of it. [BenchmarkHostile] of package watchlist compares them with times.
const (
	costPosition = 2     // to find the positions of a word or wildcard and combine them with others
	costPrefix   = 8     // of a wildcard that ends with its only *
	costPattern  = 100   // of any other wildcard, and a tenth of it for each * and ?
	costExact    = 40    // to search a text for another
	costValue    = 3     // of a field that is compared as a whole
	costNear     = 20    // to combine the spans of both operands
	costOtherEnd = 8     // for each NEAR inside an operand of another NEAR
	costPart     = 15    // of a part of a window
	costOverlap  = 2_500 // of a part of a window if parts may start at the same word
)

// Cost returns what it takes to match the query with a long text that has all of its words. It depends
// only on the query, so equal queries have equal costs on every machine.
func (q *Query) Cost() int { return costOf(q.root) }

// MostExpensive returns the most expensive part of the query that is not a list of other parts, in
// its normal form, and its cost.
func (q *Query) MostExpensive() (part string, cost int) {
	n, cost := mostExpensive(q.root)
	return string(n.print(nil)), cost
}

func mostExpensive(n node) (found node, cost int) {
	var parts []node
	switch n := n.(type) {
	case and:
		parts = n
	case or:
		parts = n
	case *not:
		parts = []node{n.operand}
	default:
		return n, costOf(n)
	}
	for _, part := range parts {
		if inner, c := mostExpensive(part); c > cost {
			found, cost = inner, c
		}
	}
	return found, cost
}

func costOf(n node) int {
	switch n := n.(type) {
	case and:
		return sumCosts(n)
	case or:
		return sumCosts(n)
	case *not:
		return costOf(n.operand)
	case *word:
		return matcherCost(n.matcher)
	case *phrase:
		sum := 0
		for _, m := range n.matchers {
			sum += costPosition + matcherCost(m)
		}
		return sum
	case *exact:
		return costExact
	case *near:
		return costNear + costOf(n.left) + costOf(n.right) + costOtherEnd*(countNear(n.left)+countNear(n.right))
	case *window:
		sum := 0
		for _, c := range n.cases {
			for _, p := range c.parts {
				sum += costPart + costOf(p.node)
				if c.mayOverlap {
					sum += costOverlap * p.count
				}
			}
		}
		return sum
	case *textField:
		return costValue + costOf(n.leaf)
	case *valueField:
		if n.pattern {
			return costPattern
		}
	}
	return costValue
}

func sumCosts(nodes []node) int {
	sum := 0
	for _, n := range nodes {
		sum += costOf(n)
	}
	return sum
}

func matcherCost(m tokenMatcher) int {
	w, ok := m.(*wildcard)
	switch {
	case !ok:
		return 1
	case w.plain == w.prefix()+"*":
		return costPrefix
	}
	return costPattern + costPattern/10*(strings.Count(w.plain, "*")+strings.Count(w.plain, "?"))
}

// countNear returns the number of NEARs in an operand.
func countNear(n node) int {
	switch n := n.(type) {
	case *near:
		return 1 + countNear(n.left) + countNear(n.right)
	case or:
		sum := 0
		for _, part := range n {
			sum += countNear(part)
		}
		return sum
	}
	return 0
}
