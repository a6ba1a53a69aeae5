package query

type (
	// word matches documents in which the term occurs.
	word struct{ term *term }

	// phrase matches documents in which two or more terms follow one another.
	phrase struct{ terms []*term }
)

func (n *word) match(d *Document) bool { return d.first(n.term) != nil }

// match tries every place where the first term stands. In ordinary texts that is
// soon done; where text and phrase repeat themselves so much that it is not, the
// places are followed all at once.
func (n *phrase) match(d *Document) bool {
	first := d.first(n.terms[0])
	if first == nil || !d.hasAll(n.terms[1:]) {
		return false
	}
	budget := 2*len(d.words) + 64
	for tok := first; tok != nil; tok = d.after(tok, n.terms[0]) {
		steps, found := d.follow(int(tok.position+tok.width), n.terms[1:])
		if found {
			return true
		}
		if budget -= steps; budget < 0 {
			return d.followAll(n.terms)
		}
	}
	return false
}

func (d *Document) hasAll(terms []*term) bool {
	for _, t := range terms {
		if d.first(t) == nil {
			return false
		}
	}
	return true
}

// follow reports whether the terms stand one after another from a position on,
// and how many it looked at.
func (d *Document) follow(position int, terms []*term) (steps int, found bool) {
	for i, t := range terms {
		tok := d.at(position, t)
		if tok == nil {
			return i + 1, false
		}
		position += int(tok.width)
	}
	return len(terms), true
}

func (*word) levels() int   { return 0 }
func (*phrase) levels() int { return 0 }

func (*word) positive(want bool) bool   { return want }
func (*phrase) positive(want bool) bool { return want }
