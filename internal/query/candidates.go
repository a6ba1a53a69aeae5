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
