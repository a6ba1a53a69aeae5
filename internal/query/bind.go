package query

import "slices"

// A Binding is a query together with a vocabulary: it knows the numbers of the tokens
// it looks for, and finds posts by those, without their text. It is for one goroutine
// at a time.
type Binding struct {
	query  *Query
	tokens map[tokenMatcher]*tokenSet

	main, title, contents text // of the row that is looked at
}

// Bind looks the words of the query up.
func (q *Query) Bind(v Vocabulary) *Binding {
	b := &Binding{query: q, tokens: map[tokenMatcher]*tokenSet{}}
	for _, t := range []*text{&b.main, &b.title, &b.contents} {
		t.binding = b
	}
	walkMatchers(q.root, func(e tokenMatcher) {
		if _, known := b.tokens[e]; !known {
			b.tokens[e] = findTokens(e, v)
		}
	})
	return b
}

// walkMatchers calls f for what a query looks for in title and contents.
func walkMatchers(n node, f func(tokenMatcher)) {
	switch n := n.(type) {
	case and:
		for _, part := range n {
			walkMatchers(part, f)
		}
	case or:
		for _, part := range n {
			walkMatchers(part, f)
		}
	case *not:
		walkMatchers(n.operand, f)
	case *word:
		f(n.matcher)
	case *phrase:
		for _, e := range n.matchers {
			f(e)
		}
	case *exact:
		for _, t := range n.terms {
			f(t)
		}
	case *near:
		walkMatchers(n.left, f)
		walkMatchers(n.right, f)
	case *window:
		for _, p := range n.parts {
			walkMatchers(p, f)
		}
	case *textField:
		if n.inText() {
			walkMatchers(n.leaf, f)
		}
	}
}

// searchesTextOnly reports whether a node asks for nothing but words of title and contents,
// so that matches can tell.
func searchesTextOnly(n node) bool {
	switch n := n.(type) {
	case and:
		return allOf(n, searchesTextOnly)
	case or:
		return allOf(n, searchesTextOnly)
	case *not:
		return searchesTextOnly(n.operand)
	case *near:
		return searchesTextOnly(n.left) && searchesTextOnly(n.right)
	case *window:
		for _, p := range n.parts {
			if !searchesTextOnly(p) {
				return false
			}
		}
		return true
	case *textField:
		return n.inText() && searchesTextOnly(n.leaf)
	case *word, *phrase:
		return true
	}
	return false
}

func allOf(nodes []node, f func(node) bool) bool {
	for _, n := range nodes {
		if !f(n) {
			return false
		}
	}
	return true
}

// matchTokenIDs reports whether a node of words only selects the post with these words, which
// are what Document.AppendTokenIDs made of it.
func (b *Binding) matchTokenIDs(n node, words []uint32) bool {
	b.main.setTokenIDs(words)
	b.title.sectionReady, b.contents.sectionReady = false, false
	return n.match(&b.main)
}

// A tokenSet is a set of tokens of a vocabulary, which lie close together.
type tokenSet struct {
	first, end  uint32   // to is behind the last
	bits        []uint64 // nil: all between
	tokens      []uint32 // the set as a list
	cardinality int      // 1 + about how many have one of them, once that was asked for
}

func (n *tokenSet) has(number uint32) bool {
	if number-n.first >= n.end-n.first { // wraps around below from
		return false
	}
	i := number - n.first
	return n.bits == nil || n.bits[i/64]&(1<<(i%64)) != 0
}

// findTokens returns the tokens that an element stands for.
func findTokens(e tokenMatcher, v Vocabulary) *tokenSet {
	var is func(keyParts) bool
	prefix := ""
	switch e := e.(type) {
	case *term:
		prefix, is = e.plain+keySeparator, e.matchesKey
	case *wildcard:
		prefix, is = e.prefix(), e.keyMatcher()
	}
	set := new(tokenSet)
	set.first, set.end = v.Prefix(prefix)
	for i, key := range v.Keys(set.first, set.end) {
		if t, ok := parseKey(key); ok && is(t) {
			set.tokens = append(set.tokens, i)
		}
	}
	if len(set.tokens) < int(set.end-set.first) {
		set.buildBits()
	}
	return set
}

