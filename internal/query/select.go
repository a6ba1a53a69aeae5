package query

import (
	"slices"

	"github.com/RoaringBitmap/roaring/v2"

	"earshot"
)

// An Index finds posts by row. Methods with a scope search only those rows, or all rows if the
// scope is nil. They do not modify the scope. The caller owns the result and may modify it.
type Index interface {
	// All returns every row.
	All() *roaring.Bitmap

	// Any returns the rows of posts that have at least one of the tokens. The tokens must be in
	// ascending order.
	Any(tokens []uint32, scope *roaring.Bitmap) *roaring.Bitmap

	// Cardinality returns an upper bound estimate of the number of rows that Any would return
	// without a scope.
	Cardinality(tokens []uint32) int

	// Field returns the rows of posts that accept returns true for. accept reads only the named
	// field of the post. Rows for which the index does not store the field are candidates. For a
	// field with several values, Field calls accept with each value separately, and one accepted
	// value is enough.
	Field(name string, accept func(p *earshot.Post) bool, scope *roaring.Bitmap) RowSet

	// Scan returns the rows for whose token IDs accept returns true. The IDs are in the encoding of
	// [Document.AppendTokenIDs].
	Scan(rows *roaring.Bitmap, accept func(ids []uint32) bool) *roaring.Bitmap
}

// A RowSet is the result of a selection, as far as an index can decide it: the rows that match, and
// a disjoint set of candidates, which can be decided only by reading the posts.
type RowSet struct {
	Matches    *roaring.Bitmap
	Candidates *roaring.Bitmap // may be nil
}

// IsEmpty reports whether there are neither matches nor candidates.
func (r RowSet) IsEmpty() bool { return r.Matches.IsEmpty() && !r.hasCandidates() }

// Possible returns the union of matches and candidates. The result may be one of r's own sets.
func (r RowSet) Possible() *roaring.Bitmap {
	if !r.hasCandidates() {
		return r.Matches
	}
	return roaring.Or(r.Matches, r.Candidates)
}

// And returns the intersection of two selections. other must have been selected with r.Possible as
// its scope.
func (r RowSet) And(other RowSet) RowSet {
	if !r.hasCandidates() {
		return other
	}
	possible := other.Possible()
	matches := roaring.And(r.Matches, other.Matches)
	return RowSet{matches, roaring.AndNot(possible, matches)}
}

// Or returns the union of two selections. It may modify both.
func (r RowSet) Or(other RowSet) RowSet {
	r.Matches.Or(other.Matches)
	if other.hasCandidates() {
		if r.Candidates == nil {
			r.Candidates = other.Candidates
		} else {
			r.Candidates.Or(other.Candidates)
		}
	}
	if r.hasCandidates() {
		r.Candidates.AndNot(r.Matches)
	}
	return r
}

func (r RowSet) hasCandidates() bool { return r.Candidates != nil && !r.Candidates.IsEmpty() }

// Select returns the rows in a scope that the query selects. A nil scope means all rows.
func (b *Binding) Select(x Index, scope *roaring.Bitmap) RowSet {
	s := rowSearch{Binding: b, Index: x}
	return s.selectRows(b.query.root, scope)
}

// Candidates returns the rows in a scope that have the tokens the query requires. If NeedsScan
// reports true, Candidates is cheaper than Select, which then scans those rows.
func (b *Binding) Candidates(x Index, scope *roaring.Bitmap) *roaring.Bitmap {
	s := rowSearch{Binding: b, Index: x}
	return s.candidates(b.query.root, scope)
}

// NeedsScan reports whether Select scans the token IDs of single rows for any part of the query.
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

// scansRows reports whether a node depends on the order of the tokens in each row.
func scansRows(n node) bool {
	switch n.(type) {
	case *phrase, *near, *window, *textField:
		return searchesTextOnly(n)
	}
	return false
}

// A rowSearch evaluates a query on an index. It first evaluates the nodes that posting lists can
// decide, and narrows the scope with each of them.
type rowSearch struct {
	*Binding
	Index
}

// selectRows returns the rows in a scope that a node selects.
func (s *rowSearch) selectRows(n node, scope *roaring.Bitmap) RowSet {
	switch n := n.(type) {
	case and:
		return s.selectAnd(n, scope)
	case or:
		return s.selectOr(n, scope)
	case *not:
		all := s.scopeOrAll(scope)
		excluded := s.selectRows(n.operand, all)
		return RowSet{roaring.AndNot(all, excluded.Possible()), excluded.Candidates}
	case *word:
		return RowSet{Matches: s.Any(s.tokens[n.matcher].tokens, scope)}
	case *valueField:
		return s.selectField(n, n.field, scope)
	case *rangeField:
		return s.selectField(n, n.field, scope)
	case *textField:
		if !n.inText() {
			return s.selectField(n, n.field, scope)
		}
	}
	candidates := s.candidates(n, scope)
	if scansRows(n) {
		return RowSet{Matches: s.Scan(candidates, s.rowMatcher(n))}
	}
	return RowSet{Matches: roaring.New(), Candidates: candidates.Clone()}
}

// scopeOrAll returns the scope, or all rows if it is nil.
func (s *rowSearch) scopeOrAll(scope *roaring.Bitmap) *roaring.Bitmap {
	if scope == nil {
		return s.All()
	}
	return scope
}

// selectAnd first narrows the scope with all parts, using only the candidates of those that need a
// scan. It then scans the remaining rows.
func (s *rowSearch) selectAnd(parts []node, scope *roaring.Bitmap) RowSet {
	parts = s.bySelectivity(parts)
	left := RowSet{Matches: scope}
	for _, part := range parts {
		switch {
		case !scansRows(part):
			left = left.And(s.selectRows(part, left.Possible()))
		case left.Matches == nil:
			left.Matches = s.candidates(part, nil)
		default:
			rows := s.candidates(part, left.Possible())
			left.Matches = roaring.And(left.Matches, rows)
			if left.hasCandidates() {
				left.Candidates = roaring.And(left.Candidates, rows)
			}
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

// selectOr looks up the tokens of all words at once, because there may be thousands.
func (s *rowSearch) selectOr(parts []node, scope *roaring.Bitmap) RowSet {
	tokens, others := s.splitWords(parts)
	found := RowSet{Matches: s.Any(tokens, scope)}
	for _, part := range others {
		if !scansRows(part) {
			found = found.Or(s.selectRows(part, scope))
			continue
		}
		candidates := roaring.AndNot(s.candidates(part, scope), found.Matches)
		found = found.Or(RowSet{Matches: s.Scan(candidates, s.rowMatcher(part))})
	}
	return found
}

// splitWords returns the tokens of all word nodes in ascending order, and the other nodes.
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

// selectField evaluates a node that reads one field of the post.
func (s *rowSearch) selectField(n node, f *field, scope *roaring.Bitmap) RowSet {
	d := new(Document)
	d.main.doc = d
	return s.Field(f.name, func(p *earshot.Post) bool {
		d.Post = p
		d.generation++
		return n.match(&d.main)
	}, scope)
}
