package query

import (
	"strings"
	"unicode/utf8"
)

// mayOverlap reports whether two of the parts could begin with the same word.
func mayOverlap(parts []windowPart) bool {
	for i, p := range parts {
		for _, other := range parts[i+1:] {
			if mayStartAlike(p.node, other.node) {
				return true
			}
		}
	}
	return false
}

func mayStartAlike(a, b spanNode) bool {
	for _, x := range startPrefixes(a, nil) {
		for _, y := range startPrefixes(b, nil) {
			if strings.HasPrefix(x.Prefix, y.Prefix) || strings.HasPrefix(y.Prefix, x.Prefix) {
				return true
			}
		}
	}
	return false
}

// startPrefixes appends how the first word of a part begins, as a prefix that ends
// with keySeparator where that is all of it. A tag may have several words, of which the
// first begins as the tag does.
func startPrefixes(n node, list []Literal) []Literal {
	switch n := n.(type) {
	case or:
		for _, part := range n {
			list = startPrefixes(part, list)
		}
	case *word:
		list = append(list, startPrefix(n.matcher))
	case *phrase:
		list = append(list, startPrefix(n.matchers[0]))
	case *exact:
		if len(n.terms) > 0 {
			list = append(list, startPrefix(n.terms[0]))
		}
	}
	return list
}

func startPrefix(e tokenMatcher) Literal {
	switch e := e.(type) {
	case *term:
		if e.sigil != 0 {
			return Literal{Prefix: firstCharacter(e.plain)}
		}
		return Literal{Prefix: e.plain + keySeparator}
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

// A partAssignment is parts that may stand at the same words, one for each time a part is
// needed, and where they do stand.
type partAssignment struct {
	starts []positions
	widths []int
}

// assignment finds the parts. The caller drops the crowd.
func (c *windowCase) assignment(in *text) partAssignment {
	var made partAssignment
	for i := range c.parts {
		p := &c.parts[i]
		for range p.count {
			made.starts, made.widths = append(made.starts, p.starts(in)), append(made.widths, p.width)
		}
	}
	return made
}

func (c partAssignment) free(in *text) {
	for _, p := range c.starts {
		in.pool.freeSet(p)
	}
}

// retainDistinct leaves those of all from which a stretch holds the parts at different
// words, and reports whether there are any.
func (c *windowCase) retainDistinct(in *text, all positions) bool {
	parts := c.assignment(in)
	found := false
	for s := all.next(0); s >= 0; s = all.next(s + 1) {
		if parts.feasible(s, s+c.length, -1, -1) {
			found = true
		} else {
			all[s/64] &^= 1 << (s % 64)
		}
	}
	parts.free(in)
	return found
}

// addDistinctSpans adds the places of parts in stretches that hold all of them at
// different words.
func (c *windowCase) addDistinctSpans(in *text, from positions, into *spanSet) {
	parts := c.assignment(in)
	for s := from.next(0); s >= 0; s = from.next(s + 1) {
		for part, places := range parts.starts {
			width := parts.widths[part]
			for at := places.next(s); at >= 0 && at+width <= s+c.length; at = places.next(at + 1) {
				if to := into.withWidth(width); to[at/64]&(1<<(at%64)) == 0 && parts.feasible(s, s+c.length, part, at) {
					to.add(at)
				}
			}
		}
	}
	parts.free(in)
}

// feasible reports whether each part has a place of its own in the stretch, with one of
// them at a certain place; part -1 leaves all of them free.
func (c partAssignment) feasible(from, to, part, at int) bool {
	owner := map[int]int{} // of a place: the part
	for i := range c.starts {
		if i != part && !c.augment(from, to, i, owner, map[int]bool{at: true}) {
			return false
		}
	}
	return true
}

// augment finds a place for a part. One that finds its places taken asks those that
// took them to move on.
func (c partAssignment) augment(from, to, part int, owner map[int]int, tried map[int]bool) bool {
	// As many places as there are parts are enough: one of them is free.
	for at, n := c.starts[part].next(from), 0; at >= 0 && at+c.widths[part] <= to && n <= len(c.starts); at, n = c.starts[part].next(at+1), n+1 {
		if tried[at] {
			continue
		}
		tried[at] = true
		if holder, taken := owner[at]; !taken || c.augment(from, to, holder, owner, tried) {
			owner[at] = part
			return true
		}
	}
	return false
}