// buildBits gives the set the bits of its tokens.
func (n *tokenSet) buildBits() {
	if len(n.tokens) == 0 {
		n.end = n.first
		return
	}
	n.first, n.end = n.tokens[0], n.tokens[len(n.tokens)-1]+1
	n.bits = make([]uint64, (n.end-n.first)/64+1)
	for _, number := range n.tokens {
		i := number - n.first
		n.bits[i/64] |= 1 << (i % 64)
	}
}

// matchesKey reports what matches does, of a key.
func (m *term) matchesKey(t keyParts) bool {
	return string(t.plain) == m.plain && (m.sigil == 0 || m.sigil == t.sigil) && (m.text == m.plain || string(t.text) == m.text) && t.width == m.tokenWidth
}

// keyMatcher is matchesKey for the keys that begin with the wildcard's prefix. Most wildcards
// have nothing after that.
func (m *wildcard) keyMatcher() func(keyParts) bool {
	onlyPrefix := m.text == m.plain && m.plain == m.prefix()+"*"
	return func(t keyParts) bool {
		switch {
		case m.sigil != 0 && m.sigil != t.sigil, m.sigil == 0 && t.width > 1:
			return false
		case onlyPrefix:
			return true
		case m.text == m.plain:
			return glob(m.plain, t.plain)
		}
		return glob(m.text, t.text)
	}
}

// setTokenIDs makes t the text of a post by the numbers of its tokens.
func (t *text) setTokenIDs(words []uint32) {
	t.tokenIDs, t.tagIDs = nil, nil
	if len(words) > 0 {
		tags := min(2*int(words[0]), len(words)-1) / 2 * 2
		t.tagIDs, t.tokenIDs = words[1:1+tags], words[1+tags:]
	}
	t.pool.size = len(t.tokenIDs)/64 + 1
}

// contains reports whether an element stands in a text of numbers.
func (b *Binding) contains(e tokenMatcher, t *text) bool {
	set := b.tokens[e]
	for _, n := range t.tokenIDs {
		if set.has(n) {
			return true
		}
	}
	for i := 1; i < len(t.tagIDs); i += 2 {
		if set.has(t.tagIDs[i]) {
			return true
		}
	}
	return false
}

// addPositions adds the positions where an element stands in a text of numbers.
func (b *Binding) addPositions(e tokenMatcher, t *text, at positions) {
	set := b.tokens[e]
	for i, n := range t.tokenIDs {
		if set.has(n) {
			at.add(i)
		}
	}
	for i := 1; i < len(t.tagIDs); i += 2 {
		if position := t.tagIDs[i-1]; set.has(t.tagIDs[i]) && int(position) < len(t.tokenIDs) {
			at.add(int(position))
		}
	}
}

// section returns the title or the contents of a text of numbers.
func (b *Binding) section(f *field) *text {
	between := slices.Index(b.main.tokenIDs, 0) // -1: there are only contents
	t, from, to := &b.contents, between+1, len(b.main.tokenIDs)
	if f.name == "title" {
		t, from, to = &b.title, 0, max(between, 0)
	}
	if !t.sectionReady {
		t.sectionReady = true
		t.tokenIDs, t.tagIDs = b.main.tokenIDs[from:to], t.tagIDs[:0]
		for i := 1; i < len(b.main.tagIDs); i += 2 {
			if position := int(b.main.tagIDs[i-1]); from <= position && position < to {
				t.tagIDs = append(t.tagIDs, uint32(position-from), b.main.tagIDs[i])
			}
		}
		t.pool.size = len(t.tokenIDs)/64 + 1
	}
	return t
}

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
