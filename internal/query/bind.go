package query

// A Binding is a query together with a vocabulary: it knows the numbers of the tokens
// it looks for, and finds posts by those, without their text. It is for one goroutine
// at a time.
type Binding struct {
	query   *Query
	numbers map[element]*numbers

	main, title, contents text // of the row that is looked at
}

// Bind looks the words of the query up.
func (q *Query) Bind(v Vocabulary) *Binding {
	b := &Binding{query: q, numbers: map[element]*numbers{}}
	for _, t := range []*text{&b.main, &b.title, &b.contents} {
		t.bound = b
	}
	eachElement(q.root, func(e element) {
		if _, known := b.numbers[e]; !known {
			b.numbers[e] = lookUp(e, v)
		}
	})
	return b
}

// eachElement calls f for what a query looks for in title and contents.
func eachElement(n node, f func(element)) {
	switch n := n.(type) {
	case and:
		for _, part := range n {
			eachElement(part, f)
		}
	case or:
		for _, part := range n {
			eachElement(part, f)
		}
	case *not:
		eachElement(n.operand, f)
	case *word:
		f(n.element)
	case *phrase:
		for _, e := range n.elements {
			f(e)
		}
	case *raw:
		for _, t := range n.terms {
			f(t)
		}
	case *near:
		eachElement(n.left, f)
		eachElement(n.right, f)
	case *window:
		for _, p := range n.parts {
			eachElement(p, f)
		}
	case *textField:
		if n.inText() {
			eachElement(n.leaf, f)
		}
	}
}

// ofWordsOnly reports whether a node asks for nothing but words of title and contents,
// so that matches can tell.
func ofWordsOnly(n node) bool {
	switch n := n.(type) {
	case and:
		return allOf(n, ofWordsOnly)
	case or:
		return allOf(n, ofWordsOnly)
	case *not:
		return ofWordsOnly(n.operand)
	case *near:
		return ofWordsOnly(n.left) && ofWordsOnly(n.right)
	case *window:
		for _, p := range n.parts {
			if !ofWordsOnly(p) {
				return false
			}
		}
		return true
	case *textField:
		return n.inText() && ofWordsOnly(n.leaf)
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

// matches reports whether a node of words only selects the post with these words, which
// are what Document.AppendTokenIDs made of it.
func (b *Binding) matches(n node, words []uint32) bool {
	b.main.setNumbers(words)
	b.title.found, b.contents.found = false, false
	return n.match(&b.main)
}
