package query

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
