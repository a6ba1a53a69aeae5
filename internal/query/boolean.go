package query

type (
	// and holds two or more parts that must all match. None of them is an and.
	and []node

	// or holds two or more parts of which one must match. None of them is an or.
	or []node

	// not matches where its operand does not.
	not struct{ operand node }
)

// newAnd joins parts with AND. One part stands for itself.
func newAnd(parts []node) node {
	var flat and
	for _, p := range parts {
		if inner, ok := p.(and); ok {
			flat = append(flat, inner...)
		} else {
			flat = append(flat, p)
		}
	}
	if len(flat) == 1 {
		return flat[0]
	}
	return flat
}

// newOr joins parts with OR. One part stands for itself.
func newOr(parts []node) node {
	var flat or
	for _, p := range parts {
		if inner, ok := p.(or); ok {
			flat = append(flat, inner...)
		} else {
			flat = append(flat, p)
		}
	}
	if len(flat) == 1 {
		return flat[0]
	}
	return flat
}

func (n and) match(d *Document) bool {
	for _, part := range n {
		if !part.match(d) {
			return false
		}
	}
	return true
}

func (n or) match(d *Document) bool {
	for _, part := range n {
		if part.match(d) {
			return true
		}
	}
	return false
}

func (n *not) match(d *Document) bool { return !n.operand.match(d) }

func (n and) levels() int { return 1 + maxLevelsOf(n) }
func (n or) levels() int  { return 1 + maxLevelsOf(n) }

func (n *not) levels() int {
	if inner, double := n.operand.(*not); double {
		return 1 + inner.levels() // NOT (NOT x)
	}
	return n.operand.levels()
}

func (n and) positive(want bool) bool  { return anyPositive(n, want) }
func (n or) positive(want bool) bool   { return anyPositive(n, want) }
func (n *not) positive(want bool) bool { return n.operand.positive(!want) }
