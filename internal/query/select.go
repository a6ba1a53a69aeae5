package query

import (
	"slices"

	"github.com/RoaringBitmap/roaring/v2"

	"earshot"
)

// An Index finds posts, which it has in rows. Where it is asked for rows among others,
// nil stands for all rows; that set is not changed, and the caller may change the answer.
type Index interface {
	// All returns every row.
	All() *roaring.Bitmap

	// Any returns the rows of posts that have one of the tokens, which ascend.
	Any(tokens []uint32, among *roaring.Bitmap) *roaring.Bitmap

	// Cardinality returns about how many rows Any would return of all rows, rather too many.
	Cardinality(tokens []uint32) int

	// Field returns the rows of posts that are accepted, when no more than one field of
	// the post is looked at; Maybe has the rows of which the index does not have that
	// field by itself. Of a field with several values accept is asked about each alone,
	// and one that is accepted is enough.
	Field(name string, accept func(p *earshot.Post) bool, among *roaring.Bitmap) RowSet

	// Scan returns those of the rows whose words are accepted, which are what
	// Document.AppendTokenIDs made of the post.
	Scan(rows *roaring.Bitmap, accept func(words []uint32) bool) *roaring.Bitmap
}

// Select returns the rows among others, nil for all, that the query selects.
func (b *Binding) Select(x Index, among *roaring.Bitmap) RowSet {
	s := rowSearch{Binding: b, Index: x}
	return s.selectRows(b.query.root, among)
}

// Candidates returns the rows among others that have the words which the query needs. It
// costs less than Select, which would look at those rows one by one, where Scans says so.
func (b *Binding) Candidates(x Index, among *roaring.Bitmap) *roaring.Bitmap {
	s := rowSearch{Binding: b, Index: x}
	return s.candidates(b.query.root, among)
}

// NeedsScan reports whether Select looks at rows one by one, in a part of the query or in
// all of it.
func (b *Binding) NeedsScan() bool { return needsScan(b.query.root) }

func needsScan(n node) bool {
	switch n := n.(type) {
	case and:
		return slices.ContainsFunc(n, needsScan)
	case or:
		return slices.ContainsFunc(n, needsScan)
	case *not:
		return needsScan(n.operand)
	}
	return scansRows(n)
}

// scansRows reports whether a node is decided by the order of the words in each row.
func scansRows(n node) bool {
	switch n.(type) {
	case *phrase, *near, *window, *textField:
		return searchesTextOnly(n)
	}
	return false
}

// A rowSearch is the way through one index. Nodes that are decided by postings alone come
// first, and each is looked for among the rows that those before it have left.
type rowSearch struct {
	*Binding
	Index
}

// selectRows returns the rows among others that a node selects.
func (s *rowSearch) selectRows(n node, among *roaring.Bitmap) RowSet {
	switch n := n.(type) {
	case and:
		return s.selectAnd(n, among)
	case or:
		return s.selectOr(n, among)
	case *not:
		all := s.scopeOrAll(among)
		return s.selectRows(n.operand, all).complement(all)
	case *word:
		return RowSet{Matches: s.Any(s.tokens[n.matcher].tokens, among)}
	case *valueField:
		return s.selectField(n, n.field, among)
	case *rangeField:
		return s.selectField(n, n.field, among)
	case *textField:
		if !n.inText() {
			return s.selectField(n, n.field, among)
		}
	}
	candidates := s.candidates(n, among)
	if scansRows(n) {
		return RowSet{Matches: s.Scan(candidates, s.rowMatcher(n))}
	}
	return RowSet{Matches: roaring.New(), Candidates: candidates.Clone()}
}

// scopeOrAll returns rows, all of them for nil.
func (s *rowSearch) scopeOrAll(among *roaring.Bitmap) *roaring.Bitmap {
	if among == nil {
		return s.All()
	}
	return among
}

func (s *rowSearch) selectAnd(parts []node, among *roaring.Bitmap) RowSet {
	parts = s.bySelectivity(parts)
	left := RowSet{Matches: among}
	for _, part := range parts {
		if scansRows(part) {
			left = s.narrow(left, part)
		} else {
			left = left.And(s.selectRows(part, left.Possible()))
		}
		if left.IsEmpty() {
			return left
		}
	}
	for _, part := range parts {
		if scansRows(part) {
			left = left.And(RowSet{Matches: s.Scan(left.Possible(), s.rowMatcher(part))})
		}
	}
	return left
}

// narrow leaves those rows of f that have the words of a node.
func (s *rowSearch) narrow(f RowSet, n node) RowSet {
	if f.Matches == nil {
		return RowSet{Matches: s.candidates(n, nil)}
	}
	return f.intersect(s.candidates(n, f.Possible()))
}

// selectOr looks all words up at once: there may be thousands.
func (s *rowSearch) selectOr(parts []node, among *roaring.Bitmap) RowSet {
	tokens, others := s.splitWords(parts)
	found := RowSet{Matches: s.Any(tokens, among)}
	for _, part := range others {
		if !scansRows(part) {
			found = found.Or(s.selectRows(part, among))
			continue
		}
		candidates := roaring.AndNot(s.candidates(part, among), found.Matches)
		found = found.Or(RowSet{Matches: s.Scan(candidates, s.rowMatcher(part))})
	}
	return found
}

// splitWords returns the tokens of those nodes that are words, and the other nodes.
func (s *rowSearch) splitWords(parts []node) (tokens []uint32, others []node) {
	for _, part := range parts {
		if w, ok := part.(*word); ok {
			tokens = append(tokens, s.tokens[w.matcher].tokens...)
		} else {
			others = append(others, part)
		}
	}
	slices.Sort(tokens)
	return slices.Compact(tokens), others
}

// selectField asks for a node that looks at one field of the post.
func (s *rowSearch) selectField(n node, f *field, among *roaring.Bitmap) RowSet {
	d := new(Document)
	d.main.doc = d
	return s.Field(f.name, func(p *earshot.Post) bool {
		d.Post = p
		d.generation++
		return n.match(&d.main)
	}, among)
}

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
