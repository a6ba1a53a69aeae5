package query

import "slices"

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
	switch joined := join[and](parts); len(joined) {
	case 0:
		return parts[0]
	case 1:
		return joined[0]
	default:
		return joined
	}
}

// newOr joins parts with OR. One part stands for itself.
func newOr(parts []node) node {
	switch joined := join[or](parts); len(joined) {
	case 0:
		return parts[0]
	case 1:
		return joined[0]
	default:
		return joined
	}
}

// join makes one list of parts and of the parts of those that are such a list. It
// returns none when there is one part only.
func join[list interface {
	~[]node
	node
}](parts []node) list {
	if len(parts) == 1 {
		return nil
	}
	flat := make(list, 0, len(parts))
	for _, p := range parts {
		if inner, ok := p.(list); ok {
			flat = append(flat, inner...)
		} else {
			flat = append(flat, p)
		}
	}
	return distinct(flat)
}

// distinct leaves out parts that are there already, of lists so long that looking
// for one part time and again would matter.
func distinct[parts ~[]node](list parts) parts {
	const long = 32
	if len(list) < long {
		return list
	}
	seen := make(map[string]bool, len(list))
	var spelled []byte
	return slices.DeleteFunc(list, func(n node) bool {
		spelled = n.print(spelled[:0])
		if seen[string(spelled)] {
			return true
		}
		seen[string(spelled)] = true
		return false
	})
}

func (n and) match(in *text) bool {
	for _, part := range n {
		if !part.match(in) {
			return false
		}
	}
	return true
}

func (n or) match(in *text) bool {
	for _, part := range n {
		if part.match(in) {
			return true
		}
	}
	return false
}

func (n *not) match(in *text) bool { return !n.operand.match(in) }

// stand serves an or that is an operand of NEAR or ~, of which all parts are placed.
func (n or) stand(in *text, which end, into *spans) {
	for _, part := range n {
		part.(placed).stand(in, which, into)
	}
}

// follow asks each part for the matches that are its own.
func (n or) follow(in *text, from end, known, into *spans) {
	for _, part := range n {
		all, mine := in.pool.spans(), in.pool.spans()
		part.(placed).stand(in, from, all)
		known.common(all, mine)
		part.(placed).follow(in, from, mine, into)
		all.drop()
		mine.drop()
	}
}

func (n and) show(in *text, into *spans) {
	for _, part := range n {
		part.show(in, into)
	}
}

func (n or) show(in *text, into *spans) {
	for _, part := range n {
		if part.match(in) {
			part.show(in, into)
		}
	}
}

func (n *not) show(*text, *spans) {}

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
