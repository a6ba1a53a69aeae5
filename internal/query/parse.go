package query

// A parser builds the tree of a query, one item ahead.
type parser struct {
	lexer     *lexer
	tokenizer tokenizer
	item      item // not yet used
	terms     int
	open      []int // positions of the open parentheses
	firstNot  int   // position of the first NOT, 0 when there is none
}

func newParser(text string) (*parser, error) {
	l, err := newLexer(text)
	if err != nil {
		return nil, err
	}
	p := &parser{lexer: l}
	return p, p.advance()
}

// advance reads the next item.
func (p *parser) advance() (err error) {
	p.item, err = p.lexer.next()
	return err
}

// query parses the whole text.
func (p *parser) query() (node, error) {
	if p.item.kind == itemEnd {
		return nil, errorAt(1, "the query is empty")
	}
	root, err := p.or()
	if err != nil {
		return nil, err
	}
	if p.item.kind != itemEnd { // or stops at a parenthesis or the end
		return nil, errorAt(p.item.position, "unexpected ): no parenthesis is open")
	}
	if !root.positive(true) {
		return nil, errorAt(p.firstNot, "the query only excludes; add a word or phrase to look for")
	}
	return root, nil
}

// or := and { "OR" and }
func (p *parser) or() (node, error) {
	start := p.item
	parts, err := p.list(p.and, func() (bool, error) { return p.accept(itemOr) })
	if err != nil {
		return nil, err
	}
	joined := newOr(parts)
	if tooDeep(joined) {
		return nil, errorAt(start.position, "more than 200 levels of AND and OR within each other")
	}
	return joined, nil
}

// tooDeep reports whether the normal form of n has more parentheses within each
// other than Parse takes.
func tooDeep(n node) bool {
	levels := n.levels()
	switch n.(type) {
	case and, or:
		levels-- // the outermost needs no parentheses
	}
	return levels > maxLevels
}

// and := unary { ["AND"] unary }
func (p *parser) and() (node, error) {
	parts, err := p.list(p.unary, func() (bool, error) {
		switch p.item.kind {
		case itemAnd:
			return p.accept(itemAnd)
		case itemOr, itemClose, itemEnd:
			return false, nil
		}
		return true, nil // side by side
	})
	if err != nil {
		return nil, err
	}
	return newAnd(parts), nil
}

// list parses parts for as long as more says that another one follows.
func (p *parser) list(part func() (node, error), more func() (bool, error)) ([]node, error) {
	var parts []node
	for {
		n, err := part()
		if err != nil {
			return nil, err
		}
		parts = append(parts, n)
		if again, err := more(); err != nil || !again {
			return parts, err
		}
	}
}

// accept consumes the operator k if it is next, and insists on an operand after it.
func (p *parser) accept(k kind) (bool, error) {
	operator := p.item
	if operator.kind != k {
		return false, nil
	}
	if err := p.advance(); err != nil {
		return false, err
	}
	if !p.startsOperand() && (k == itemNot || p.item.kind != itemNot) {
		return false, errorAt(p.item.position, "expected a word, a phrase or ( after %s, found %s", operator, p.item)
	}
	return true, nil
}

func (p *parser) startsOperand() bool {
	return p.item.kind == itemWord || p.item.kind == itemPhrase || p.item.kind == itemOpen
}

// unary := [ "NOT" | "-" ] atom
func (p *parser) unary() (node, error) {
	if p.item.kind != itemNot {
		return p.atom()
	}
	if p.firstNot == 0 {
		p.firstNot = p.item.position
	}
	if _, err := p.accept(itemNot); err != nil {
		return nil, err
	}
	operand, err := p.atom()
	if err != nil {
		return nil, err
	}
	return &not{operand}, nil
}

// atom := "(" or ")" | phrase | word
func (p *parser) atom() (node, error) {
	switch p.item.kind {
	case itemOpen:
		return p.group()
	case itemWord, itemPhrase:
		return p.term()
	case itemClose:
		if len(p.open) == 0 {
			return nil, errorAt(p.item.position, "unexpected ): no parenthesis is open")
		}
		return nil, errorAt(p.open[len(p.open)-1], "nothing between the parentheses")
	}
	return nil, errorAt(p.item.position, "expected a word, a phrase or ( before %s", p.item)
}

// group parses what stands between parentheses.
func (p *parser) group() (node, error) {
	opened := p.item.position
	if len(p.open) == maxLevels {
		return nil, errorAt(opened, "more than 200 levels of parentheses")
	}
	p.open = append(p.open, opened)
	if err := p.advance(); err != nil {
		return nil, err
	}
	if p.item.kind == itemEnd {
		return nil, errorAt(opened, "unclosed parenthesis opened at %d", opened)
	}
	inner, err := p.or()
	if err != nil {
		return nil, err
	}
	if p.item.kind != itemClose {
		return nil, errorAt(opened, "unclosed parenthesis opened at %d", opened)
	}
	p.open = p.open[:len(p.open)-1]
	return inner, p.advance()
}

// term parses a word or a phrase. What the tokenizer makes several words of is a
// phrase, and a phrase of one word is that word.
func (p *parser) term() (node, error) {
	if p.terms++; p.terms > maxTerms {
		return nil, errorAt(p.item.position, "the query has more than 10,000 words and phrases")
	}
	switch terms := p.tokenizer.terms(p.item.text); len(terms) {
	case 0:
		return nil, errorAt(p.item.position, "%s has no letters or digits to look for", p.item)
	case 1:
		return &word{terms[0]}, p.advance()
	default:
		return &phrase{terms}, p.advance()
	}
}
