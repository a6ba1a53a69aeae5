package query

// textField matches posts in which a word, phrase or the like stands in a field.
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

// inText reports whether the field is part of the text that queries search.
func (n *textField) inText() bool { return n.field.name == "title" || n.field.name == "contents" }

// text returns the words of a field, nil when the post does not have it.
func (d *Document) text(f *field) *text {
	t := d.fields[f.name]
	if t != nil && t.generation == d.generation {
		return &t.text
	}
	given := false
	f.texts(d.Post, func(text string) { given = given || text != "" })
	if !given {
		return nil
	}
	if t == nil {
		t = d.addField(f.name)
	}
	t.generation = d.generation
	t.reset(d)
	f.texts(d.Post, t.add)
	t.index()
	return &t.text
}

// addField makes room for the words of a field. Custom fields have any names, so
// now and then all is forgotten.
func (d *Document) addField(name string) *fieldText {
	const most = 64
	if d.fields == nil || len(d.fields) == most {
		d.fields = map[string]*fieldText{}
	}
	t := new(fieldText)
	d.fields[name] = t
	return t
}

// highlight adds what stands in the title or the contents; other fields are not shown
// with the text.
func (n *textField) highlight(in *text, into *spanSet) {
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
	for _, r := range found.groups {
		for i := r.starts.next(0); i >= 0; i = r.starts.next(i + 1) {
			into.withWidth(r.width).add(offset + i)
		}
	}
	found.free()
}

// fieldStart returns the position where a field begins in the text of title and contents.
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

// prefilter holds for the title and the contents, which are the text that keys are about.
func (n *textField) prefilter(groups []Clause, cost func(Literal) int) []Clause {
	if !n.inText() {
		return groups
	}
	return n.leaf.prefilter(groups, cost)
}
