package query

import "slices"

// A numbers is a set of tokens of a vocabulary, which lie close together.
type numbers struct {
	from, to uint32   // to is behind the last
	bits     []uint64 // nil: all between
	tokens   []uint32 // the set as a list
	rows     int      // 1 + about how many have one of them, once that was asked for
}

func (n *numbers) has(number uint32) bool {
	if number-n.from >= n.to-n.from { // wraps around below from
		return false
	}
	i := number - n.from
	return n.bits == nil || n.bits[i/64]&(1<<(i%64)) != 0
}

// lookUp returns the tokens that an element stands for.
func lookUp(e element, v Vocabulary) *numbers {
	var is func(keyToken) bool
	prefix := ""
	switch e := e.(type) {
	case *term:
		prefix, is = e.plain+keyEnd, e.isKey
	case *wildcard:
		prefix, is = e.prefix(), e.keyTest()
	}
	set := new(numbers)
	set.from, set.to = v.Prefix(prefix)
	for i, key := range v.Keys(set.from, set.to) {
		if t, ok := parseKey(key); ok && is(t) {
			set.tokens = append(set.tokens, i)
		}
	}
	if len(set.tokens) < int(set.to-set.from) {
		set.thin()
	}
	return set
}

// thin gives the set the bits of its tokens.
func (n *numbers) thin() {
	if len(n.tokens) == 0 {
		n.to = n.from
		return
	}
	n.from, n.to = n.tokens[0], n.tokens[len(n.tokens)-1]+1
	n.bits = make([]uint64, (n.to-n.from)/64+1)
	for _, number := range n.tokens {
		i := number - n.from
		n.bits[i/64] |= 1 << (i % 64)
	}
}

// isKey reports what matches does, of a key.
func (m *term) isKey(t keyToken) bool {
	return string(t.plain) == m.plain && (m.sigil == 0 || m.sigil == t.sigil) && (m.text == m.plain || string(t.text) == m.text) && t.width == m.width
}

// keyTest is isKey for the keys that begin with the wildcard's prefix. Most wildcards
// have nothing after that.
func (m *wildcard) keyTest() func(keyToken) bool {
	onlyPrefix := m.text == m.plain && m.plain == m.prefix()+"*"
	return func(t keyToken) bool {
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

// setNumbers makes t the text of a post by the numbers of its tokens.
func (t *text) setNumbers(words []uint32) {
	t.numbers, t.tagNumbers = nil, nil
	if len(words) > 0 {
		tags := min(2*int(words[0]), len(words)-1) / 2 * 2
		t.tagNumbers, t.numbers = words[1:1+tags], words[1+tags:]
	}
	t.pool.size = len(t.numbers)/64 + 1
}

// has reports whether an element stands in a text of numbers.
func (b *Binding) has(e element, t *text) bool {
	set := b.numbers[e]
	for _, n := range t.numbers {
		if set.has(n) {
			return true
		}
	}
	for i := 1; i < len(t.tagNumbers); i += 2 {
		if set.has(t.tagNumbers[i]) {
			return true
		}
	}
	return false
}

// mark adds the positions where an element stands in a text of numbers.
func (b *Binding) mark(e element, t *text, at positions) {
	set := b.numbers[e]
	for i, n := range t.numbers {
		if set.has(n) {
			at.add(i)
		}
	}
	for i := 1; i < len(t.tagNumbers); i += 2 {
		if position := t.tagNumbers[i-1]; set.has(t.tagNumbers[i]) && int(position) < len(t.numbers) {
			at.add(int(position))
		}
	}
}

// section returns the title or the contents of a text of numbers.
func (b *Binding) section(f *field) *text {
	between := slices.Index(b.main.numbers, 0) // -1: there are only contents
	t, from, to := &b.contents, between+1, len(b.main.numbers)
	if f.name == "title" {
		t, from, to = &b.title, 0, max(between, 0)
	}
	if !t.found {
		t.found = true
		t.numbers, t.tagNumbers = b.main.numbers[from:to], t.tagNumbers[:0]
		for i := 1; i < len(b.main.tagNumbers); i += 2 {
			if position := int(b.main.tagNumbers[i-1]); from <= position && position < to {
				t.tagNumbers = append(t.tagNumbers, uint32(position-from), b.main.tagNumbers[i])
			}
		}
		t.pool.size = len(t.numbers)/64 + 1
	}
	return t
}
