package query

// near matches texts in which its operands stand with at most distance words
// between them; when ordered, left before right. An operand that is itself a near
// stands for the words that took part in it: for the last of them towards what
// has to follow, for the first towards what has to precede.
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
	case !n.ordered:
		firsts, lasts := into, into
		if which == foremost {
			lasts = nil
		} else if which == hindmost {
			firsts = nil
		}
		n.meet(left, right, firsts, lasts)
		n.meet(right, left, firsts, lasts)
	case which == anywhere:
		n.meet(left, right, into, into)
	case which == foremost:
		n.standAt(in, n.left, left, right, which, into)
	default:
		n.standAt(in, n.right, left, right, which, into)
	}
	left.drop()
	right.drop()
}

// standAt adds the outer words of an ordered near: those of its operand at that
// end, which are others than met the distance when the operand is a near too.
func (n *near) standAt(in *text, operand placed, left, right *spans, which end, into *spans) {
	if _, nested := operand.(*near); nested {
		if n.meet(left, right, nil, nil) {
			operand.stand(in, which, into)
		}
		return
	}
	if which == foremost {
		n.meet(left, right, into, nil)
	} else {
		n.meet(left, right, nil, into)
	}
}

func (n *near) show(in *text, into *spans) { n.stand(in, anywhere, into) }

func (n *near) levels() int           { return 1 + max(n.left.levels(), n.right.levels()) }
func (*near) positive(want bool) bool { return want }

func (n *near) needs(groups []Group, cost func(Key) int) []Group {
	return n.right.needs(n.left.needs(groups, cost), cost)
}
