package query

import "slices"

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
