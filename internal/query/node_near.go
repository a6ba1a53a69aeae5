package query

// near matches texts in which its operands stand with at most distance words
// between them; when ordered, left before right. An operand that is itself a near
// stands for the words that met there; towards what has to follow for the last word
// of its matches, and towards what has to precede for the first.
type near struct {
	left, right spanNode
	distance    int
	ordered     bool
}

func (n *near) match(in *text) bool {
	left, right := n.operands(in)
	found := n.meet(left, right, nil, nil)
	if !found && !n.ordered {
		found = n.meet(right, left, nil, nil)
	}
	left.free()
	right.free()
	return found
}

// operands finds both operands, as far as they concern this node.
func (n *near) operands(in *text) (left, right *spanSet) {
	left, right = in.pool.newSpans(), in.pool.newSpans()
	leftEnd, rightEnd := anyEnd, anyEnd
	if n.ordered {
		leftEnd, rightEnd = lastEnd, firstEnd
	}
	if n.left.addSpans(in, leftEnd, left); len(left.groups) > 0 {
		n.right.addSpans(in, rightEnd, right)
	}
	return left, right
}

// meet reports whether one of a is followed by one of b with at most distance
// words between them. It adds those of a that are to firsts and those of b that
// follow to lasts.
func (n *near) meet(a, b *spanSet, firsts, lasts *spanSet) bool {
	if len(a.groups) == 0 || len(b.groups) == 0 {
		return false
	}
	reached := a.ends()
	reached.spreadForward(n.distance)
	starts := b.starts()
	reached.and(starts)
	found := !reached.empty()
	if found && lasts != nil {
		b.addStarting(reached, lasts)
	}
	if found && firsts != nil {
		starts.spreadBack(n.distance)
		a.addEnding(starts, firsts)
	}
	a.pool.freeSet(reached)
	a.pool.freeSet(starts)
	return found
}

func (n *near) addSpans(in *text, which matchEnd, into *spanSet) {
	left, right := n.operands(in)
	switch {
	case n.ordered:
		n.addOrderedSpans(in, which, left, right, into)
	case which == anyEnd:
		n.meet(left, right, into, into)
		n.meet(right, left, into, into)
	case which == firstEnd:
		n.meet(left, right, into, nil)
		n.meet(right, left, into, nil)
	default:
		n.meet(left, right, nil, into)
		n.meet(right, left, nil, into)
	}
	left.free()
	right.free()
}

func (n *near) addOrderedSpans(in *text, which matchEnd, left, right, into *spanSet) {
	met := in.pool.newSpans()
	switch which {
	case anyEnd:
		n.meet(left, right, into, into)
	case firstEnd:
		n.meet(left, right, met, nil)
		n.left.addOtherEnd(in, lastEnd, met, into)
	default:
		n.meet(left, right, nil, met)
		n.right.addOtherEnd(in, firstEnd, met, into)
	}
	met.free()
}

// addOtherEnd goes through the matches of which known are the words at one end, and adds
// those at the other.
func (n *near) addOtherEnd(in *text, from matchEnd, known, into *spanSet) {
	if len(known.groups) == 0 {
		return
	}
	if !n.ordered {
		n.addOtherEndUnordered(in, from, known, into)
		return
	}
	near, far := n.left, n.right // what known are words of, and where to go
	if from == lastEnd {
		near, far = far, near
	}
	inner, outer, met := in.pool.newSpans(), in.pool.newSpans(), in.pool.newSpans()
	near.addOtherEnd(in, from, known, inner)
	far.addSpans(in, from, outer)
	if from == firstEnd {
		n.meet(inner, outer, nil, met)
	} else {
		n.meet(outer, inner, met, nil)
	}
	far.addOtherEnd(in, from, met, into)
	inner.free()
	outer.free()
	met.free()
}

// addOtherEndUnordered is follow where either operand may come first.
func (n *near) addOtherEndUnordered(in *text, from matchEnd, known, into *spanSet) {
	left, right := n.operands(in)
	for _, other := range []*spanSet{left, right} {
		mine, same := left, in.pool.newSpans()
		if other == left {
			mine = right
		}
		known.addIntersection(mine, same)
		if from == firstEnd {
			n.meet(same, other, nil, into)
		} else {
			n.meet(other, same, into, nil)
		}
		same.free()
	}
	left.free()
	right.free()
}

func (n *near) highlight(in *text, into *spanSet) { n.addSpans(in, anyEnd, into) }

func (n *near) depth() int            { return 1 + max(n.left.depth(), n.right.depth()) }
func (*near) positive(want bool) bool { return want }

func (n *near) prefilter(groups []Clause, cost func(Literal) int) []Clause {
	return n.right.prefilter(n.left.prefilter(groups, cost), cost)
}
