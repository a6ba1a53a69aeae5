package query

import "github.com/RoaringBitmap/roaring/v2"

// A Found is what an index can tell of a selection: the rows that are in it for sure,
// and those of which only the post itself can tell. The two have no row in common.
type Found struct {
	Sure  *roaring.Bitmap
	Maybe *roaring.Bitmap // nil: none
}

// IsEmpty reports whether no row is left.
func (f Found) IsEmpty() bool { return f.Sure.IsEmpty() && !f.unsure() }

// Most returns the rows that may be in the selection. It may be one of f's own sets.
func (f Found) Most() *roaring.Bitmap {
	if !f.unsure() {
		return f.Sure
	}
	return roaring.Or(f.Sure, f.Maybe)
}

// And returns what is known of the rows that are in both selections, where g was
// looked for among the rows of f.Most.
func (f Found) And(g Found) Found {
	if !f.unsure() {
		return g
	}
	most := g.Most()
	sure := roaring.And(f.Sure, g.Sure)
	return Found{sure, roaring.AndNot(most, sure)}
}

// Or returns what is known of the rows that are in either selection. It may change both.
func (f Found) Or(g Found) Found {
	f.Sure.Or(g.Sure)
	if g.unsure() {
		if f.Maybe == nil {
			f.Maybe = g.Maybe
		} else {
			f.Maybe.Or(g.Maybe)
		}
	}
	if f.unsure() {
		f.Maybe.AndNot(f.Sure)
	}
	return f
}

// within returns what is known of the rows of f that are among others.
func (f Found) within(rows *roaring.Bitmap) Found {
	f.Sure = roaring.And(f.Sure, rows)
	if f.unsure() {
		f.Maybe = roaring.And(f.Maybe, rows)
	}
	return f
}

// except returns what is known of the rows of all that are not in f.
func (f Found) except(all *roaring.Bitmap) Found {
	return Found{roaring.AndNot(all, f.Most()), f.Maybe}
}

func (f Found) unsure() bool { return f.Maybe != nil && !f.Maybe.IsEmpty() }
