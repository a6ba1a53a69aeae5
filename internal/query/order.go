package query

// rowMatcher returns what tells whether a node selects the post with these words, by the order
// that they stand in.
func (b *Binding) rowMatcher(n node) func(words []uint32) bool {
	byPositions := func(words []uint32) bool { return b.matchTokenIDs(n, words) }
	p, ok := n.(*phrase)
	if !ok {
		return byPositions
	}
	sets := make([]*tokenSet, len(p.matchers))
	for i, e := range p.matchers {
		if e.width() > 1 {
			return byPositions
		}
		sets[i] = b.tokens[e]
	}
	return func(words []uint32) bool {
		if len(words) == 0 || words[0] > 0 { // tags of several words stand beside the others
			return byPositions(words)
		}
		return containsSequence(words[1:], sets)
	}
}

// containsSequence reports whether tokens of the sets follow one another among the words.
func containsSequence(words []uint32, sets []*tokenSet) bool {
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
