package query

// A parser builds the syntax tree of a query by recursive descent with one item of lookahead.
type parser struct {
	lexer     lexer
	tokenizer tokenizer
	mode      Mode
	report    *Report

	item     item // the lookahead, not consumed yet
	terms    int
	open     []int  // positions of the open parentheses
	firstNot int    // position of the first NOT, or 0
	field    *field // the field whose value is being parsed, or nil
	exact    bool   // whether the value of raw: is being parsed

	written *spelling // nil unless requested
}

// A spelling is how a query is written, as far as its tree does not tell.
type spelling struct {
	leaves      map[node]item // words, phrases, exact texts and values of fields
	hasComments bool
}

// note records how a leaf is written.
func (p *parser) note(leaf node, i item) {
	if p.written != nil && !p.exact {
		p.written.leaves[leaf] = i
	}
}

// warnNoWord is the warning about a query that no index can narrow.
const warnNoWord = "the query does not require any word, so it must be checked against every post"

func (p *parser) parse(text string) (node, error) {
	if err := p.lexer.reset(text); err != nil {
		return nil, err
	}
	if err := p.advance(); err != nil {
		return nil, err
	}
	if p.item.kind == itemEnd {
		return nil, errorAt(1, "the query is empty")
	}
	root, err := p.or()
	if err != nil {
		return nil, err
	}
	if p.item.kind != itemEnd { // or stops at a closing parenthesis or at the end
		return nil, errorAt(p.item.position, "unexpected ): no parenthesis is open")
	}
	if !root.positive(true) {
		return nil, errorAt(p.firstNot, "the query only excludes posts; add a word or phrase to search for")
	}
	if !hasPrefilter(root) {
		p.warn(1, warnNoWord)
	}
	return root, nil
}

// or := and { "OR" and }
func (p *parser) or() (node, error) {
	start := p.item
	var parts []node
	mixed, firstOr := false, 0
	for {
		part, joined, err := p.and()
		if err != nil {
			return nil, err
		}
		parts, mixed = append(parts, part), mixed || joined
		if p.item.kind != itemOr {
			break
		}
		if firstOr == 0 {
			firstOr = p.item.position
		}
		if err := p.operator(); err != nil {
			return nil, err
		}
	}
	if mixed && firstOr > 0 {
		p.warnOrReject(firstOr, "AND and OR are mixed without parentheses; AND binds first")
	}
	joined := newOr(parts)
	if tooDeep(joined) {
		return nil, errorAt(start.position, "AND, OR and NEAR are nested more than 200 levels deep")
	}
	return joined, nil
}

// tooDeep reports whether the normal form of n nests parentheses deeper than Parse accepts.
func tooDeep(n node) bool {
	depth := n.depth()
	switch n.(type) {
	case and, or, *near:
		depth-- // the outermost node needs no parentheses
	}
	return depth > maxDepth
}

// and := unary { ["AND"] unary }
//
// It also reports whether it joined more than one unary.
func (p *parser) and() (n node, joined bool, err error) {
	var parts []node
	for {
		part, err := p.unary()
		if err != nil {
			return nil, false, err
		}
		parts = append(parts, part)
		switch p.item.kind {
		case itemOr, itemClose, itemEnd:
			return newAnd(parts), len(parts) > 1, nil
		case itemAnd:
			if err := p.operator(); err != nil {
				return nil, false, err
			}
		}
	}
}

// operator consumes an operator and checks that an operand follows.
func (p *parser) operator() error {
	operator := p.item
	if err := p.advance(); err != nil {
		return err
	}
	switch p.item.kind {
	case itemWord, itemPhrase, itemExact, itemField, itemRange, itemOpen:
		return nil
	case itemNot:
		if operator.kind == itemAnd || operator.kind == itemOr {
			return nil
		}
	}
	return errorAt(p.item.position, "expected a word, a phrase or ( after %s, found %s", operator, p.item)
}

// unary := [ "NOT" | "-" ] prox
func (p *parser) unary() (node, error) {
	if p.item.kind != itemNot {
		return p.prox()
	}
	if p.firstNot == 0 {
		p.firstNot = p.item.position
	}
	if err := p.operator(); err != nil {
		return nil, err
	}
	operand, err := p.prox()
	if err != nil {
		return nil, err
	}
	return &not{operand}, nil
}

// prox := atom { ("NEAR/" n ["f"] | "ONEAR/" n) atom }
func (p *parser) prox() (node, error) {
	left, err := p.atom()
	for chained := false; err == nil && p.item.kind == itemNear; chained = true {
		operator := p.item
		if chained {
			p.warnOrReject(operator.position, "%s follows another NEAR without parentheses; the first one is applied first", operator)
		}
		if err := p.operator(); err != nil {
			return nil, err
		}
		var right node
		if right, err = p.atom(); err == nil {
			left, err = p.near(operator, left, right)
		}
	}
	return left, err
}

// atom := unit [ "~" n ]
func (p *parser) atom() (node, error) {
	start := p.item
	n, err := p.unit()
	if err != nil || p.item.kind != itemWithin {
		return n, err
	}
	operator := p.item
	if !operator.adjacent {
		return nil, errorAt(operator.position, "%s must follow a phrase or a group without a space", operator)
	}
	if err := p.checkProximity(operator); err != nil {
		return nil, err
	}
	if err := p.advance(); err != nil {
		return nil, err
	}
	if start.kind == itemPhrase && !p.exact {
		return p.phraseWithin(start, operator)
	}
	return p.within(operator, n)
}

// unit := "(" or ")" | phrase | "{" text "}" | field | word
func (p *parser) unit() (node, error) {
	switch p.item.kind {
	case itemOpen:
		return p.group()
	case itemWord, itemPhrase, itemExact, itemRange:
		return p.leaf()
	case itemField:
		return p.namedField()
	case itemClose:
		if len(p.open) == 0 {
			return nil, errorAt(p.item.position, "unexpected ): no parenthesis is open")
		}
		return nil, errorAt(p.open[len(p.open)-1], "the parentheses are empty")
	case itemWithin:
		return nil, errorAt(p.item.position, "%s must follow a phrase or a group without a space", p.item)
	}
	return nil, errorAt(p.item.position, "expected a word, a phrase or ( before %s", p.item)
}

// group parses a group in parentheses.
func (p *parser) group() (node, error) {
	opened := p.item.position
	if len(p.open) == maxDepth {
		return nil, errorAt(opened, "parentheses are nested more than 200 levels deep")
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
