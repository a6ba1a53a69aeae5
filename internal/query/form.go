package query

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"earshot"
)

// A Form is a query as people fill it in: lists of terms, and how they combine. A post must satisfy
// every part.
//
// A term is a word, a #tag, an {exact text} or field:value, as it is written in a query. Anything
// else is a phrase, for example new york, which needs no quotes, or AND, which [Build] quotes.
type Form struct {
	All     []string   `json:"all"`     // each of these terms
	Phrases []string   `json:"phrases"` // each of these phrases
	Any     [][]string `json:"any"`     // at least one term of each group
	Near    []Near     `json:"near"`
	None    []string   `json:"none"` // none of these terms
}

// Near requires a term of each group, close to each other. Its terms are words, phrases and exact
// texts.
type Near struct {
	Groups [][]string `json:"groups"` // two or more

	// Distance is the maximum number of other words: between neighbors if Ordered or if there are two
	// groups, else in total.
	Distance int  `json:"distance"`
	Ordered  bool `json:"ordered"` // the groups in this order
}

// A FormError says why a query cannot be shown as a [Form].
type FormError struct{ Uses string }

func (e *FormError) Error() string {
	return fmt.Sprintf("This query uses %s, which the form cannot show. Edit it as text.", e.Uses)
}

// Unwrap returns an [earshot.Invalid] error, so the API shows the message to the caller.
func (e *FormError) Unwrap() error {
	return &earshot.Error{Kind: earshot.Invalid, Message: e.Error()}
}

// Build writes a form as a query. It leaves out empty terms, empty groups and repeated terms, so the
// query of a form without terms is empty. The error is an [earshot.Invalid] error, or a
// [*ParseError] if the whole is not a query, for example because it is too long.
func Build(f Form) (string, error) {
	b := formWriter{}
	if n := f.terms(); n > maxTerms {
		return "", earshot.InvalidBody("a form has at most 10,000 terms, but this one has %d", n)
	}
	required := map[string]bool{}
	for _, term := range b.list(f.All, writeTerm, required) {
		b.part(term, false)
	}
	for _, phrase := range b.list(f.Phrases, writePhrase, required) {
		b.part(phrase, false)
	}
	for _, group := range f.Any {
		if terms := b.list(group, writeTerm, map[string]bool{}); len(terms) > 0 {
			b.part(strings.Join(terms, " OR "), len(terms) > 1)
		}
	}
	for _, n := range f.Near {
		b.near(n)
	}
	if none := b.list(f.None, writeTerm, map[string]bool{}); len(none) > 0 {
		b.part("NOT "+group(none), false)
	}
	if b.err != nil || len(b.parts) == 0 {
		return "", b.err
	}
	if len(b.parts) == 1 && strings.HasPrefix(b.only, "NOT ") {
		return "", earshot.InvalidBody("the form only excludes posts; add a word or phrase to search for")
	}
	text := strings.Join(b.parts, " AND ")
	if len(b.parts) == 1 {
		text = b.only
	}
	_, err := Parse(text)
	return text, err
}

func (f *Form) terms() int {
	n := len(f.All) + len(f.Phrases) + len(f.None)
	for _, group := range f.Any {
		n += len(group)
	}
	for _, near := range f.Near {
		for _, group := range near.Groups {
			n += len(group)
		}
	}
	return n
}

// A formWriter collects the parts of a query.
type formWriter struct {
	parts []string
	only  string // the last part without parentheses around it
	err   error  // the first error
}

// part adds a part, in parentheses if it is not the only one.
func (b *formWriter) part(text string, compound bool) {
	b.only = text
	if compound {
		text = "(" + text + ")"
	}
	b.parts = append(b.parts, text)
}

// list writes the terms that are not in seen, and adds them to it.
func (b *formWriter) list(terms []string, write func(string) (string, node, error), seen map[string]bool) (written []string) {
	for _, term := range terms {
		if strings.TrimSpace(term) == "" {
			continue
		}
		text, n, err := write(term)
		if err != nil {
			b.fail(earshot.InvalidBody("%s: %s", quoted(strings.TrimSpace(term)), err))
			return nil
		}
		if normal := printed(n); !seen[normal] {
			seen[normal] = true
			written = append(written, text)
		}
	}
	return written
}

func (b *formWriter) fail(err error) {
	if b.err == nil {
		b.err = err
	}
}

