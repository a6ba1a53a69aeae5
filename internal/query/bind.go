package query

import "slices"

// A Binding is a query bound to a [Vocabulary]. It has the IDs of the tokens that the query
// searches for, so it can match posts without their text. It is not safe for concurrent use.
type Binding struct {
	query  *Query
	tokens map[tokenMatcher]*tokenSet

	main, title, contents text // of the current row
}

// Bind looks up the tokens of the query in a vocabulary.
func (q *Query) Bind(v Vocabulary) *Binding {
	b := &Binding{query: q, tokens: map[tokenMatcher]*tokenSet{}}
	for _, t := range []*text{&b.main, &b.title, &b.contents} {
		t.binding = b
	}
	walkMatchers(q.root, func(m tokenMatcher) {
		if b.tokens[m] == nil {
			b.tokens[m] = findTokens(m, v)
		}
	})
	return b
}

// walkMatchers calls f for each matcher that the query applies to title and contents.
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
		for _, m := range n.matchers {
			f(m)
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

// searchesTextOnly reports whether a node depends only on the tokens of title and contents, which
// means that matchTokenIDs can evaluate it.
func searchesTextOnly(n node) bool {
	searchesMore := func(n node) bool { return !searchesTextOnly(n) }
	switch n := n.(type) {
	case and:
		return !slices.ContainsFunc(n, searchesMore)
	case or:
		return !slices.ContainsFunc(n, searchesMore)
	case *not:
		return searchesTextOnly(n.operand)
	case *near:
		return searchesTextOnly(n.left) && searchesTextOnly(n.right)
	case *window:
		return !slices.ContainsFunc(n.parts, func(p spanNode) bool { return searchesMore(p) })
	case *textField:
		return n.inText() && searchesTextOnly(n.leaf)
	case *word, *phrase:
		return true
	}
	return false
}

// matchTokenIDs reports whether a node selects the post with these token IDs, as encoded by
// [Document.AppendTokenIDs]. searchesTextOnly must hold for the node.
func (b *Binding) matchTokenIDs(n node, ids []uint32) bool {
	b.main.setTokenIDs(ids)
	b.title.sectionReady, b.contents.sectionReady = false, false
	return n.match(&b.main)
}

// rowMatcher returns a function that reports whether a node selects the post with the given token
// IDs. Phrases in posts without multi-word tags, the usual case, need no position sets.
func (b *Binding) rowMatcher(n node) func(ids []uint32) bool {
	byPositions := func(ids []uint32) bool { return b.matchTokenIDs(n, ids) }
	p, ok := n.(*phrase)
	if !ok {
		return byPositions
	}
	sets := make([]*tokenSet, len(p.matchers))
	for i, m := range p.matchers {
		if m.width() > 1 {
			return byPositions
		}
		sets[i] = b.tokens[m]
	}
	return func(ids []uint32) bool {
		if len(ids) == 0 || ids[0] > 0 {
			return byPositions(ids)
		}
		return containsSequence(ids[1:], sets)
	}
}

// containsSequence reports whether consecutive IDs belong to the sets, in order.
func containsSequence(ids []uint32, sets []*tokenSet) bool {
	first, others := sets[0], sets[1:]
next:
	for i := range len(ids) - len(others) {
		if !first.has(ids[i]) {
			continue
		}
		for j, set := range others {
			if !set.has(ids[i+1+j]) {
				continue next
			}
		}
		return true
	}
	return false
}

// A tokenSet is a set of token IDs. They are usually close together.
type tokenSet struct {
	first, end  uint32   // all IDs are in [first, end)
	bits        []uint64 // a bit for each ID starting at first; nil if all of them are in the set
	tokens      []uint32 // the set as a list
	cardinality int      // 1 + estimated number of rows with one of the tokens; 0 if not estimated yet
}

func (s *tokenSet) has(id uint32) bool {
	if id-s.first >= s.end-s.first { // wraps around below first
		return false
	}
	i := id - s.first
	return s.bits == nil || s.bits[i/64]&(1<<(i%64)) != 0
}

// findTokens returns the tokens of the vocabulary that m matches.
func findTokens(m tokenMatcher, v Vocabulary) *tokenSet {
	var matches func(KeyToken) bool
	prefix := ""
	switch m := m.(type) {
	case *term:
		prefix, matches = m.plain+keySeparator, m.matchesKey
	case *wildcard:
		prefix, matches = m.prefix(), m.keyMatcher()
	}
	set := new(tokenSet)
	set.first, set.end = v.Prefix(prefix)
	for id, key := range v.Keys(set.first, set.end) {
		if t, ok := ParseKey(key); ok && matches(t) {
			set.tokens = append(set.tokens, id)
		}
	}
	switch n := len(set.tokens); {
	case n == 0:
		set.end = set.first
	case n < int(set.end-set.first):
		set.first, set.end = set.tokens[0], set.tokens[n-1]+1
		set.bits = make([]uint64, (set.end-set.first)/64+1)
		for _, id := range set.tokens {
			i := id - set.first
			set.bits[i/64] |= 1 << (i % 64)
		}
	}
	return set
}

// matchesKey is matches for a decoded key.
func (m *term) matchesKey(t KeyToken) bool {
	return string(t.Plain) == m.plain && (m.sigil == 0 || m.sigil == t.Sigil) &&
		(m.text == m.plain || string(t.Text) == m.text) && t.Width == m.tokenWidth
}

// keyMatcher returns a match function for keys that start with the wildcard's prefix. Most
// wildcards consist of only a prefix and *.
func (m *wildcard) keyMatcher() func(KeyToken) bool {
	onlyPrefix := m.text == m.plain && m.plain == m.prefix()+"*"
	return func(t KeyToken) bool {
		switch {
		case m.sigil != 0 && m.sigil != t.Sigil, m.sigil == 0 && t.Width > 1:
			return false
		case onlyPrefix:
			return true
		case m.text == m.plain:
			return glob(m.plain, t.Plain)
		}
		return glob(m.text, t.Text)
	}
}

// setTokenIDs replaces the text with a post's encoded token IDs.
func (t *text) setTokenIDs(ids []uint32) {
	t.tokenIDs, t.tagIDs = nil, nil
	if len(ids) > 0 {
		tags := min(2*int(ids[0]), len(ids)-1) / 2 * 2
		t.tagIDs, t.tokenIDs = ids[1:1+tags], ids[1+tags:]
	}
	t.pool.size = len(t.tokenIDs)/64 + 1
}

// contains reports whether m occurs in a text of token IDs.
func (b *Binding) contains(m tokenMatcher, t *text) bool {
	set := b.tokens[m]
	for _, id := range t.tokenIDs {
		if set.has(id) {
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

// addPositions adds the positions where m occurs in a text of token IDs.
func (b *Binding) addPositions(m tokenMatcher, t *text, to positions) {
	set := b.tokens[m]
	for i, id := range t.tokenIDs {
		if set.has(id) {
			to.add(i)
		}
	}
	for i := 1; i < len(t.tagIDs); i += 2 {
		if position := t.tagIDs[i-1]; set.has(t.tagIDs[i]) && int(position) < len(t.tokenIDs) {
			to.add(int(position))
		}
	}
}

// section returns the title or the contents of the current row.
func (b *Binding) section(f *field) *text {
	gap := slices.Index(b.main.tokenIDs, 0) // between title and contents; -1 if there is no title
	t, from, to := &b.contents, gap+1, len(b.main.tokenIDs)
	if f.name == "title" {
		t, from, to = &b.title, 0, max(gap, 0)
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
