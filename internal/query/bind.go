package query

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
