package query

import "strings"

// valueField matches posts in which a field as a whole has a value, or is of its
// form when it has wildcards.
type valueField struct {
	field *field
	text  string // normalised
	plain string // text without accents

	pattern bool // has wildcards
}

// newValueField returns what a query says of a field of values, hosts or ids. The
// value must not be empty.
func newValueField(f *field, value string) *valueField {
	if f.spell != nil && (f.kind == ofHosts || !hasWildcard(value)) {
		value = f.spell(value)
	}
	n := &valueField{field: f, text: value, plain: value}
	if f.kind != ofIDs {
		var t tokenizer
		n.text = string(t.fold(value))
		n.plain = string(appendPlain(nil, []byte(n.text)))
	}
	n.pattern = hasWildcard(n.text)
	return n
}

func (n *valueField) match(in *text) bool {
	found := false
	n.field.values(in.doc.Post, func(value string) {
		found = found || value != "" && n.is(in, value)
	})
	return found
}

func (n *valueField) is(in *text, value string) bool {
	switch n.field.kind {
	case ofIDs:
		return n.like(n.text, value)
	case ofHosts:
		return n.hosts(strings.ToLower(value))
	}
	if !n.pattern && isASCII(value) { // most are, and need no more than that
		return strings.EqualFold(value, n.text)
	}
	folded := in.fold(value)
	if n.text == n.plain {
		folded = appendPlain(nil, folded)
	}
	return n.like(n.text, string(folded))
}

// hosts reports whether the host is the one, or lies below it.
func (n *valueField) hosts(host string) bool {
	for {
		if n.like(n.text, host) {
			return true
		}
		_, above, ok := strings.Cut(host, ".")
		if !ok {
			return false
		}
		host = above
	}
}

func hasWildcard(text string) bool { return strings.ContainsAny(text, "*?") }

func (n *valueField) like(pattern, value string) bool {
	if n.pattern {
		return glob(pattern, []byte(value))
	}
	return value == pattern
}

func (*valueField) show(*text, *spans)      {}
func (*valueField) levels() int             { return 0 }
func (*valueField) positive(want bool) bool { return want }

func (*valueField) needs(groups []Clause, _ func(Literal) int) []Clause { return groups }
