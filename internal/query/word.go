package query

// word matches texts in which a term or something like a wildcard stands.
type word struct{ matcher tokenMatcher }

// newTermWord returns the word for a term. Most nodes are such, so both are one
// piece of memory.
func newTermWord(t term) *word {
	made := &struct {
		word word
		term term
	}{term: t}
	made.word.matcher = &made.term
	return &made.word
}

func (n *word) match(in *text) bool { return n.matcher.occursIn(in) }

func (n *word) addSpans(in *text, _ matchEnd, into *spanSet) {
	if n.matcher.occursIn(in) {
		n.matcher.addPositions(in, into.withWidth(n.matcher.width()))
	}
}

// addOtherEnd: a match has one place, which is both of its ends.
func (*word) addOtherEnd(_ *text, _ matchEnd, known, into *spanSet) { known.addAll(into) }

func (n *word) highlight(in *text, into *spanSet) { n.addSpans(in, anyEnd, into) }

func (*word) depth() int              { return 0 }
func (*word) positive(want bool) bool { return want }

func (n *word) prefilter(groups []Clause, _ func(Literal) int) []Clause {
	return append(groups, Clause{n.matcher.literal()})
}
