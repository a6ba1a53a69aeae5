package query

// rangeField matches posts whose figure in a field lies between two numbers, both
// included.
type rangeField struct {
	field    *field
	from, to float64
}

func (n *rangeField) match(in *text) bool {
	figure, stated := n.field.number(in.doc.Post)
	return stated && n.from <= figure && figure <= n.to
}

func (*rangeField) highlight(*text, *spanSet) {}
func (*rangeField) depth() int                { return 0 }
func (*rangeField) positive(want bool) bool   { return want }

func (*rangeField) prefilter(groups []Clause, _ func(Literal) int) []Clause { return groups }

// print writes a range of one number as that number, but for custom fields, where
// a number is a word.
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
