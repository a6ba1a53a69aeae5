package query

import "slices"

// A node is a part of a query's tree. The kinds are those in this package: *word,
// *phrase, *raw, *near, *window, *textField, *valueField, *rangeField, and, or, *not.
type node interface {
	// match reports whether the post of the text meets this part of the query.
	match(in *text) bool

	// print appends the part's normal form.
	print(b []byte) []byte

	// depth is how deep parentheses nest in the normal form when the node is part
	// of another: 0 for a word or a phrase.
	depth() int

	// positive reports whether something is looked for, rather than only excluded,
	// when the node stands where it counts (want) or below a NOT (not want).
	positive(want bool) bool

	// prefilter appends groups of keys. A post that meets this part has a key of each.
	prefilter(groups []Clause, cost func(Literal) int) []Clause

	// highlight adds what a reader should see of why in meets this part, which it does.
	highlight(in *text, into *spanSet)
}

// A spanNode node stands somewhere in a text: *word, *phrase, *raw, *near, *window
// and an or of such nodes. These may be operands of NEAR and ~.
type spanNode interface {
	node

	// addSpans adds where the node stands.
	addSpans(in *text, which matchEnd, into *spanSet)

	// addOtherEnd adds, for matches whose words at one end are known, those at the other.
	addOtherEnd(in *text, from matchEnd, known, into *spanSet)
}

// An matchEnd says which words of a match are meant, where it consists of several that
// stand apart.
type matchEnd int

const (
	anyEnd matchEnd = iota
	firstEnd
	lastEnd
)

// maxDepthOf returns the deepest nesting among nodes.
func maxDepthOf(nodes []node) int {
	deepest := 0
	for _, n := range nodes {
		deepest = max(deepest, n.depth())
	}
	return deepest
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
	// and holds two or more parts that must all match. None of them is an and.
	and []node

	// or holds two or more parts of which one must match. None of them is an or.
	or []node

	// not matches where its operand does not.
	not struct{ operand node }
)

// newAnd joins parts with AND. One part stands for itself.
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

// newOr joins parts with OR. One part stands for itself.
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

// flatten makes one list of parts and of the parts of those that are such a list. It
// returns none when there is one part only.
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

// dedupe leaves out parts that are there already, of lists so long that looking
// for one part time and again would matter.
func dedupe[parts ~[]node](list parts) parts {
	const long = 32
	if len(list) < long {
		return list
	}
	seen := make(map[string]bool, len(list))
	var spelled []byte
	return slices.DeleteFunc(list, func(n node) bool {
		spelled = n.print(spelled[:0])
		if seen[string(spelled)] {
			return true
		}
		seen[string(spelled)] = true
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

// addSpans serves an or that is an operand of NEAR or ~, of which all parts are placed.
func (n or) addSpans(in *text, which matchEnd, into *spanSet) {
	for _, part := range n {
		part.(spanNode).addSpans(in, which, into)
	}
}

// addOtherEnd asks each part for the matches that are its own.
func (n or) addOtherEnd(in *text, from matchEnd, known, into *spanSet) {
	for _, part := range n {
		all, mine := in.pool.newSpans(), in.pool.newSpans()
		part.(spanNode).addSpans(in, from, all)
		known.addIntersection(all, mine)
		part.(spanNode).addOtherEnd(in, from, mine, into)
		all.free()
		mine.free()
	}
}

func (n and) highlight(in *text, into *spanSet) {
	for _, part := range n {
		part.highlight(in, into)
	}
}

func (n or) highlight(in *text, into *spanSet) {
	for _, part := range n {
		if part.match(in) {
			part.highlight(in, into)
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
