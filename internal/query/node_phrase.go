package query

// phrase matches texts in which two or more matchers match consecutive tokens.
type phrase struct{ matchers []tokenMatcher }

func (n *phrase) match(in *text) bool {
	starts := n.starts(in)
	if starts == nil {
		return false
	}
	in.pool.freeSet(starts)
	return true
}

func (n *phrase) addSpans(in *text, _ matchEnd, dst *spanSet) {
	if starts := n.starts(in); starts != nil {
		dst.withWidth(n.width()).or(starts)
		in.pool.freeSet(starts)
	}
}

// starts returns the start positions of the phrase's matches, or nil if there are none. The caller
// frees the set. Each matcher narrows it further.
func (n *phrase) starts(in *text) positions {
	if n.width() > in.positionCount() {
		return nil
	}
	for _, m := range n.matchers {
		if !m.occursIn(in) {
			return nil
		}
	}
	starts, scratch := in.pool.newSet(), in.pool.newSet()
	n.matchers[0].addPositions(in, starts)
	offset, found := n.matchers[0].width(), true
	for _, m := range n.matchers[1:] {
		clear(scratch)
		m.addPositions(in, scratch)
		if found = starts.andBack(scratch, offset); !found {
			break
		}
		offset += m.width()
	}
	in.pool.freeSet(scratch)
	if !found {
		in.pool.freeSet(starts)
		return nil
	}
	return starts
}

func (n *phrase) width() int {
	width := 0
	for _, m := range n.matchers {
		width += m.width()
	}
	return width
}

// addOtherEnd copies known, because a match is a single span and thus both of its ends.
func (*phrase) addOtherEnd(_ *text, _ matchEnd, known, dst *spanSet) { known.addAll(dst) }

func (n *phrase) highlight(in *text, dst *spanSet) { n.addSpans(in, anyEnd, dst) }

func (*phrase) depth() int              { return 0 }
func (*phrase) positive(want bool) bool { return want }

func (n *phrase) prefilter(clauses []Clause, _ func(Literal) int) []Clause {
	for _, m := range n.matchers {
		clauses = append(clauses, Clause{m.literal()})
	}
	return clauses
}
