package query

import (
	"github.com/RoaringBitmap/roaring/v2"

	"earshot"
)

// An Index finds posts, which it has in rows.
type Index interface {
	// All returns every row. It is not changed.
	All() *roaring.Bitmap

	// Any returns the rows of posts that have one of the tokens. The caller may
	// change the set.
	Any(tokens []uint32) *roaring.Bitmap

	// Field returns the rows of posts that are accepted, when no more than one field
	// of the post is looked at, and false when the index does not have that field by
	// itself. The caller may change the set.
	Field(name string, accept func(p *earshot.Post) bool) (rows *roaring.Bitmap, ok bool)
}

// Select returns the rows that the query selects for sure, and those besides that
// must be asked one by one: with Match where Decides says so, else with the post.
func (b *Bound) Select(x Index) (sure, maybe *roaring.Bitmap) {
	s := b.rows(b.query.root, x)
	if s.exact() {
		return s.least, roaring.New()
	}
	maybe = s.most.Clone()
	maybe.AndNot(s.least)
	return s.least, maybe
}

// A scope is two sets between which the one lies that a node selects. They are the
// same set where that is known.
type scope struct{ least, most *roaring.Bitmap }

func exactly(rows *roaring.Bitmap) scope { return scope{rows, rows} }
func atMost(rows *roaring.Bitmap) scope  { return scope{roaring.New(), rows} }

func (s scope) exact() bool { return s.least == s.most }

func (b *Bound) rows(n node, x Index) scope {
	switch n := n.(type) {
	case and:
		return b.rowsOfAnd(n, x)
	case or:
		return b.rowsOfOr(n, x)
	case *not:
		return except(b.rows(n.operand, x), x.All())
	case *word:
		return exactly(b.rowsWith(x, n.element))
	case *phrase:
		return atMost(b.rowsWith(x, n.elements...))
	case *raw:
		return b.rowsOfRaw(n, x)
	case *near:
		return atMost(b.rowsOfAnd(and{n.left, n.right}, x).most)
	case *window:
		parts := make(and, len(n.parts))
		for i, p := range n.parts {
			parts[i] = p
		}
		return atMost(b.rowsOfAnd(parts, x).most)
	case *textField:
		if n.inText() {
			return atMost(b.rows(n.leaf, x).most)
		}
		return atMost(x.All())
	case *valueField:
		return ofField(n, n.field.name, x)
	case *rangeField:
		return ofField(n, n.field.name, x)
	}
	return atMost(x.All())
}

// rowsWith returns the rows that have all elements.
func (b *Bound) rowsWith(x Index, elements ...element) *roaring.Bitmap {
	var all *roaring.Bitmap
	for _, e := range elements {
		set := b.numbers[e]
		rows := x.Any(set.appendTo(nil))
		if all == nil {
			all = rows
		} else {
			all.And(rows)
		}
		if all.IsEmpty() {
			break
		}
	}
	return all
}

func (b *Bound) rowsOfRaw(n *raw, x Index) scope {
	if len(n.terms) == 0 {
		return atMost(x.All())
	}
	elements := make([]element, len(n.terms))
	for i, t := range n.terms {
		elements[i] = t
	}
	return atMost(b.rowsWith(x, elements...))
}

func (b *Bound) rowsOfAnd(parts []node, x Index) scope {
	var all scope
	for i, part := range parts {
		s := b.rows(part, x)
		switch {
		case i == 0:
			all = s
		case all.exact() && s.exact():
			all = exactly(roaring.And(all.most, s.most))
		default:
			all = scope{roaring.And(all.least, s.least), roaring.And(all.most, s.most)}
		}
		if all.most.IsEmpty() {
			return exactly(all.most)
		}
	}
	return all
}

// rowsOfOr looks all words up at once: there may be thousands.
func (b *Bound) rowsOfOr(parts []node, x Index) scope {
	var tokens []uint32
	var others []scope
	for _, part := range parts {
		if w, ok := part.(*word); ok {
			set := b.numbers[w.element]
			tokens = set.appendTo(tokens)
		} else {
			others = append(others, b.rows(part, x))
		}
	}
	all := exactly(x.Any(tokens))
	for _, s := range others {
		if all.exact() && s.exact() {
			all = exactly(roaring.Or(all.most, s.most))
		} else {
			all = scope{roaring.Or(all.least, s.least), roaring.Or(all.most, s.most)}
		}
	}
	return all
}

// except returns the rows of all that are not in s.
func except(s scope, all *roaring.Bitmap) scope {
	if s.exact() {
		return exactly(roaring.AndNot(all, s.most))
	}
	return scope{roaring.AndNot(all, s.most), roaring.AndNot(all, s.least)}
}

// ofField asks a node that looks at one field of the post.
func ofField(n node, name string, x Index) scope {
	d := new(Document)
	d.main.doc = d
	rows, ok := x.Field(name, func(p *earshot.Post) bool {
		d.Post = p
		return n.match(&d.main)
	})
	if !ok {
		return atMost(x.All())
	}
	return exactly(rows)
}
