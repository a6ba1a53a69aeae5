package query

import "github.com/RoaringBitmap/roaring/v2"

// A RowSet is what an index can tell of a selection: the rows that are in it for sure,
// and those of which only the post itself can tell. The two have no row in common.
type RowSet struct {
	Matches    *roaring.Bitmap
	Candidates *roaring.Bitmap // nil: none
}

// IsEmpty reports whether no row is left.
func (f RowSet) IsEmpty() bool { return f.Matches.IsEmpty() && !f.hasCandidates() }

// Possible returns the rows that may be in the selection. It may be one of f's own sets.
func (f RowSet) Possible() *roaring.Bitmap {
	if !f.hasCandidates() {
		return f.Matches
	}
	return roaring.Or(f.Matches, f.Candidates)
}

// And returns what is known of the rows that are in both selections, where g was
// looked for among the rows of f.Most.
func (f RowSet) And(g RowSet) RowSet {
	if !f.hasCandidates() {
		return g
	}
	most := g.Possible()
	sure := roaring.And(f.Matches, g.Matches)
	return RowSet{sure, roaring.AndNot(most, sure)}
}

// Or returns what is known of the rows that are in either selection. It may change both.
func (f RowSet) Or(g RowSet) RowSet {
	f.Matches.Or(g.Matches)
	if g.hasCandidates() {
		if f.Candidates == nil {
			f.Candidates = g.Candidates
		} else {
			f.Candidates.Or(g.Candidates)
		}
	}
	if f.hasCandidates() {
		f.Candidates.AndNot(f.Matches)
	}
	return f
}

// intersect returns what is known of the rows of f that are among others.
func (f RowSet) intersect(rows *roaring.Bitmap) RowSet {
	f.Matches = roaring.And(f.Matches, rows)
	if f.hasCandidates() {
		f.Candidates = roaring.And(f.Candidates, rows)
	}
	return f
}

// complement returns what is known of the rows of all that are not in f.
func (f RowSet) complement(all *roaring.Bitmap) RowSet {
	return RowSet{roaring.AndNot(all, f.Possible()), f.Candidates}
}

func (f RowSet) hasCandidates() bool { return f.Candidates != nil && !f.Candidates.IsEmpty() }
