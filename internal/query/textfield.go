package query

// textField matches posts in which a word, phrase or the like stands in a field.
type textField struct {
	field *field
	leaf  placed
}

func (n *textField) match(in *text) bool { return n.leaf.match(in.doc.text(n.field)) }

// text returns the words of a field.
func (d *Document) text(f *field) *text {
	t := d.fieldText(f.name)
	if !t.ready {
		t.ready = true
		t.reset(d)
		f.texts(d.Post, t.add)
		t.index()
	}
	return &t.text
}

// fieldText returns where the words of a field are kept.
func (d *Document) fieldText(name string) *fieldText {
	for _, t := range d.fields {
		if t.name == name {
			return t
		}
	}
	t := &fieldText{name: name}
	d.fields = append(d.fields, t)
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
func (n *textField) needs(groups []Group, cost func(Key) int) []Group {
	if n.field.name != "title" && n.field.name != "contents" {
		return groups
	}
	return n.leaf.needs(groups, cost)
}
