package query

import (
	"cmp"
	"slices"

	"github.com/RoaringBitmap/roaring/v2"
)

// candidates returns the rows among others that have the words which a node needs, in
// whatever order. It may be among itself, so it is not to be changed.
func (s *rowSearch) candidates(n node, among *roaring.Bitmap) *roaring.Bitmap {
	switch n := n.(type) {
	case and:
		return s.candidatesAll(n, among)
	case or:
		return s.candidatesAny(n, among)
	case *word:
		return s.Any(s.tokens[n.matcher].tokens, among)
	case *phrase:
		return s.candidatesWith(n.matchers, among)
	case *exact:
		return s.candidatesWith(n.matchers(), among)
	case *near:
		return s.candidatesAll([]node{n.left, n.right}, among)
	case *window:
		return s.candidatesAll(n.partNodes(), among)
	case *textField:
		if n.inText() {
			return s.candidates(n.leaf, among)
		}
	}
	return s.scopeOrAll(among)
}

func (n *exact) matchers() []tokenMatcher {
	elements := make([]tokenMatcher, len(n.terms))
	for i, t := range n.terms {
		elements[i] = t
	}
	return elements
}

func (n *window) partNodes() []node {
	nodes := make([]node, len(n.parts))
	for i, p := range n.parts {
		nodes[i] = p
	}
	return nodes
}

func (s *rowSearch) candidatesAll(parts []node, among *roaring.Bitmap) *roaring.Bitmap {
	for _, part := range s.bySelectivity(parts) {
		among = s.candidates(part, among)
		if among.IsEmpty() {
			break
		}
	}
	return among
}

func (s *rowSearch) candidatesAny(parts []node, among *roaring.Bitmap) *roaring.Bitmap {
	tokens, others := s.splitWords(parts)
	all := s.Any(tokens, among)
	for _, part := range others {
		all.Or(s.candidates(part, among))
	}
	return all
}

// candidatesWith returns the rows among others that have all elements, the rarest of which
// are looked for first.
func (s *rowSearch) candidatesWith(elements []tokenMatcher, among *roaring.Bitmap) *roaring.Bitmap {
	elements = slices.Clone(elements)
	slices.SortStableFunc(elements, func(a, b tokenMatcher) int { return cmp.Compare(s.cardinality(a), s.cardinality(b)) })
	for _, e := range elements {
		among = s.Any(s.tokens[e].tokens, among)
		if among.IsEmpty() {
			break
		}
	}
	return s.scopeOrAll(among)
}

// bySelectivity returns the nodes with those first that select few rows and are cheap to find.
func (s *rowSearch) bySelectivity(parts []node) []node {
	type estimated struct {
		node
		rows int
	}
	list := make([]estimated, len(parts))
	for i, part := range parts {
		list[i] = estimated{part, s.estimate(part)}
	}
	slices.SortStableFunc(list, func(a, b estimated) int { return cmp.Compare(a.rows, b.rows) })
	ordered := make([]node, len(list))
	for i, e := range list {
		ordered[i] = e.node
	}
	return ordered
}

// What a node costs that is not found by words: more than any that is.
const (
	costNot   = 1<<30 + iota // of a node that is found by words
	costField                // goes through a column
	maxCost
)

// estimate returns about how many rows a node selects, or a number beyond that for one
// that cannot be told by its words.
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
	least := maxCost
	for _, part := range parts {
		least = min(least, s.estimate(part))
	}
	return least
}

func (s *rowSearch) minCardinality(elements []tokenMatcher) int {
	least := maxCost
	for _, e := range elements {
		least = min(least, s.cardinality(e))
	}
	return least
}

// cardinality returns about how many rows have an element.
func (s *rowSearch) cardinality(e tokenMatcher) int {
	set := s.tokens[e]
	if set.cardinality == 0 {
		set.cardinality = 1 + s.Cardinality(set.tokens)
	}
	return set.cardinality - 1
}
