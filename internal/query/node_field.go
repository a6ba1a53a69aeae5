package query

import "strings"

// textField matches posts in which its leaf matches the words of a field, for example title:apple.
type textField struct {
	field *field
	leaf  spanNode
}

func (n *textField) match(in *text) bool {
	if in.binding != nil {
		return n.leaf.match(in.binding.section(n.field))
	}
	t := in.doc.text(n.field)
	return t != nil && n.leaf.match(t)
}

// inText reports whether the field is part of the text that queries search by default.
func (n *textField) inText() bool { return n.field.name == "title" || n.field.name == "contents" }

// text returns the tokenized field, or nil if the field is empty. The result is cached until the
// document is reset.
func (d *Document) text(f *field) *text {
	t := d.fields[f.name]
	if t != nil && t.generation == d.generation {
		return &t.text
	}
	isSet := false
	f.texts(d.Post, func(text string) { isSet = isSet || text != "" })
	if !isSet {
		return nil
	}
	if t == nil {
		// There is no limit on names of custom fields, so clear the cache when it is full.
		const maxFields = 64
		if d.fields == nil || len(d.fields) == maxFields {
			d.fields = map[string]*fieldText{}
		}
		t = new(fieldText)
		d.fields[f.name] = t
	}
	t.generation = d.generation
	t.reset(d)
	f.texts(d.Post, t.add)
	t.index()
	return &t.text
}

// highlight adds spans of the title and the contents. Other fields are not displayed.
func (n *textField) highlight(in *text, dst *spanSet) {
	offset, ok := in.fieldStart(n.field.name)
	if !ok {
		return
	}
	within := in.doc.text(n.field)
	if within == nil {
		return
	}
	found := within.pool.newSpans()
	n.leaf.highlight(within, found)
	for _, g := range found.groups {
		for i := g.starts.next(0); i >= 0; i = g.starts.next(i + 1) {
			dst.withWidth(g.width).add(offset + i)
		}
	}
	found.free()
}

// fieldStart returns the first position of a field in the combined text of title and contents.
func (t *text) fieldStart(field string) (position int, ok bool) {
	switch {
	case field == "title" && t.doc.Post.Title != "":
		return 0, true
	case field == "contents" && t.doc.Post.Contents != "":
		return int(t.pieces[len(t.pieces)-1].first), true
	}
	return 0, false
}

func (n *textField) depth() int            { return n.leaf.depth() }
func (*textField) positive(want bool) bool { return want }

// prefilter returns no clauses for other fields, because literals refer to title and contents.
func (n *textField) prefilter(clauses []Clause, cost func(Literal) int) []Clause {
	if !n.inText() {
		return clauses
	}
	return n.leaf.prefilter(clauses, cost)
}

// valueField matches posts in which a whole field equals a value or, if the value has wildcards,
// matches the pattern. Example: country:us.
type valueField struct {
	field *field
	text  string // normalized
	plain string // text without accents

	pattern bool // has wildcards
}

// newValueField returns the node for a field of values, hosts or IDs. The caller must reject a node
// whose text is empty.
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
	if !n.pattern && isASCII(value) { // most values are ASCII and need no folding
		return strings.EqualFold(value, n.text)
	}
	folded := in.fold(value)
	if n.text == n.plain {
		folded = appendPlain(nil, folded)
	}
	return n.matchesPattern(n.text, string(folded))
}

// matchesHost reports whether the host or one of its parent domains matches.
func (n *valueField) matchesHost(host string) bool {
	for {
		if n.matchesPattern(n.text, host) {
			return true
		}
		_, parent, ok := strings.Cut(host, ".")
		if !ok {
			return false
		}
		host = parent
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

func (*valueField) prefilter(clauses []Clause, _ func(Literal) int) []Clause { return clauses }

// rangeField matches posts whose number in a field is within an inclusive range, for example
// authorFollowers:[100 TO 5000].
type rangeField struct {
	field    *field
	from, to float64
}

func (n *rangeField) match(in *text) bool {
	value, isSet := n.field.number(in.doc.Post)
	return isSet && n.from <= value && value <= n.to
}

func (*rangeField) highlight(*text, *spanSet) {}
func (*rangeField) depth() int                { return 0 }
func (*rangeField) positive(want bool) bool   { return want }

func (*rangeField) prefilter(clauses []Clause, _ func(Literal) int) []Clause { return clauses }

// print prints a range of a single number as that number, except in custom fields, where a bare
// number is a word.
func (n *rangeField) print(b []byte) []byte {
	b = append(b, n.field.name...)
	b = append(b, ':')
	if n.from == n.to && n.field.kind == kindNumbers {
		return appendNumber(b, n.from)
	}
	b = appendNumber(append(b, '['), n.from)
	b = appendNumber(append(b, " TO "...), n.to)
	return append(b, ']')
}
