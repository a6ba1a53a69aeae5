package query

import (
	"slices"
	"strings"
)

// A numbers is a set of tokens of a vocabulary, which lie close together.
type numbers struct {
	from, to uint32   // to is behind the last
	bits     []uint64 // nil: all between
}

func (n *numbers) has(number uint32) bool {
	if number-n.from >= n.to-n.from { // wraps around below from
		return false
	}
	i := number - n.from
	return n.bits == nil || n.bits[i/64]&(1<<(i%64)) != 0
}

// appendTo appends the numbers in the set.
func (n *numbers) appendTo(list []uint32) []uint32 {
	for number := n.from; number < n.to; number++ {
		if n.has(number) {
			list = append(list, number)
		}
	}
	return list
}

// lookUp returns the tokens that an element stands for.
func lookUp(e element, v Vocabulary) numbers {
	prefix := ""
	switch e := e.(type) {
	case *term:
		prefix = e.plain + keyEnd
	case *wildcard:
		prefix = e.prefix()
	}
	from, to := v.Prefix(prefix)
	set := numbers{from: uint32(from), to: uint32(to), bits: make([]uint64, (to-from)/64+1)}
	all := true
	for i := from; i < to; i++ {
		if t, ok := parseKey(v.At(i)); ok && t.is(e) {
			set.bits[(i-from)/64] |= 1 << ((i - from) % 64)
		} else {
			all = false
		}
	}
	if all {
		set.bits = nil
	}
	return set
}

// is reports whether the element stands for the token, as matches does.
func (t keyToken) is(e element) bool {
	switch e := e.(type) {
	case *term:
		return t.plain == e.plain && (e.sigil == 0 || e.sigil == t.sigil) && (e.text == e.plain || e.text == t.text) && t.width == e.width
	case *wildcard:
		switch {
		case e.sigil != 0 && e.sigil != t.sigil, e.sigil == 0 && t.width > 1:
			return false
		case e.text == e.plain:
			return globString(e.plain, t.plain)
		}
		return globString(e.text, t.text)
	}
	return false
}

// globString is glob for strings.
func globString(pattern, text string) bool {
	if head, rest, _ := strings.Cut(pattern, "*"); rest == "" && !strings.Contains(head, "?") {
		return strings.HasPrefix(text, head) // the form of most
	}
	return glob(pattern, []byte(text))
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
func (b *Bound) has(e element, t *text) bool {
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
func (b *Bound) mark(e element, t *text, at positions) {
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
func (b *Bound) section(f *field) *text {
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
