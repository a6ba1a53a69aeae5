package query

// near matches texts in which its operands occur with at most distance words between them. If
// ordered, left must come before right. If an operand is itself a near, a distance to the right is
// measured from the last span of its match, and a distance to the left from the first.
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
	in.forgetNear()
	return found
}

// operands returns the spans of both operands. It leaves right empty if left is empty. The caller
// frees both.
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

// meet reports whether a span of a is followed by a span of b with at most distance words between
// them. It adds such spans of a to firsts and such spans of b to lasts. Either may be nil.
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

// A nearEnd is an end of the matches of an operand.
type nearEnd struct {
	node *near
	end  matchEnd
}

// addSpans finds the spans once for each end of an operand. Otherwise, the time would double with
// every level of nesting, because addOtherEnd needs the spans again.
func (n *near) addSpans(in *text, end matchEnd, dst *spanSet) {
	key := nearEnd{n, end}
	found := in.nearSpans[key]
	if found == nil {
		if in.nearSpans == nil {
			in.nearSpans = map[nearEnd]*spanSet{}
		}
		found = in.pool.newSpans()
		n.findSpans(in, end, found)
		in.nearSpans[key] = found
	}
	found.addAll(dst)
}

// forgetNear ends the validity of what addSpans has found.
func (t *text) forgetNear() {
	for _, found := range t.nearSpans {
		found.free()
	}
	clear(t.nearSpans)
}

func (n *near) findSpans(in *text, end matchEnd, dst *spanSet) {
	left, right := n.operands(in)
	met := in.pool.newSpans()
	switch {
	case n.ordered && end == anyEnd:
		n.meet(left, right, dst, dst)
	case n.ordered && end == firstEnd:
		n.meet(left, right, met, nil)
		n.left.addOtherEnd(in, lastEnd, met, dst)
	case n.ordered:
		n.meet(left, right, nil, met)
		n.right.addOtherEnd(in, firstEnd, met, dst)
	case end == anyEnd:
		n.meet(left, right, dst, dst)
		n.meet(right, left, dst, dst)
	case end == firstEnd:
		n.meet(left, right, dst, nil)
		n.meet(right, left, dst, nil)
	default:
		n.meet(left, right, nil, dst)
		n.meet(right, left, nil, dst)
	}
	met.free()
	left.free()
	right.free()
}

func (n *near) addOtherEnd(in *text, from matchEnd, known, dst *spanSet) {
	if len(known.groups) == 0 {
		return
	}
	if !n.ordered {
		n.addOtherEndUnordered(in, from, known, dst)
		return
	}
	near, far := n.left, n.right // near is the operand that known belongs to
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
	far.addOtherEnd(in, from, met, dst)
	inner.free()
	outer.free()
	met.free()
}

// addOtherEndUnordered is addOtherEnd for operands in either order.
func (n *near) addOtherEndUnordered(in *text, from matchEnd, known, dst *spanSet) {
	left, right := n.operands(in)
	for _, other := range []*spanSet{left, right} {
		mine, same := left, in.pool.newSpans()
		if other == left {
			mine = right
		}
		known.addIntersection(mine, same)
		if from == firstEnd {
			n.meet(same, other, nil, dst)
		} else {
			n.meet(other, same, dst, nil)
		}
		same.free()
	}
	left.free()
	right.free()
}

func (n *near) highlight(in *text, dst *spanSet) {
	n.addSpans(in, anyEnd, dst)
	in.forgetNear()
}

func (n *near) depth() int            { return 1 + max(n.left.depth(), n.right.depth()) }
func (*near) positive(want bool) bool { return want }

func (n *near) prefilter(clauses []Clause, cost func(Literal) int) []Clause {
	return n.right.prefilter(n.left.prefilter(clauses, cost), cost)
}
