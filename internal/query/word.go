package query

// word matches texts in which a term or something like a wildcard stands.
type word struct{ element element }

// newTermWord returns the word for a term. Most nodes are such, so both are one
// piece of memory.
func newTermWord(t term) *word {
	made := &struct {
		word word
		term term
	}{term: t}
	made.word.element = &made.term
	return &made.word
}

func (n *word) match(in *text) bool { return n.element.in(in) }

func (n *word) stand(in *text, _ end, into *spans) {
	if n.element.in(in) {
		n.element.mark(in, into.of(n.element.span()))
	}
}

// follow: a match has one place, which is both of its ends.
func (*word) follow(_ *text, _ end, known, into *spans) { known.addAll(into) }

func (n *word) show(in *text, into *spans) { n.stand(in, anywhere, into) }

func (*word) levels() int             { return 0 }
func (*word) positive(want bool) bool { return want }

func (n *word) needs(groups []Clause, _ func(Literal) int) []Clause {
	return append(groups, Clause{n.element.key()})
}
