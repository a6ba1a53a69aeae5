package query

// near matches texts in which its operands stand with at most distance words
// between them; when ordered, left before right. An operand that is itself a near
// stands for the words that met there; towards what has to follow for the last word
// of its matches, and towards what has to precede for the first.
type near struct {
	left, right placed
	distance    int
	ordered     bool
}

func (n *near) match(in *text) bool {
	left, right := n.operands(in)
	found := n.meet(left, right, nil, nil)
	if !found && !n.ordered {
		found = n.meet(right, left, nil, nil)
	}
	left.drop()
	right.drop()
	return found
}

// operands finds both operands, as far as they concern this node.
func (n *near) operands(in *text) (left, right *spans) {
	left, right = in.pool.spans(), in.pool.spans()
	leftEnd, rightEnd := anywhere, anywhere
	if n.ordered {
		leftEnd, rightEnd = hindmost, foremost
	}
	if n.left.stand(in, leftEnd, left); len(left.runs) > 0 {
		n.right.stand(in, rightEnd, right)
	}
	return left, right
}

// meet reports whether one of a is followed by one of b with at most distance
// words between them. It adds those of a that are to firsts and those of b that
// follow to lasts.
func (n *near) meet(a, b *spans, firsts, lasts *spans) bool {
	if len(a.runs) == 0 || len(b.runs) == 0 {
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
	a.pool.dropSet(reached)
	a.pool.dropSet(starts)
	return found
}

func (n *near) stand(in *text, which end, into *spans) {
	left, right := n.operands(in)
	switch {
	case n.ordered:
		n.standInOrder(in, which, left, right, into)
	case which == anywhere:
		n.meet(left, right, into, into)
		n.meet(right, left, into, into)
	case which == foremost:
		n.meet(left, right, into, nil)
		n.meet(right, left, into, nil)
	default:
		n.meet(left, right, nil, into)
		n.meet(right, left, nil, into)
	}
	left.drop()
	right.drop()
}

func (n *near) standInOrder(in *text, which end, left, right, into *spans) {
	met := in.pool.spans()
	switch which {
	case anywhere:
		n.meet(left, right, into, into)
	case foremost:
		n.meet(left, right, met, nil)
		n.left.follow(in, hindmost, met, into)
	default:
		n.meet(left, right, nil, met)
		n.right.follow(in, foremost, met, into)
	}
	met.drop()
}

// follow goes through the matches of which known are the words at one end, and adds
// those at the other.
func (n *near) follow(in *text, from end, known, into *spans) {
	if len(known.runs) == 0 {
		return
	}
	if !n.ordered {
		n.followPairs(in, from, known, into)
		return
	}
	near, far := n.left, n.right // what known are words of, and where to go
	if from == hindmost {
		near, far = far, near
	}
	inner, outer, met := in.pool.spans(), in.pool.spans(), in.pool.spans()
	near.follow(in, from, known, inner)
	far.stand(in, from, outer)
	if from == foremost {
		n.meet(inner, outer, nil, met)
	} else {
		n.meet(outer, inner, met, nil)
	}
	far.follow(in, from, met, into)
	inner.drop()
	outer.drop()
	met.drop()
}

// followPairs is follow where either operand may come first.
func (n *near) followPairs(in *text, from end, known, into *spans) {
	left, right := n.operands(in)
	for _, other := range []*spans{left, right} {
		mine, same := left, in.pool.spans()
		if other == left {
			mine = right
		}
		known.common(mine, same)
		if from == foremost {
			n.meet(same, other, nil, into)
		} else {
			n.meet(other, same, into, nil)
		}
		same.drop()
	}
	left.drop()
	right.drop()
}

func (n *near) show(in *text, into *spans) { n.stand(in, anywhere, into) }

func (n *near) levels() int           { return 1 + max(n.left.levels(), n.right.levels()) }
func (*near) positive(want bool) bool { return want }

func (n *near) needs(groups []Clause, cost func(Literal) int) []Clause {
	return n.right.needs(n.left.needs(groups, cost), cost)
}
