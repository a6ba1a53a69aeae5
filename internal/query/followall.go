package query

// A positions is a set of positions of a document, a bit for each.
type positions []uint64

func (p positions) has(i int) bool { return p[i/64]&(1<<(i%64)) != 0 }
func (p positions) add(i int)      { p[i/64] |= 1 << (i % 64) }

func (p positions) empty() bool {
	for _, w := range p {
		if w != 0 {
			return false
		}
	}
	return true
}

// A standing tells where a term stands in a document: as a word, or as a tag of
// several words.
type standing struct {
	words positions
	tags  []*token
}

// followAll says what trying every place of a phrase says, in time that grows with
// the length of the phrase times that of the text over 64, whatever they are. The
// set of places where the next term would have to stand moves on term by term.
func (d *Document) followAll(terms []*term) bool {
	size := len(d.words)/64 + 1
	known := map[term]standing{}
	next := make(positions, size)
	for tok := d.first(terms[0]); tok != nil; tok = d.after(tok, terms[0]) {
		next.add(int(tok.position + tok.width))
	}
	for _, t := range terms[1:] {
		where, ok := known[*t]
		if !ok {
			where = d.standing(t, size)
			known[*t] = where
		}
		if next = where.after(next); next.empty() {
			return false
		}
	}
	return true
}

// standing finds a term in the document, as at does position by position.
func (d *Document) standing(t *term, size int) standing {
	s := standing{words: make(positions, size)}
	for tok := d.first(t); tok != nil; tok = d.after(tok, t) {
		switch {
		case tok == d.at(int(tok.position), t) && tok.width == 1:
			s.words.add(int(tok.position))
		case tok == d.at(int(tok.position), t):
			s.tags = append(s.tags, tok)
		}
	}
	return s
}

// after returns the positions after the term where it stands at one of those given.
func (s standing) after(at positions) positions {
	moved := make(positions, len(at))
	carry := uint64(0)
	for i := range at {
		both := at[i] & s.words[i]
		moved[i] = both<<1 | carry
		carry = both >> 63
	}
	for _, tag := range s.tags {
		if at.has(int(tag.position)) {
			moved.add(int(tag.position + tag.width))
		}
	}
	return moved
}
