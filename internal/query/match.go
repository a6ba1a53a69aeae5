package query

type (
	// word matches documents in which the term occurs.
	word struct{ term *term }

	// phrase matches documents in which two or more terms follow one another.
	phrase struct{ terms []*term }
)

func (n *word) match(d *Document) bool { return d.first(n.term) != nil }

func (n *phrase) match(d *Document) bool {
	for tok := d.first(n.terms[0]); tok != nil; tok = d.after(tok, n.terms[0]) {
		if d.follow(int(tok.position+tok.width), n.terms[1:]) {
			return true
		}
	}
	return false
}

// follow reports whether the terms stand one after another from a position on.
func (d *Document) follow(position int, terms []*term) bool {
	for _, t := range terms {
		tok := d.at(position, t)
		if tok == nil {
			return false
		}
		position += int(tok.width)
	}
	return true
}

func (*word) levels() int   { return 0 }
func (*phrase) levels() int { return 0 }

func (*word) positive(want bool) bool   { return want }
func (*phrase) positive(want bool) bool { return want }
