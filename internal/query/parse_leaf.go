package query

import (
	"bytes"
	"strings"
	"unicode/utf8"
)

// namedField := name ":" ( "(" or ")" | phrase | range | word ) [ "~" n ]
//
// A field before a group applies to each part of the group, so only leaves of the tree have fields.
func (p *parser) namedField() (node, error) {
	name := p.item
	f, ok := findField(name.text)
	if name.spaced > 0 {
		p.warnOrReject(name.spaced, "%s is followed by a space; write the value directly after the colon", name)
	}
	if p.exact || ok && p.field != nil {
		return nil, errorAt(name.position, "the field %s is inside another field", name)
	}
	if !ok { // raw:, which is allowed inside a field of words
		p.exact = true
		n, err := p.fieldValue(name)
		p.exact = false
		return n, err
	}
	p.field = f
	n, err := p.fieldValue(name)
	p.field = nil
	if err != nil || f.texts == nil {
		return n, err
	}
	return inField(f, n), nil
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
			p.warn(p.item.position, "%s directly follows the value of %s but is not part of it", p.item, name)
		}
		return n, err
	}
	return nil, errorAt(p.item.position, "expected a word, a phrase or ( after %s, found %s", name, p.item)
}

// inField restricts each leaf to the field.
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

// leaf parses a word, phrase, exact text or range, either outside a field or as the value of one.
func (p *parser) leaf() (node, error) {
	if p.terms++; p.terms > maxTerms {
		return nil, errorAt(p.item.position, "the query has more than 10,000 words and phrases")
	}
	i := p.item
	n, err := p.newLeaf(i)
	if err != nil {
		return nil, err
	}
	p.note(n, i)
	return n, p.advance()
}

func (p *parser) newLeaf(i item) (node, error) {
	switch {
	case i.kind == itemRange:
		return p.newRange(i)
	case (i.kind == itemExact || p.exact) && p.field != nil && p.field.kind != kindWords:
		return nil, errorAt(i.position, "the field %s does not accept {exact text}", p.field.name)
	case i.kind == itemExact || p.exact:
		return p.newRaw(i)
	case p.field == nil || p.field.kind == kindWords:
		return p.newWords(i, i.text)
	case p.field.kind == kindNumbers:
		number, ok := parseNumber(i.text)
		if !ok && strings.HasPrefix(i.text, "[") {
			return nil, errorAt(i.position, "a range is written [a TO b] with two numbers, or * for no limit")
		}
		if !ok {
			return nil, errorAt(i.position, "%s is not a number; the field %s accepts a number or a range, for example [1 TO 5]", i, p.field.name)
		}
		return p.newBounded(i, number, number), nil
	}
	return p.newValue(i)
}

// newWords returns the node for text: a word if it has one token, a phrase if it has several.
func (p *parser) newWords(i item, text string) (spanNode, error) {
	t := &p.tokenizer
	t.reset()
	text = withoutParameters(text)
	t.tokenize(text)
	if len(t.words) > maxCharacters {
		return nil, errorAt(i.position, "a phrase has more than 100,000 words")
	}
	if len(t.words) == 1 && !bytes.ContainsAny(t.buf, "*?") {
		return newTermWord(t.newTerm(&t.words[0], text)), nil
	}
	matchers := t.matchers(text)
	if err := p.checkWildcards(i, matchers); err != nil {
		return nil, err
	}
	switch len(matchers) {
	case 0:
		return nil, errorAt(i.position, "%s has no letters or digits to search for", i)
	case 1:
		return &word{matchers[0]}, nil
	}
	return &phrase{matchers}, nil
}

// withoutParameters replaces question marks in URLs, which are not wildcards, with spaces.
func withoutParameters(text string) string {
	if !strings.Contains(text, "://") {
		return text
	}
	fields := strings.Fields(text)
	for k, f := range fields {
		if strings.Contains(f, "://") {
			fields[k] = strings.ReplaceAll(f, "?", " ")
		}
	}
	return strings.Join(fields, " ")
}

