package query

// test returns what tells whether a node selects the post with these words, by the order
// that they stand in.
func (b *Binding) test(n node) func(words []uint32) bool {
	byPositions := func(words []uint32) bool { return b.matches(n, words) }
	p, ok := n.(*phrase)
	if !ok {
		return byPositions
	}
	sets := make([]*numbers, len(p.elements))
	for i, e := range p.elements {
		if e.span() > 1 {
			return byPositions
		}
		sets[i] = b.numbers[e]
	}
	return func(words []uint32) bool {
		if len(words) == 0 || words[0] > 0 { // tags of several words stand beside the others
			return byPositions(words)
		}
		return follow(words[1:], sets)
	}
}

// follow reports whether tokens of the sets follow one another among the words.
func follow(words []uint32, sets []*numbers) bool {
	first, others := sets[0], sets[1:]
next:
	for i := range len(words) - len(others) {
		if !first.has(words[i]) {
			continue
		}
		for j, set := range others {
			if !set.has(words[i+1+j]) {
				continue next
			}
		}
		return true
	}
	return false
}