// near adds a part with terms close to each other. It does not add an empty one.
func (b *formWriter) near(n Near) {
	var groups []string
	for _, terms := range n.Groups {
		if written := b.list(terms, writeNearTerm, map[string]bool{}); len(written) > 0 {
			groups = append(groups, group(written))
		}
	}
	switch {
	case len(groups) == 0:
	case len(groups) == 1:
		b.fail(earshot.InvalidBody("words near each other need at least two groups, but there is only %s", groups[0]))
	case n.Distance < 0 || n.Distance > maxDistance:
		b.fail(earshot.InvalidBody("the distance %d is not a number from 0 to 1,000,000", n.Distance))
	case n.Ordered:
		text := groups[0]
		for i, g := range groups[1:] {
			if i > 0 {
				text = "(" + text + ")"
			}
			text = fmt.Sprintf("%s ONEAR/%d %s", text, n.Distance, g)
		}
		b.part(text, true)
	case len(groups) == 2:
		b.part(fmt.Sprintf("%s NEAR/%d %s", groups[0], n.Distance, groups[1]), true)
	default:
		b.part(fmt.Sprintf("(%s)~%d", strings.Join(groups, " AND "), n.Distance), false)
	}
}

// group joins terms with OR, in parentheses if there are several.
func group(terms []string) string {
	if len(terms) == 1 {
		return terms[0]
	}
	return "(" + strings.Join(terms, " OR ") + ")"
}

// writeTerm returns a term of a form in the syntax of queries, and its node.
func writeTerm(term string) (string, node, error) {
	term = strings.TrimSpace(term)
	n, warned, err := parseTerm(term)
	if err == nil && !warned {
		return term, n, nil
	}
	// Quotes avoid a warning, for example about the words and or re:invent.
	if text, quoted, quotedErr := writePhrase(term); quotedErr == nil && n != nil && printed(quoted) == printed(n) {
		return text, n, nil
	}
	if err == nil {
		return term, n, nil
	}
	if name, value, _ := strings.Cut(term, ":"); isField(name) && strings.TrimSpace(value) != "" {
		text := name + ":" + quote(value)
		if n, _, err := parseTerm(text); err == nil {
			return text, n, nil
		}
	}
	return writePhrase(term)
}

// writePhrase returns a phrase of a form in quotes, and its node.
func writePhrase(phrase string) (string, node, error) {
	text := quote(phrase)
	n, _, err := parseTerm(text)
	if err != nil {
		return "", nil, err
	}
	return text, n, nil
}

// writeNearTerm is writeTerm for a term that can be close to others.
func writeNearTerm(term string) (string, node, error) {
	text, n, err := writeTerm(term)
	if err == nil && !hasWidth(n) {
		return "", nil, errors.New("only words and phrases without a field can be near others")
	}
	return text, n, err
}

// quote returns text in quotes.
func quote(text string) string { return `"` + unquoted(text) + `"` }

// unquoted returns text without what has a meaning in quotes: quotes, which separate words as
// punctuation does, and backslashes at the end, which would escape the closing quote.
func unquoted(text string) string {
	l := lexer{src: []rune(text)}
	var inner []rune
	for i := 0; i < len(l.src); {
		if n := l.quoteAt(i); n > 0 {
			inner = append(inner, ' ')
			i += n
			continue
		}
		inner = append(inner, l.src[i])
		i++
	}
	return strings.TrimRight(strings.Join(strings.Fields(string(inner)), " "), `\ `)
}

// parseTerm parses a single term. It also reports whether there are warnings about how it is written.
func parseTerm(text string) (n node, warned bool, err error) {
	var written spelling
	written.leaves = map[node]item{}
	r := lint(text, Lenient, &written)
	switch {
	case len(r.Errors) > 0:
		return nil, false, errors.New(r.Errors[0].Message)
	case !isTerm(r.Query.root) || written.hasComments:
		return nil, false, errors.New("this is not a single word or phrase")
	}
	warned = slices.ContainsFunc(r.Warnings, func(w Warning) bool { return w.Message != warnNoWord })
	return r.Query.root, warned, nil
}

// isTerm reports whether a node can be a term of a form.
func isTerm(n node) bool {
	switch n := n.(type) {
	case *word, *phrase, *exact, *valueField, *rangeField:
		return true
	case *textField:
		return hasWidth(n.leaf) && isTerm(n.leaf)
	}
	return false
}

func printed(n node) string { return string(n.print(nil)) }
