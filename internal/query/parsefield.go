package query

// namedField := name ":" ( "(" or ")" | phrase | range | word ) [ "~" n ]
//
// A field of a group is a field of each of its parts, so the tree has fields at its
// leaves only.
func (p *parser) namedField() (node, error) {
	name := p.item
	f, ok := findField(name.text)
	if p.exact || ok && p.field != nil {
		return nil, errorAt(name.position, "the field %s stands within another field", name)
	}
	if !ok {
		return p.rawValue(name)
	}
	p.field = f
	n, err := p.fieldValue(name)
	p.field = nil
	if err != nil || f.texts == nil {
		return n, err
	}
	return inField(f, n), nil
}

// rawValue is namedField for raw:, which may stand in a field of words.
func (p *parser) rawValue(name item) (node, error) {
	p.exact = true
	n, err := p.fieldValue(name)
	p.exact = false
	return n, err
}

func (p *parser) fieldValue(name item) (node, error) {
	l := &p.lexer
	switch {
	case l.endsWord(l.pos) || l.src[l.pos] == '[' || p.field != nil && l.hasFold(l.pos, "raw:"):
		if err := p.advance(); err != nil {
			return nil, err
		}
	default:
		p.item = l.fieldWord()
	}
	switch p.item.kind {
	case itemOpen, itemWord, itemPhrase, itemExact, itemRange, itemField:
		n, err := p.atom()
		if err == nil && p.item.adjacent && p.item.kind != itemClose && p.item.kind != itemEnd {
			p.warn(p.item.position, "%s is glued to the value of %s, but not part of it", p.item, name)
		}
		return n, err
	}
	return nil, errorAt(p.item.position, "expected a word, a phrase or ( after %s, found %s", name, p.item)
}

// inField says of each leaf that it stands in the field.
func inField(f *field, n node) node {
	switch n := n.(type) {
	case and:
		return and(eachInField(f, n))
	case or:
		return or(eachInField(f, n))
	case *not:
		return &not{inField(f, n.operand)}
	case spanNode:
		return &textField{f, n}
	}
	return n // a range
}

func eachInField(f *field, parts []node) []node {
	made := make([]node, len(parts))
	for i, part := range parts {
		made[i] = inField(f, part)
	}
	return made
}
