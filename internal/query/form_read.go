package query

import "strings"

// FormOf reads a query as a form. It accepts everything that [Build] writes, and other queries that
// combine terms in the same ways. The error is a [*ParseError] if the text is not a query, or a
// [*FormError] if a form cannot show it. [Build] then writes a query that selects the same posts.
func FormOf(text string) (Form, error) {
	if strings.TrimSpace(text) == "" {
		return Form{}, nil
	}
	r := formReader{written: spelling{leaves: map[node]item{}}, required: map[string]bool{}, excluded: map[string]bool{}}
	report := lint(text, Lenient, &r.written)
	switch {
	case len(report.Errors) > 0:
		return Form{}, &report.Errors[0]
	case r.written.hasComments:
		return Form{}, &FormError{"a comment"}
	}
	parts, ok := report.Query.root.(and)
	if !ok {
		parts = and{report.Query.root}
	}
	for _, part := range parts {
		if err := r.part(part); err != nil {
			return Form{}, err
		}
	}
	return r.form, nil
}

// A formReader turns a syntax tree into a form.
type formReader struct {
	written spelling
	form    Form

	required, excluded map[string]bool // terms of All and Phrases, and of None
}

// part reads an operand of the outermost AND.
func (r *formReader) part(n node) error {
	f := &r.form
	switch n := n.(type) {
	case or:
		terms, err := r.terms(n, "OR", map[string]bool{})
		f.Any = append(f.Any, terms)
		return err
	case *not:
		terms, err := r.terms(n.operand, "NOT", r.excluded)
		f.None = append(f.None, terms...)
		return err
	case *near:
		near := Near{Distance: n.distance, Ordered: n.ordered}
		groups, err := r.nearGroups(n)
		near.Groups = groups
		f.Near = append(f.Near, near)
		return err
	case *window:
		near := Near{Distance: n.distance}
		for _, part := range n.parts {
			terms, err := r.terms(part, "NEAR", map[string]bool{})
			if err != nil {
				return err
			}
			near.Groups = append(near.Groups, terms)
		}
		f.Near = append(f.Near, near)
		return nil
	}
	if phrase, ok := r.phrase(n); ok {
		if normal := printed(n); !r.required[normal] {
			r.required[normal] = true
			f.Phrases = append(f.Phrases, phrase)
		}
		return nil
	}
	terms, err := r.terms(n, "AND", r.required)
	f.All = append(f.All, terms...)
	return err
}

// nearGroups returns the operands of NEAR: those of a ONEAR/n b ONEAR/n c are three groups.
func (r *formReader) nearGroups(n *near) (groups [][]string, err error) {
	left, chained := n.left.(*near)
	if chained && n.ordered && left.ordered && left.distance == n.distance {
		groups, err = r.nearGroups(left)
	} else {
		var terms []string
		terms, err = r.terms(n.left, "NEAR", map[string]bool{})
		groups = append(groups, terms)
	}
	if err != nil {
		return nil, err
	}
	terms, err := r.terms(n.right, "NEAR", map[string]bool{})
	return append(groups, terms), err
}

// terms returns a term, or the terms that OR joins, without those in seen, and adds them to it. The
// operator is the one around them.
func (r *formReader) terms(n node, operator string, seen map[string]bool) (terms []string, err error) {
	alternatives, ok := n.(or)
	if !ok {
		alternatives = or{n}
	}
	for _, a := range alternatives {
		if !isTerm(a) {
			return nil, &FormError{operatorOf(a) + " inside " + operator}
		}
		if normal := printed(a); !seen[normal] {
			seen[normal] = true
			terms = append(terms, r.term(a))
		}
	}
	return terms, nil
}

// operatorOf names what makes a node more than a term.
func operatorOf(n node) string {
	switch n := n.(type) {
	case and:
		return "AND"
	case or:
		return "OR"
	case *not:
		return "NOT"
	case *textField:
		return operatorOf(n.leaf) + " in the field " + n.field.name
	}
	return "NEAR"
}

// phrase returns an unfielded phrase of several words without its quotes.
func (r *formReader) phrase(n node) (string, bool) {
	switch n.(type) {
	case *word, *phrase:
	default:
		return "", false
	}
	i, known := r.written.leaves[n]
	text := unquoted(i.text)
	if !known || i.kind != itemPhrase || !strings.Contains(text, " ") {
		return "", false
	}
	_, made, err := writePhrase(text)
	return text, err == nil && printed(made) == printed(n)
}

// term returns a term as it is written in the query, without quotes if they are not needed.
func (r *formReader) term(n node) string {
	field, leaf := "", n
	switch n := n.(type) {
	case *textField:
		field, leaf = n.field.name+":", n.leaf
	case *valueField:
		field = n.field.name + ":"
	case *rangeField:
		return printed(n)
	}
	text := unquoted(r.written.leaves[leaf].text)
	if e, ok := leaf.(*exact); ok {
		text = "{" + e.text + "}"
	}
	for _, term := range []string{field + text, field + `"` + text + `"`} {
		if _, made, err := writeTerm(term); err == nil && printed(made) == printed(n) {
			return term
		}
	}
	return printed(n)
}
