package query

// phrase matches texts in which two or more elements follow one another.
type phrase struct{ matchers []tokenMatcher }

func (n *phrase) match(in *text) bool {
	at := n.starts(in)
	found := at != nil
	if found {
		in.pool.freeSet(at)
	}
	return found
}

func (n *phrase) addSpans(in *text, _ matchEnd, into *spanSet) {
	if at := n.starts(in); at != nil {
		into.withWidth(n.width()).or(at)
		in.pool.freeSet(at)
	}
}

// starts returns where the phrase begins, nil when it does not stand in the text.
// The set of places where it could begin shrinks with each element.
func (n *phrase) starts(in *text) positions {
	if n.width() > in.positionCount() {
		return nil
	}
	for _, e := range n.matchers {
		if !e.occursIn(in) {
			return nil
		}
	}
	at, next := in.pool.newSet(), in.pool.newSet()
	n.matchers[0].addPositions(in, at)
	offset, found := n.matchers[0].width(), true
	for _, e := range n.matchers[1:] {
		there := in.cachedPositions(e)
		if there == nil {
			clear(next)
			e.addPositions(in, next)
			there = next
		}
		if found = at.andBack(there, offset); !found {
			break
		}
		offset += e.width()
	}
	in.pool.freeSet(next)
	if !found {
		in.pool.freeSet(at)
		return nil
	}
	return at
}

func (n *phrase) width() int {
	width := 0
	for _, e := range n.matchers {
		width += e.width()
	}
	return width
}

// addOtherEnd: a match has one place, which is both of its ends.
func (*phrase) addOtherEnd(_ *text, _ matchEnd, known, into *spanSet) { known.addAll(into) }

func (n *phrase) highlight(in *text, into *spanSet) { n.addSpans(in, anyEnd, into) }

func (*phrase) depth() int              { return 0 }
func (*phrase) positive(want bool) bool { return want }

func (n *phrase) prefilter(groups []Clause, _ func(Literal) int) []Clause {
	for _, e := range n.matchers {
		groups = append(groups, Clause{e.literal()})
	}
	return groups
}
