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
	if f.canonical != nil && (f.kind == kindHosts || !hasWildcard(value)) {
		value = f.canonical(value)
	}
	n := &valueField{field: f, text: value, plain: value}
	if f.kind != kindIDs {
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
		found = found || value != "" && n.matchesValue(in, value)
	})
	return found
}

func (n *valueField) matchesValue(in *text, value string) bool {
	switch n.field.kind {
	case kindIDs:
		return n.matchesPattern(n.text, value)
	case kindHosts:
		return n.matchesHost(strings.ToLower(value))
	}
	if !n.pattern && isASCII(value) { // most are, and need no more than that
		return strings.EqualFold(value, n.text)
	}
	folded := in.fold(value)
	if n.text == n.plain {
		folded = appendPlain(nil, folded)
	}
	return n.matchesPattern(n.text, string(folded))
}

// matchesHost reports whether the host is the one, or lies below it.
func (n *valueField) matchesHost(host string) bool {
	for {
		if n.matchesPattern(n.text, host) {
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

func (n *valueField) matchesPattern(pattern, value string) bool {
	if n.pattern {
		return glob(pattern, []byte(value))
	}
	return value == pattern
}

func (*valueField) highlight(*text, *spanSet) {}
func (*valueField) depth() int                { return 0 }
func (*valueField) positive(want bool) bool   { return want }

func (*valueField) prefilter(groups []Clause, _ func(Literal) int) []Clause { return groups }
