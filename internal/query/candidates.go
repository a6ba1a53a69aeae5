package query

import (
	"cmp"
	"slices"

	"github.com/RoaringBitmap/roaring/v2"
)

// candidates returns the rows among others that have the words which a node needs, in
// whatever order. It may be among itself, so it is not to be changed.
func (s *search) candidates(n node, among *roaring.Bitmap) *roaring.Bitmap {
	switch n := n.(type) {
	case and:
		return s.candidatesOfAll(n, among)
	case or:
		return s.candidatesOfAny(n, among)
	case *word:
		return s.Any(s.numbers[n.element].tokens, among)
	case *phrase:
		return s.withAll(n.elements, among)
	case *raw:
		return s.withAll(n.elements(), among)
	case *near:
		return s.candidatesOfAll([]node{n.left, n.right}, among)
	case *window:
		return s.candidatesOfAll(n.nodes(), among)
	case *textField:
		if n.inText() {
			return s.candidates(n.leaf, among)
		}
	}
	return s.these(among)
}

func (n *raw) elements() []element {
	elements := make([]element, len(n.terms))
	for i, t := range n.terms {
		elements[i] = t
	}
	return elements
}

func (n *window) nodes() []node {
	nodes := make([]node, len(n.parts))
	for i, p := range n.parts {
		nodes[i] = p
	}
	return nodes
}

func (s *search) candidatesOfAll(parts []node, among *roaring.Bitmap) *roaring.Bitmap {
	for _, part := range s.inOrder(parts) {
		among = s.candidates(part, among)
		if among.IsEmpty() {
			break
		}
	}
	return among
}

func (s *search) candidatesOfAny(parts []node, among *roaring.Bitmap) *roaring.Bitmap {
	tokens, others := s.tokensOf(parts)
	all := s.Any(tokens, among)
	for _, part := range others {
		all.Or(s.candidates(part, among))
	}
	return all
}

// withAll returns the rows among others that have all elements, the rarest of which
// are looked for first.
func (s *search) withAll(elements []element, among *roaring.Bitmap) *roaring.Bitmap {
	elements = slices.Clone(elements)
	slices.SortStableFunc(elements, func(a, b element) int { return cmp.Compare(s.count(a), s.count(b)) })
	for _, e := range elements {
		among = s.Any(s.numbers[e].tokens, among)
		if among.IsEmpty() {
			break
		}
	}
	return s.these(among)
}
