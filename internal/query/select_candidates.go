package query

import (
	"cmp"
	"slices"

	"github.com/RoaringBitmap/roaring/v2"
)

// candidates returns the rows in a scope that have the tokens a node requires, in any order. The
// result may be the scope itself, so the caller must not modify it.
func (s *rowSearch) candidates(n node, scope *roaring.Bitmap) *roaring.Bitmap {
	switch n := n.(type) {
	case and:
		return s.candidatesAll(n, scope)
	case or:
		tokens, others := s.splitWords(n)
		rows := s.Any(tokens, scope)
		for _, part := range others {
			rows.Or(s.candidates(part, scope))
		}
		return rows
	case *word:
		return s.Any(s.tokens[n.matcher].tokens, scope)
	case *phrase:
		return s.candidatesWith(n.matchers, scope)
	case *exact:
		return s.candidatesWith(n.matchers(), scope)
	case *near:
		return s.candidatesAll([]node{n.left, n.right}, scope)
	case *window:
		return s.candidatesAll(n.partNodes(), scope)
	case *textField:
		if n.inText() {
			return s.candidates(n.leaf, scope)
		}
	}
	return s.scopeOrAll(scope)
}

func (s *rowSearch) candidatesAll(parts []node, scope *roaring.Bitmap) *roaring.Bitmap {
	for _, part := range s.bySelectivity(parts) {
		scope = s.candidates(part, scope)
		if scope.IsEmpty() {
			break
		}
	}
	return scope
}

// candidatesWith returns the rows in a scope in which all matchers occur. It looks up the rarest
// matcher first.
func (s *rowSearch) candidatesWith(matchers []tokenMatcher, scope *roaring.Bitmap) *roaring.Bitmap {
	matchers = slices.Clone(matchers)
	slices.SortStableFunc(matchers, func(a, b tokenMatcher) int { return cmp.Compare(s.cardinality(a), s.cardinality(b)) })
	for _, m := range matchers {
		scope = s.Any(s.tokens[m].tokens, scope)
		if scope.IsEmpty() {
			break
		}
	}
	return s.scopeOrAll(scope)
}

// bySelectivity returns the nodes sorted by their estimates, most selective first.
func (s *rowSearch) bySelectivity(parts []node) []node {
	type estimatedNode struct {
		node
		rows int
	}
	list := make([]estimatedNode, len(parts))
	for i, part := range parts {
		list[i] = estimatedNode{part, s.estimate(part)}
	}
	slices.SortStableFunc(list, func(a, b estimatedNode) int { return cmp.Compare(a.rows, b.rows) })
	ordered := make([]node, len(list))
	for i, e := range list {
		ordered[i] = e.node
	}
	return ordered
}

// Estimates for nodes that posting lists cannot decide. They are higher than any row count.
const (
	costNot   = 1<<30 + iota // NOT of a node that posting lists can decide
	costField                // reads a column
	maxCost
)

// estimate returns the approximate number of rows that a node selects, or one of the costs above.
func (s *rowSearch) estimate(n node) int {
	switch n := n.(type) {
	case and:
		return s.minEstimate(n)
	case or:
		sum := 0
		for _, part := range n {
			sum = min(sum+s.estimate(part), maxCost)
		}
		return sum
	case *not:
		if s.estimate(n.operand) < costNot && !needsScan(n.operand) {
			return costNot
		}
		return maxCost
	case *word:
		return s.cardinality(n.matcher)
	case *phrase:
		return s.minCardinality(n.matchers)
	case *exact:
		return s.minCardinality(n.matchers())
	case *near:
		return min(s.estimate(n.left), s.estimate(n.right))
	case *window:
		return s.minEstimate(n.partNodes())
	case *textField:
		if n.inText() {
			return s.estimate(n.leaf)
		}
	}
	return costField
}

func (s *rowSearch) minEstimate(parts []node) int {
	rows := maxCost
	for _, part := range parts {
		rows = min(rows, s.estimate(part))
	}
	return rows
}

func (s *rowSearch) minCardinality(matchers []tokenMatcher) int {
	rows := maxCost
	for _, m := range matchers {
		rows = min(rows, s.cardinality(m))
	}
	return rows
}

// cardinality returns the approximate number of rows in which a matcher occurs.
func (s *rowSearch) cardinality(m tokenMatcher) int {
	set := s.tokens[m]
	if set.cardinality == 0 {
		set.cardinality = 1 + s.Cardinality(set.tokens)
	}
	return set.cardinality - 1
}
