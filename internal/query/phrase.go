package query

// phrase matches texts in which two or more elements follow one another.
type phrase struct{ elements []element }

func (n *phrase) match(in *text) bool {
	at := n.places(in)
	found := at != nil
	if found {
		in.pool.dropSet(at)
	}
	return found
}

func (n *phrase) stand(in *text, _ end, into *spans) {
	if at := n.places(in); at != nil {
		into.of(n.width()).or(at)
		in.pool.dropSet(at)
	}
}

// places returns where the phrase begins, nil when it does not stand in the text.
// The set of places where it could begin shrinks with each element.
func (n *phrase) places(in *text) positions {
	if n.width() > in.length() {
		return nil
	}
	for _, e := range n.elements {
		if !e.in(in) {
			return nil
		}
	}
	at, next := in.pool.set(), in.pool.set()
	n.elements[0].mark(in, at)
	offset, found := n.elements[0].span(), true
	for _, e := range n.elements[1:] {
		there := in.remembered(e)
		if there == nil {
			clear(next)
			e.mark(in, next)
			there = next
		}
		if found = at.andBack(there, offset); !found {
			break
		}
		offset += e.span()
	}
	in.pool.dropSet(next)
	if !found {
		in.pool.dropSet(at)
		return nil
	}
	return at
}

func (n *phrase) width() int {
	width := 0
	for _, e := range n.elements {
		width += e.span()
	}
	return width
}

// follow: a match has one place, which is both of its ends.
func (*phrase) follow(_ *text, _ end, known, into *spans) { known.addAll(into) }

func (n *phrase) show(in *text, into *spans) { n.stand(in, anywhere, into) }

func (*phrase) levels() int             { return 0 }
func (*phrase) positive(want bool) bool { return want }

func (n *phrase) needs(groups []Clause, _ func(Literal) int) []Clause {
	for _, e := range n.elements {
		groups = append(groups, Clause{e.key()})
	}
	return groups
}
