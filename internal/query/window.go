package query

import "slices"

// window matches texts in which all parts stand close together, in any order: in a
// stretch with at most distance words besides those of one match of each part.
// Parts that are equal need as many matches as there are of them.
type window struct {
	parts    []placed
	distance int
	quoted   bool         // written "a b c"~n: each part is a word or written without spaces
	cases    []windowCase // one for each combination of the parts' widths
}

// A windowCase is a window with parts of one width each.
type windowCase struct {
	parts  []windowPart
	length int // of the stretch, in positions
}

type windowPart struct {
	node  placed // matches of width only
	of    string // the whole part, in its normal form
	width int
	times int
}

// maxCases bounds the combinations of widths. Few parts have more than one.
const maxCases = 64

// newWindow returns a window, or false when there are too many combinations of
// widths.
func newWindow(parts []placed, distance int, quoted bool) (*window, bool) {
	n := &window{parts: parts, distance: distance, quoted: quoted}
	n.cases = []windowCase{{length: distance}}
	for _, p := range parts {
		var next []windowCase
		for _, c := range n.cases {
			for _, a := range byWidth(p) {
				next = append(next, c.with(a))
			}
		}
		if n.cases = next; len(next) > maxCases {
			return nil, false
		}
	}
	return n, true
}

// with returns c and one more part.
func (c windowCase) with(part windowPart) windowCase {
	made := windowCase{parts: slices.Clone(c.parts), length: c.length + part.width}
	for i := range made.parts {
		if p := &made.parts[i]; p.width == part.width && p.of == part.of {
			p.times++
			return made
		}
	}
	made.parts = append(made.parts, part)
	return made
}

// byWidth takes a node that is a word, phrase or raw text, or an or of them, apart
// into nodes of one width each.
func byWidth(n placed) []windowPart {
	spelled := string(n.print(nil))
	alternatives, ok := n.(or)
	if !ok {
		return []windowPart{{node: n, of: spelled, width: widthOf(n), times: 1}}
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
		parts = append(parts, windowPart{node: newOr(grouped[w]).(placed), of: spelled, width: w, times: 1})
	}
	return parts
}

func widthOf(n node) int {
	switch n := n.(type) {
	case *word:
		return n.element.span()
	case *phrase:
		return n.width()
	case *raw:
		return n.width()
	}
	panic("query: a part of a window that has no width")
}

func (n *window) match(in *text) bool {
	for i := range n.cases {
		if from := n.cases[i].find(in); from != nil {
			in.pool.dropSet(from)
			return true
		}
	}
	return false
}

// find returns the positions from which the stretch holds all parts, nil when
// there are none.
func (c *windowCase) find(in *text) positions {
	for _, p := range c.parts {
		if !p.node.match(in) {
			return nil
		}
	}
	var all positions
	for i, p := range c.parts {
		from := p.reach(in, c.length)
		if i == 0 {
			all = from
			continue
		}
		all.and(from)
		in.pool.dropSet(from)
		if all.empty() {
			break
		}
	}
	if all.empty() {
		in.pool.dropSet(all)
		return nil
	}
	return all
}

// reach returns the positions from which a stretch holds the part often enough.
func (p *windowPart) reach(in *text, length int) positions {
	found := in.pool.spans()
	p.node.stand(in, anywhere, found)
	at := found.starts()
	found.drop()
	if p.times == 1 {
		at.spreadBack(length - p.width)
		return at
	}
	from := in.pool.set()
	first, last := at.next(0), at.next(0) // the times-th after first
	for range p.times - 1 {
		if last >= 0 {
			last = at.next(last + 1)
		}
	}
	for done := 0; last >= 0; first, last = at.next(first+1), at.next(last+1) {
		begin := max(last+p.width-length, done)
		for i := begin; i <= first; i++ {
			from.add(i)
		}
		done = max(done, first+1)
	}
	in.pool.dropSet(at)
	return from
}

// stand adds the matches of the parts that lie in a stretch.
func (n *window) stand(in *text, _ end, into *spans) {
	for i := range n.cases {
		c := &n.cases[i]
		from := c.find(in)
		if from == nil {
			continue
		}
		for _, p := range c.parts {
			found := in.pool.spans()
			p.node.stand(in, anywhere, found)
			reached := in.pool.set()
			reached.or(from)
			reached.spreadForward(c.length - p.width)
			found.addStarting(reached, into)
			in.pool.dropSet(reached)
			found.drop()
		}
		in.pool.dropSet(from)
	}
}

func (n *window) show(in *text, into *spans) { n.stand(in, anywhere, into) }

func (n *window) levels() int {
	deepest := 0
	for _, p := range n.parts {
		deepest = max(deepest, p.levels())
	}
	return 1 + deepest
}

func (*window) positive(want bool) bool { return want }

func (n *window) needs(groups []Group, cost func(Key) int) []Group {
	for _, p := range n.parts {
		groups = p.needs(groups, cost)
	}
	return groups
}
