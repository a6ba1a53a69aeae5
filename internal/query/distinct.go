package query

import (
	"strings"
	"unicode/utf8"
)

// mayShare reports whether two of the parts could begin with the same word.
func mayShare(parts []windowPart) bool {
	for i, p := range parts {
		for _, other := range parts[i+1:] {
			if beginAlike(p.node, other.node) {
				return true
			}
		}
	}
	return false
}

func beginAlike(a, b placed) bool {
	for _, x := range beginnings(a, nil) {
		for _, y := range beginnings(b, nil) {
			if strings.HasPrefix(x.Prefix, y.Prefix) || strings.HasPrefix(y.Prefix, x.Prefix) {
				return true
			}
		}
	}
	return false
}

// beginnings appends how the first word of a part begins, as a prefix that ends
// with keyEnd where that is all of it. A tag may have several words, of which the
// first begins as the tag does.
func beginnings(n node, list []Literal) []Literal {
	switch n := n.(type) {
	case or:
		for _, part := range n {
			list = beginnings(part, list)
		}
	case *word:
		list = append(list, beginningOf(n.element))
	case *phrase:
		list = append(list, beginningOf(n.elements[0]))
	case *raw:
		if len(n.terms) > 0 {
			list = append(list, beginningOf(n.terms[0]))
		}
	}
	return list
}

func beginningOf(e element) Literal {
	switch e := e.(type) {
	case *term:
		if e.sigil != 0 {
			return Literal{Prefix: firstCharacter(e.plain)}
		}
		return Literal{Prefix: e.plain + keyEnd}
	case *wildcard:
		if e.sigil != 0 {
			return Literal{Prefix: firstCharacter(e.plain)}
		}
		return Literal{Prefix: e.prefix()}
	}
	return Literal{}
}

func firstCharacter(text string) string {
	_, size := utf8.DecodeRuneInString(text)
	return text[:size]
}

// A crowd is parts that may stand at the same words, one for each time a part is
// needed, and where they do stand.
type crowd struct {
	places []positions
	widths []int
}

// crowd finds the parts. The caller drops the crowd.
func (c *windowCase) crowd(in *text) crowd {
	var made crowd
	for i := range c.parts {
		p := &c.parts[i]
		for range p.times {
			made.places, made.widths = append(made.places, p.starts(in)), append(made.widths, p.width)
		}
	}
	return made
}

func (c crowd) drop(in *text) {
	for _, p := range c.places {
		in.pool.dropSet(p)
	}
}

// keepDistinct leaves those of all from which a stretch holds the parts at different
// words, and reports whether there are any.
func (c *windowCase) keepDistinct(in *text, all positions) bool {
	parts := c.crowd(in)
	found := false
	for s := all.next(0); s >= 0; s = all.next(s + 1) {
		if parts.fit(s, s+c.length, -1, -1) {
			found = true
		} else {
			all[s/64] &^= 1 << (s % 64)
		}
	}
	parts.drop(in)
	return found
}

// standDistinct adds the places of parts in stretches that hold all of them at
// different words.
func (c *windowCase) standDistinct(in *text, from positions, into *spans) {
	parts := c.crowd(in)
	for s := from.next(0); s >= 0; s = from.next(s + 1) {
		for part, places := range parts.places {
			width := parts.widths[part]
			for at := places.next(s); at >= 0 && at+width <= s+c.length; at = places.next(at + 1) {
				if to := into.of(width); to[at/64]&(1<<(at%64)) == 0 && parts.fit(s, s+c.length, part, at) {
					to.add(at)
				}
			}
		}
	}
	parts.drop(in)
}

// fit reports whether each part has a place of its own in the stretch, with one of
// them at a certain place; part -1 leaves all of them free.
func (c crowd) fit(from, to, part, at int) bool {
	owner := map[int]int{} // of a place: the part
	for i := range c.places {
		if i != part && !c.settle(from, to, i, owner, map[int]bool{at: true}) {
			return false
		}
	}
	return true
}

// settle finds a place for a part. One that finds its places taken asks those that
// took them to move on.
func (c crowd) settle(from, to, part int, owner map[int]int, tried map[int]bool) bool {
	// As many places as there are parts are enough: one of them is free.
	for at, n := c.places[part].next(from), 0; at >= 0 && at+c.widths[part] <= to && n <= len(c.places); at, n = c.places[part].next(at+1), n+1 {
		if tried[at] {
			continue
		}
		tried[at] = true
		if holder, taken := owner[at]; !taken || c.settle(from, to, holder, owner, tried) {
			owner[at] = part
			return true
		}
	}
	return false
}
