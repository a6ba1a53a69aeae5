package query

import "slices"

// A node is a node of a query's syntax tree: [*word], [*phrase], [*exact], [*near], [*window],
// [*textField], [*valueField], [*rangeField], [and], [or] or [*not].
type node interface {
	// match reports whether the node matches the post that the text belongs to.
	match(in *text) bool

	// print appends the node's normal form.
	print(b []byte) []byte

	// depth returns the nesting depth of parentheses in the normal form when the node is an
	// operand. It is 0 for a word or a phrase.
	depth() int

	// positive reports whether the node requires something to be present, rather than only
	// excluding. want is false below an odd number of NOTs.
	positive(want bool) bool

	// prefilter appends clauses that hold for every post that the node matches.
	prefilter(clauses []Clause, cost func(Literal) int) []Clause

	// highlight adds the spans to highlight to dst. The node must match the text.
	highlight(in *text, dst *spanSet)
}

// A spanNode is a node whose matches are spans of positions: [*word], [*phrase], [*exact], [*near],
// [*window], and an [or] of such nodes. Only span nodes can be operands of NEAR and ~.
type spanNode interface {
	node

	// addSpans adds the spans of the node's matches to dst. If a match has several spans, it adds
	// only those at the given end.
	addSpans(in *text, end matchEnd, dst *spanSet)

	// addOtherEnd adds the spans at the opposite end of the matches whose spans at end from are
	// known.
	addOtherEnd(in *text, from matchEnd, known, dst *spanSet)
}

// A matchEnd selects among the spans of a [near] match, which has a span for each operand.
type matchEnd int

const (
	anyEnd matchEnd = iota
	firstEnd
	lastEnd
)

func maxDepthOf[T node](nodes []T) int {
	depth := 0
	for _, n := range nodes {
		depth = max(depth, n.depth())
	}
	return depth
}

func anyPositive(nodes []node, want bool) bool {
	for _, n := range nodes {
		if n.positive(want) {
			return true
		}
	}
	return false
}

type (
	// and is a list of two or more nodes that must all match. None of them is an and.
	and []node

	// or is a list of two or more nodes, at least one of which must match. None of them is an or.
	or []node

	// not matches if its operand does not.
	not struct{ operand node }
)

// newAnd joins nodes with AND. It returns a single node unchanged.
func newAnd(parts []node) node {
	switch joined := flatten[and](parts); len(joined) {
	case 0:
		return parts[0]
	case 1:
		return joined[0]
	default:
		return joined
	}
}

// newOr joins nodes with OR. It returns a single node unchanged.
func newOr(parts []node) node {
	switch joined := flatten[or](parts); len(joined) {
	case 0:
		return parts[0]
	case 1:
		return joined[0]
	default:
		return joined
	}
}

// flatten replaces nodes that are lists of the same kind with their elements. It returns nil for a
// single node.
func flatten[list interface {
	~[]node
	node
}](parts []node) list {
	if len(parts) == 1 {
		return nil
	}
	flat := make(list, 0, len(parts))
	for _, p := range parts {
		if inner, ok := p.(list); ok {
			flat = append(flat, inner...)
		} else {
			flat = append(flat, p)
		}
	}
	return dedupe(flat)
}

// dedupe removes repeated nodes from a list. It leaves short lists alone, because matching a node
// twice costs less than comparing all nodes.
func dedupe[list ~[]node](nodes list) list {
	const minLength = 32
	if len(nodes) < minLength {
		return nodes
	}
	seen := make(map[string]bool, len(nodes))
	var printed []byte
	return slices.DeleteFunc(nodes, func(n node) bool {
		printed = n.print(printed[:0])
		if seen[string(printed)] {
			return true
		}
		seen[string(printed)] = true
		return false
	})
}

func (n and) match(in *text) bool {
	for _, part := range n {
		if !part.match(in) {
			return false
		}
	}
	return true
}

func (n or) match(in *text) bool {
	for _, part := range n {
		if part.match(in) {
			return true
		}
	}
	return false
}

func (n *not) match(in *text) bool { return !n.operand.match(in) }

// addSpans requires that all parts are span nodes, which holds for an operand of NEAR or ~.
func (n or) addSpans(in *text, end matchEnd, dst *spanSet) {
	for _, part := range n {
		part.(spanNode).addSpans(in, end, dst)
	}
}

// addOtherEnd follows each part's own matches.
func (n or) addOtherEnd(in *text, from matchEnd, known, dst *spanSet) {
	for _, part := range n {
		all, mine := in.pool.newSpans(), in.pool.newSpans()
		part.(spanNode).addSpans(in, from, all)
		known.addIntersection(all, mine)
		part.(spanNode).addOtherEnd(in, from, mine, dst)
		all.free()
		mine.free()
	}
}

func (n and) highlight(in *text, dst *spanSet) {
	for _, part := range n {
		part.highlight(in, dst)
	}
}

func (n or) highlight(in *text, dst *spanSet) {
	for _, part := range n {
		if part.match(in) {
			part.highlight(in, dst)
		}
	}
}

func (n *not) highlight(*text, *spanSet) {}

func (n and) depth() int { return 1 + maxDepthOf(n) }
func (n or) depth() int  { return 1 + maxDepthOf(n) }

func (n *not) depth() int {
	if inner, double := n.operand.(*not); double {
		return 1 + inner.depth() // NOT (NOT x)
	}
	return n.operand.depth()
}

func (n and) positive(want bool) bool  { return anyPositive(n, want) }
func (n or) positive(want bool) bool   { return anyPositive(n, want) }
func (n *not) positive(want bool) bool { return n.operand.positive(!want) }
