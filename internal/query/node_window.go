package query

import (
	"cmp"
	"slices"
)

// window matches texts in which all parts occur close together, in any order: within a window that
// has at most distance words in addition to one match of each part. No two parts may start at the
// same word. Example: "red green blue"~5.
type window struct {
	parts    []spanNode
	distance int
	quoted   bool         // written as "a b c"~n, so no part needs spaces
	cases    []windowCase // one for each combination of the parts' widths
}

// A windowCase is a window in which each part has a single width.
type windowCase struct {
	parts      []windowPart
	length     int  // of the window, in positions
	mayOverlap bool // different parts may start at the same word
}

type windowPart struct {
	node    spanNode // all its matches have this width
	printed string   // the normal form of the whole part
	width   int
	count   int // the number of matches the window needs
}

// maxCases limits the combinations of widths, because each one is matched separately. Few parts
// have more than one width.
const maxCases = 8

// newWindow returns a window, or false if there are more than maxCases combinations of widths.
func newWindow(parts []spanNode, distance int, quoted bool) (*window, bool) {
	n := &window{parts: parts, distance: distance, quoted: quoted}
	n.cases = []windowCase{{length: distance}}
	for _, p := range parts {
		alternatives := byWidth(p)
		var next []windowCase
		for _, c := range n.cases {
			for _, a := range alternatives {
				next = append(next, c.with(a))
			}
		}
		if n.cases = next; len(next) > maxCases {
			return nil, false
		}
	}
	for i := range n.cases {
		c := &n.cases[i]
		slices.SortStableFunc(c.parts, func(a, b windowPart) int { return cmp.Compare(a.count, b.count) })
		c.mayOverlap = mayOverlap(c.parts)
	}
	return n, true
}

// with returns a copy of c with one more part.
func (c windowCase) with(part windowPart) windowCase {
	made := windowCase{parts: slices.Clone(c.parts), length: c.length + part.width}
	for i := range made.parts {
		if p := &made.parts[i]; p.width == part.width && p.printed == part.printed {
			p.count++
			return made
		}
	}
	made.parts = append(made.parts, part)
	return made
}

// byWidth splits a word, phrase, exact text or an or of these into nodes with a single width each.
func byWidth(n spanNode) []windowPart {
	printed := string(n.print(nil))
	alternatives, ok := n.(or)
	if !ok {
		return []windowPart{{node: n, printed: printed, width: widthOf(n), count: 1}}
	}
	var widths []int
	grouped := map[int][]node{}
	for _, a := range alternatives {
		w := widthOf(a)
		if grouped[w] == nil {
			widths = append(widths, w)
		}
		grouped[w] = append(grouped[w], a)
	}
	var parts []windowPart
	for _, w := range widths {
		parts = append(parts, windowPart{node: newOr(grouped[w]).(spanNode), printed: printed, width: w, count: 1})
	}
	return parts
}

func widthOf(n node) int {
	switch n := n.(type) {
	case *word:
		return n.matcher.width()
	case *phrase:
		return n.width()
	case *exact:
		return n.width()
	}
	panic("query: window part without a width")
}

func (n *window) match(in *text) bool {
	for i := range n.cases {
		if starts := n.cases[i].find(in); starts != nil {
			in.pool.freeSet(starts)
			return true
		}
	}
	return false
}

// find returns the start positions of windows that contain all parts, or nil. The caller frees the
// set.
func (c *windowCase) find(in *text) positions {
	for _, p := range c.parts {
		if !p.node.match(in) {
			return nil
		}
	}
	var all positions
	for i := range c.parts { // parts needed once come first
		p := &c.parts[i]
		if all == nil {
			all = p.reach(in, c.length)
		} else {
			p.retain(in, all, c.length)
		}
		if all.empty() {
			in.pool.freeSet(all)
			return nil
		}
	}
	if c.mayOverlap && !c.retainDistinct(in, all) {
		in.pool.freeSet(all)
		return nil
	}
	return all
}

// starts returns the start positions of the part's matches. The caller frees the set.
func (p *windowPart) starts(in *text) positions {
	found := in.pool.newSpans()
	p.node.addSpans(in, anyEnd, found)
	at := found.starts()
	found.free()
	return at
}

// reach returns the start positions of windows that contain count matches of the part. The caller
// frees the set.
func (p *windowPart) reach(in *text, length int) positions {
	if p.count == 1 {
		at := p.starts(in)
		at.spreadBack(length - p.width)
		return at
	}
	all := in.pool.newSet()
	all.addRange(0, 64*len(all)-1)
	p.retain(in, all, length)
	return all
}

// retain narrows all to the start positions of windows that contain count matches of the part.
func (p *windowPart) retain(in *text, all positions, length int) {
	if p.count == 1 {
		from := p.reach(in, length)
		all.and(from)
		in.pool.freeSet(from)
		return
	}
	starts, retained := p.starts(in), in.pool.newSet()
	for s := all.next(0); s >= 0; {
		first := starts.next(s)
		last := first
		for i := 1; i < p.count && last >= 0; i++ {
			last = starts.next(last + 1)
		}
		if last < 0 {
			break // later windows have too few matches, too
		}
		// Windows that start between begin and first contain all matches up to last.
		begin := max(last+p.width-length, s)
		for s = all.next(begin); s >= 0 && s <= first; s = all.next(s + 1) {
			retained.add(s)
		}
	}
	copy(all, retained)
	in.pool.freeSet(starts)
	in.pool.freeSet(retained)
}

// addSpans adds the matches of the parts that are inside a window.
func (n *window) addSpans(in *text, _ matchEnd, dst *spanSet) {
	for i := range n.cases {
		c := &n.cases[i]
		from := c.find(in)
		if from == nil {
			continue
		}
		if c.mayOverlap {
			c.addDistinctSpans(in, from, dst)
			in.pool.freeSet(from)
			continue
		}
		for _, p := range c.parts {
			found := in.pool.newSpans()
			p.node.addSpans(in, anyEnd, found)
			reached := in.pool.newSet()
			reached.or(from)
			reached.spreadForward(c.length - p.width)
			found.addStarting(reached, dst)
			in.pool.freeSet(reached)
			found.free()
		}
		in.pool.freeSet(from)
	}
}

// addOtherEnd copies known, because the matches of a window have no first or last end.
func (*window) addOtherEnd(_ *text, _ matchEnd, known, dst *spanSet) { known.addAll(dst) }

func (n *window) highlight(in *text, dst *spanSet) { n.addSpans(in, anyEnd, dst) }

func (n *window) partNodes() []node {
	nodes := make([]node, len(n.parts))
	for i, p := range n.parts {
		nodes[i] = p
	}
	return nodes
}

func (n *window) depth() int            { return 1 + maxDepthOf(n.parts) }
func (*window) positive(want bool) bool { return want }

func (n *window) prefilter(clauses []Clause, cost func(Literal) int) []Clause {
	for _, p := range n.parts {
		clauses = p.prefilter(clauses, cost)
	}
	return clauses
}
