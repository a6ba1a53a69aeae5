package query

import (
	"cmp"
	"slices"
)

// inOrder returns the nodes with those first that select few rows and are cheap to find.
func (s *search) inOrder(parts []node) []node {
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
	costOfNot   = 1<<30 + iota // of a node that is found by words
	costOfField                // goes through a column
	costOfRest
)

// estimate returns about how many rows a node selects, or a number beyond that for one
// that cannot be told by its words.
func (s *search) estimate(n node) int {
	switch n := n.(type) {
	case and:
		return s.least(n)
	case or:
		sum := 0
		for _, part := range n {
			sum = min(sum+s.estimate(part), costOfRest)
		}
		return sum
	case *not:
		if s.estimate(n.operand) < costOfNot && !hasScan(n.operand) {
			return costOfNot
		}
		return costOfRest
	case *word:
		return s.count(n.element)
	case *phrase:
		return s.rarest(n.elements)
	case *raw:
		return s.rarest(n.elements())
	case *near:
		return min(s.estimate(n.left), s.estimate(n.right))
	case *window:
		return s.least(n.nodes())
	case *textField:
		if n.inText() {
			return s.estimate(n.leaf)
		}
	}
	return costOfField
}

func (s *search) least(parts []node) int {
	least := costOfRest
	for _, part := range parts {
		least = min(least, s.estimate(part))
	}
	return least
}

func (s *search) rarest(elements []element) int {
	least := costOfRest
	for _, e := range elements {
		least = min(least, s.count(e))
	}
	return least
}

// count returns about how many rows have an element.
func (s *search) count(e element) int {
	set := s.numbers[e]
	if set.rows == 0 {
		set.rows = 1 + s.Cardinality(set.tokens)
	}
	return set.rows - 1
}
