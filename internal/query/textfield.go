package query

// textField matches posts in which a word, phrase or the like stands in a field.
type textField struct {
	field *field
	leaf  placed
}

func (n *textField) match(in *text) bool {
	if in.bound != nil {
		return n.leaf.match(in.bound.section(n.field))
	}
	t := in.doc.text(n.field)
	return t != nil && n.leaf.match(t)
}

// inText reports whether the field is part of the text that queries search.
func (n *textField) inText() bool { return n.field.name == "title" || n.field.name == "contents" }

// text returns the words of a field, nil when the post does not have it.
func (d *Document) text(f *field) *text {
	t := d.fields[f.name]
	if t != nil && t.post == d.posts {
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
	t.post = d.posts
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

// show adds what stands in the title or the contents; other fields are not shown
// with the text.
func (n *textField) show(in *text, into *spans) {
	offset, ok := in.begin(n.field.name)
	if !ok {
		return
	}
	within := in.doc.text(n.field)
	if within == nil {
		return
	}
	found := within.pool.spans()
	n.leaf.show(within, found)
	for _, r := range found.runs {
		for i := r.at.next(0); i >= 0; i = r.at.next(i + 1) {
			into.of(r.width).add(offset + i)
		}
	}
	found.drop()
}

// begin returns the position where a field begins in the text of title and contents.
func (t *text) begin(field string) (position int, ok bool) {
	switch {
	case field == "title" && t.doc.Post.Title != "":
		return 0, true
	case field == "contents" && t.doc.Post.Contents != "":
		return int(t.pieces[len(t.pieces)-1].first), true
	}
	return 0, false
}

func (n *textField) levels() int           { return n.leaf.levels() }
func (*textField) positive(want bool) bool { return want }

// needs holds for the title and the contents, which are the text that keys are about.
func (n *textField) needs(groups []Clause, cost func(Literal) int) []Clause {
	if !n.inText() {
		return groups
	}
	return n.leaf.needs(groups, cost)
}
