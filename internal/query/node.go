package query

// A node is a part of a query's tree. The kinds are those in this package: *word,
// *phrase, *raw, *near, *window, *textField, *valueField, *rangeField, and, or, *not.
type node interface {
	// match reports whether the post of the text meets this part of the query.
	match(in *text) bool

	// print appends the part's normal form.
	print(b []byte) []byte

	// levels is how deep parentheses nest in the normal form when the node is part
	// of another: 0 for a word or a phrase.
	levels() int

	// positive reports whether something is looked for, rather than only excluded,
	// when the node stands where it counts (want) or below a NOT (not want).
	positive(want bool) bool

	// needs appends groups of keys. A post that meets this part has a key of each.
	needs(groups []Clause, cost func(Literal) int) []Clause

	// show adds what a reader should see of why in meets this part, which it does.
	show(in *text, into *spans)
}

// A placed node stands somewhere in a text: *word, *phrase, *raw, *near, *window
// and an or of such nodes. These may be operands of NEAR and ~.
type placed interface {
	node

	// stand adds where the node stands.
	stand(in *text, which end, into *spans)

	// follow adds, for matches whose words at one end are known, those at the other.
	follow(in *text, from end, known, into *spans)
}

// An end says which words of a match are meant, where it consists of several that
// stand apart.
type end int

const (
	anywhere end = iota
	foremost
	hindmost
)

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
