package query

import (
	"slices"
	"strings"
	"unicode/utf8"
)

// maxParts limits the parts of a ~, because matching time grows with their number.
const maxParts = 100

// near joins two operands. NEAR distributes over AND in an operand: a NEAR/3 (b AND c) becomes (a
// NEAR/3 b) AND (a NEAR/3 c).
func (p *parser) near(operator item, left, right node) (node, error) {
	if err := p.checkProximity(operator); err != nil {
		return nil, err
	}
	joined, err := p.join(operator, left, right)
	switch {
	case err != nil:
		return nil, err
	case tooDeep(joined):
		return nil, errorAt(operator.position, "AND, OR and NEAR are nested more than 200 levels deep")
	case hasAnd(left) || hasAnd(right):
		p.warnOrReject(operator.position, "an operand of %[1]s contains AND, so %[1]s applies to each of its parts", operator)
	}
	return joined, nil
}

// hasAnd reports whether n is an AND, or an OR with one in it.
func hasAnd(n node) bool {
	switch n := n.(type) {
	case and:
		return true
	case or:
		return slices.ContainsFunc(n, hasAnd)
	}
	return false
}

// checkProximity rejects NEAR and ~ in fields that have no text.
func (p *parser) checkProximity(operator item) error {
	if p.field == nil || p.field.kind == kindWords {
		return nil
	}
	return errorAt(operator.position, "%s is not allowed in the field %s", operator, p.field.name)
}

// join distributes NEAR over the operand that is not a span node.
func (p *parser) join(operator item, left, right node) (node, error) {
	l, leftOK := asSpanNode(left)
	r, rightOK := asSpanNode(right)
	if leftOK && rightOK {
		return &near{left: l, right: r, distance: operator.distance, ordered: operator.ordered}, nil
	}
	split, each := left, func(part node) (node, error) { return p.join(operator, part, right) }
	if leftOK {
		split, each = right, func(part node) (node, error) { return p.join(operator, left, part) }
	}
	if p.terms++; p.terms > maxTerms {
		return nil, errorAt(operator.position, "the query has more than 10,000 words and phrases after AND and OR in operands of NEAR are expanded")
	}
	switch n := split.(type) {
	case and:
		parts, err := mapNodes(n, each)
		if err != nil {
			return nil, err
		}
		return newAnd(parts), nil
	case or:
		parts, err := mapNodes(n, each)
		if err != nil {
			return nil, err
		}
		return newOr(parts), nil
	}
	return nil, p.operandError(operator, split)
}

// asSpanNode returns n as a span node. It returns false for an or with a part that is not one.
func asSpanNode(n node) (spanNode, bool) {
	if parts, ok := n.(or); ok {
		for _, part := range parts {
			if _, ok := asSpanNode(part); !ok {
				return nil, false
			}
		}
	}
	s, ok := n.(spanNode)
	return s, ok
}

func mapNodes(nodes []node, f func(node) (node, error)) ([]node, error) {
	made := make([]node, len(nodes))
	for i, n := range nodes {
		var err error
		if made[i], err = f(n); err != nil {
			return nil, err
		}
	}
	return made, nil
}

// operandError returns the error that explains why n cannot be an operand of NEAR or ~.
func (p *parser) operandError(operator item, n node) error {
	switch n := n.(type) {
	case *not:
		return errorAt(operator.position, "NOT is not allowed in an operand of %s", operator)
	case *textField:
		nearText := operator.text
		if operator.kind == itemWithin {
			nearText = "NEAR/" + strings.TrimPrefix(operator.text, "~")
		}
		return errorAt(operator.position, "the field %s is not allowed in an operand of %s; write %s:(a %s b)", n.field.name, operator, n.field.name, nearText)
	}
	return errorAt(operator.position, "a field is not allowed in an operand of %s", operator)
}

// phraseWithin parses "a b c"~n. A word that consists of several tokens remains one part.
func (p *parser) phraseWithin(i, operator item) (node, error) {
	var parts []spanNode
	at := 0 // offset in the phrase
	for _, text := range strings.Fields(i.text) {
		at += strings.Index(i.text[at:], text)
		part, err := p.newWords(i, text)
		if err != nil && len(p.tokenizer.words) > 0 {
			return nil, err
		}
		if err == nil {
			p.note(part, item{kind: itemWord, text: text, position: i.position + utf8.RuneCountInString(i.text[:at])})
			parts = append(parts, part)
		}
		at += len(text)
	}
	p.terms += len(parts) - 1
	return p.window(operator, parts, true)
}

// within parses (…)~n. It warns about a ~n that has no effect.
func (p *parser) within(operator item, n node) (node, error) {
	switch n := n.(type) {
	case or:
		parts, err := mapNodes(n, func(part node) (node, error) { return p.within(operator, part) })
		if err != nil {
			return nil, err
		}
		return newOr(parts), nil
	case and:
		if len(n) == 2 {
			return p.join(operator, n[0], n[1])
		}
		parts := make([]spanNode, len(n))
		for i, part := range n {
			if !hasWidth(part) {
				return nil, p.windowPartError(operator, part)
			}
			parts[i] = part.(spanNode)
		}
		return p.window(operator, parts, false)
	case *phrase:
		var parts []spanNode
		for _, m := range n.matchers {
			parts = append(parts, &word{m})
		}
		return p.window(operator, parts, true)
	case *not, *textField, *valueField, *rangeField:
		return nil, p.operandError(operator, n)
	}
	p.warn(operator.position, "%s has no effect here; it applies to phrases and to (a AND b)", operator)
	return n, nil
}

// windowPartError returns the error that explains why n cannot be a part of a ~ with three or more
// parts.
func (p *parser) windowPartError(operator item, n node) error {
	if _, ok := asSpanNode(n); ok {
		return errorAt(operator.position, "%s with more than two parts accepts only words and phrases; use NEAR", operator)
	}
	switch n.(type) {
	case and, or:
		return errorAt(operator.position, "the parts of %s must be words, phrases or OR groups of them", operator)
	}
	return p.operandError(operator, n)
}

// hasWidth reports whether n can be a part of a window.
func hasWidth(n node) bool {
	switch n := n.(type) {
	case *word, *phrase, *exact:
		return true
	case or:
		for _, part := range n {
			if _, nested := part.(or); nested || !hasWidth(part) {
				return false
			}
		}
		return true
	}
	return false
}

// window returns the node for parts within a distance of each other.
func (p *parser) window(operator item, parts []spanNode, quoted bool) (node, error) {
	switch {
	case len(parts) > maxParts:
		return nil, errorAt(operator.position, "%s accepts at most %d words", operator, maxParts)
	case len(parts) == 1:
		p.warn(operator.position, "%s has no effect here; it applies to phrases and to (a AND b)", operator)
		return parts[0], nil
	case len(parts) == 2:
		return &near{left: parts[0], right: parts[1], distance: operator.distance}, nil
	}
	n, ok := newWindow(parts, operator.distance, quoted)
	if !ok {
		return nil, errorAt(operator.position, "the parts of %s have too many different lengths; use NEAR", operator)
	}
	return n, nil
}
