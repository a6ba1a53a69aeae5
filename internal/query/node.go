package query

// A node is a part of a query's tree. The kinds are those in this package:
// *word, *phrase, and, or, *not.
type node interface {
	// match reports whether the document meets this part of the query.
	match(d *Document) bool

	// print appends the part's normal form.
	print(b []byte) []byte

	// levels is how deep parentheses nest in the normal form when the node is part
	// of another: 0 for a word or a phrase.
	levels() int

	// positive reports whether something is looked for, rather than only excluded,
	// when the node stands where it counts (want) or below a NOT (not want).
	positive(want bool) bool
}

// maxLevelsOf returns the deepest nesting among nodes.
func maxLevelsOf(nodes []node) int {
	deepest := 0
	for _, n := range nodes {
		deepest = max(deepest, n.levels())
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
