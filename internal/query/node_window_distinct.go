package query

import (
	"strings"
	"unicode/utf8"
)

// mayOverlap reports whether two parts may start at the same word.
func mayOverlap(parts []windowPart) bool {
	for i, p := range parts {
		for _, other := range parts[i+1:] {
			for _, x := range startPrefixes(p.node, nil) {
				for _, y := range startPrefixes(other.node, nil) {
					if strings.HasPrefix(x, y) || strings.HasPrefix(y, x) {
						return true
					}
				}
			}
		}
	}
	return false
}

// startPrefixes appends the prefixes that the first word of a match of n may have. A prefix that is
// a whole word ends with keySeparator.
func startPrefixes(n node, list []string) []string {
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

// startPrefix returns the prefix of the first word of a match. A tag may have several words. The
// first of them contains at least the first character of the tag.
func startPrefix(m tokenMatcher) string {
	var plain, prefix string
	var sigil byte
	switch m := m.(type) {
	case *term:
		plain, prefix, sigil = m.plain, m.plain+keySeparator, m.sigil
	case *wildcard:
		plain, prefix, sigil = m.plain, m.prefix(), m.sigil
	}
	if sigil != 0 {
		_, size := utf8.DecodeRuneInString(plain)
		return plain[:size]
	}
	return prefix
}

// A partAssignment assigns parts to distinct positions. It is a bipartite matching between the
// parts, each repeated count times, and their start positions.
type partAssignment struct {
	starts []positions // of each part
	widths []int

	// By position in the window: 1 + the part that starts there, and the last attempt that tried to
	// start a part there. A slice is much faster than a map here.
	owners, tried []int
	attempt       int
}

// assignment returns the parts and their start positions. The caller frees it.
func (c *windowCase) assignment(in *text) *partAssignment {
	length := min(c.length, in.positionCount()+1)
	made := &partAssignment{owners: make([]int, length), tried: make([]int, length)}
	for i := range c.parts {
		p := &c.parts[i]
		for range p.count {
			made.starts, made.widths = append(made.starts, p.starts(in)), append(made.widths, p.width)
		}
	}
	return made
}

func (c *partAssignment) free(in *text) {
	for _, p := range c.starts {
		in.pool.freeSet(p)
	}
}

// retainDistinct narrows all to the start positions of windows that can have all parts at distinct
// words. It reports whether any remain.
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

// addDistinctSpans adds the spans of parts in the windows that have all parts at distinct words.
func (c *windowCase) addDistinctSpans(in *text, from positions, dst *spanSet) {
	parts := c.assignment(in)
	for s := from.next(0); s >= 0; s = from.next(s + 1) {
		for part, starts := range parts.starts {
			width := parts.widths[part]
			for at := starts.next(s); at >= 0 && at+width <= s+c.length; at = starts.next(at + 1) {
				if to := dst.withWidth(width); !to.has(at) && parts.feasible(s, s+c.length, part, at) {
					to.add(at)
				}
			}
		}
	}
	parts.free(in)
}

// feasible reports whether each part can start at its own position in the window while the given
// part is fixed at a position. Part -1 fixes none.
func (c *partAssignment) feasible(from, to, part, at int) bool {
	clear(c.owners)
	for i := range c.starts {
		if i == part {
			continue
		}
		c.attempt++
		if part >= 0 {
			c.tried[at-from] = c.attempt
		}
		if !c.augment(from, to, i) {
			return false
		}
	}
	return true
}

// augment finds a position for a part along an augmenting path: it moves the owners of taken
// positions elsewhere if possible.
func (c *partAssignment) augment(from, to, part int) bool {
	// If there are more candidate positions than parts, one of them is free.
	for at, n := c.starts[part].next(from), 0; at >= 0 && at+c.widths[part] <= to && n <= len(c.starts); at, n = c.starts[part].next(at+1), n+1 {
		if c.tried[at-from] == c.attempt {
			continue
		}
		c.tried[at-from] = c.attempt
		if owner := c.owners[at-from]; owner == 0 || c.augment(from, to, owner-1) {
			c.owners[at-from] = part + 1
			return true
		}
	}
	return false
}