// checkWildcards rejects wildcards that would match almost everything, and warns about those that
// may be unintended.
func (p *parser) checkWildcards(i item, matchers []tokenMatcher) error {
	at := i.position // position of the first wildcard
	if first := strings.IndexAny(i.text, "*?"); first >= 0 {
		at += utf8.RuneCountInString(i.text[:first])
		if i.kind == itemPhrase {
			at++ // the quote
		}
	}
	for k, m := range matchers {
		w, ok := m.(*wildcard)
		if !ok {
			continue
		}
		if err := checkWildcard(at, w, matchers[:k+1]); err != nil {
			return err
		}
		if i.kind == itemWord && unspaced(w.text) && k+1 < len(matchers) {
			return errorAt(at, "in a script without spaces, a wildcard is allowed only at the end of a word; use NEAR")
		}
	}
	text := strings.TrimSpace(withoutParameters(i.text))
	if strings.Contains(text, "?") && (strings.Contains(text, "/") || i.kind == itemPhrase && strings.HasSuffix(text, "?")) {
		p.warn(at, "? matches exactly one character")
	}
	return nil
}

// checkWildcard checks w, the last of the matchers. In scripts without spaces, the preceding
// characters count as part of the word.
func checkWildcard(at int, w *wildcard, matchers []tokenMatcher) error {
	const minKnown, maxLength = 2, 200
	known := 0
	for _, m := range matchers {
		text := ""
		switch m := m.(type) {
		case *term:
			text = m.text
		case *wildcard:
			text = m.text
		}
		if m == w || unspaced(w.text) && unspaced(text) {
			known += utf8.RuneCountInString(text) - strings.Count(text, "*") - strings.Count(text, "?")
		}
	}
	switch {
	case strings.IndexAny(w.text, "*?") == 0:
		return errorAt(at, "a word cannot start with a wildcard")
	case known < minKnown:
		return errorAt(at, "a word with a wildcard needs at least two other characters")
	case len(w.text) > maxLength:
		return errorAt(at, "a word with a wildcard is longer than 200 bytes")
	}
	return nil
}

func (p *parser) newRaw(i item) (node, error) {
	n := &exact{text: strings.TrimSpace(strings.ReplaceAll(i.text, `\"`, `"`))}
	switch {
	case n.text == "":
		return nil, errorAt(i.position, "the braces or quotes are empty")
	case strings.ContainsAny(n.text, "{}") && strings.HasSuffix(n.text, `\`):
		return nil, errorAt(i.position, "an exact text with a brace cannot end with a backslash")
	}
	p.tokenizer.patterns = false
	for _, e := range p.tokenizer.matchers(n.text) {
		n.terms = append(n.terms, e.(*term))
	}
	if len(n.terms) > 0 {
		n.lead = int(p.tokenizer.words[0].from)
	}
	p.tokenizer.patterns = true
	return n, nil
}

func (p *parser) newRange(i item) (node, error) {
	switch {
	case p.field == nil || p.field.number == nil:
		return nil, errorAt(i.position, "a range like %s is only allowed for numeric fields", i)
	case i.from > i.to:
		return nil, errorAt(i.position, "the range %s ends before it starts", i)
	}
	return p.newBounded(i, i.from, i.to), nil
}

func (p *parser) newBounded(i item, from, to float64) node {
	if b := p.field.bounds; b != nil && (to < b[0] || from > b[1]) {
		p.warnOrReject(i.position, "%s is not %s", i, p.field.expected)
	}
	return &rangeField{p.field, from, to}
}

func (p *parser) newValue(i item) (node, error) {
	value := strings.TrimRight(strings.TrimSpace(strings.ReplaceAll(i.text, `\"`, `"`)), `\ `)
	if p.field.kind == kindHosts && strings.ContainsAny(value, " \t\n") {
		return nil, errorAt(i.position, "%s is not a site like example.com", i)
	}
	if f := p.field; f.isKnown != nil && !hasWildcard(value) && !f.isKnown(value) {
		report := p.warnOrReject
		if f.mayOccur != nil && f.mayOccur(value) {
			report = p.warn
		}
		report(i.position, "%s is not %s", quoted(value), f.expected)
	}
	n := newValueField(p.field, value)
	if n.text == "" {
		return nil, errorAt(i.position, "the field %s has no value", p.field.name)
	}
	return n, nil
}
