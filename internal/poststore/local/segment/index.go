package segment

import (
	"context"
	"iter"
	"slices"

	"github.com/RoaringBitmap/roaring/v2"

	"earshot/internal/poststore/local/colfile"
	"earshot/internal/query"
)

// An index implements [query.Index] and [query.Vocabulary] for one selection in a segment. The
// first error is recorded in err; results after that are invalid.
type index struct {
	ctx      context.Context
	segment  *Segment
	rows     uint32
	terms    *colfile.Strings
	postings *colfile.Sets
	tokens   *colfile.ListReader // the forward index
	err      error

	corrections *Corrections // nil: none

	buffer []uint32 // scratch space for the tokens of a row
}

var (
	_ query.Index      = (*index)(nil)
	_ query.Vocabulary = (*index)(nil)
)

func (s *Segment) index(ctx context.Context) (*index, error) {
	x := &index{ctx: ctx, segment: s, rows: uint32(s.Rows())}
	var err error
	if x.terms, err = s.Strings(dictTerm); err != nil {
		return nil, err
	}
	if x.postings, err = s.Sets(setPostings); err != nil {
		return nil, err
	}
	tokens, err := s.Lists(listTokens)
	if err != nil {
		return nil, err
	}
	x.tokens = tokens.Reader()
	return x, nil
}

// stopped returns the first error, or the error of the context. Loops call it once per chunk.
func (x *index) stopped() error {
	if x.err == nil {
		x.err = x.ctx.Err()
	}
	return x.err
}

// rowSet returns rows as a result. If err is not nil, it records the error and returns an empty
// result.
func (x *index) rowSet(rows *roaring.Bitmap, err error) query.RowSet {
	if err != nil {
		x.err = err
		rows = roaring.New()
	}
	return query.RowSet{Matches: rows}
}

func (x *index) Prefix(prefix string) (from, to uint32) { return x.terms.Prefix(prefix) }

func (x *index) Keys(from, to uint32) iter.Seq2[uint32, []byte] {
	return func(yield func(uint32, []byte) bool) {
		for c := x.terms.Cursor(from); c.Next() && c.ID() < to; {
			if !yield(c.ID(), c.Text()) {
				return
			}
		}
	}
}

func (x *index) All() *roaring.Bitmap { return rowRange(0, x.rows) }

// rowRange returns the rows in [from, to).
func rowRange(from, to uint32) *roaring.Bitmap {
	rows := roaring.New()
	rows.AddRange(uint64(from), uint64(to))
	return rows
}

// orAll returns scope, or all rows if scope is nil.
func (x *index) orAll(scope *roaring.Bitmap) *roaring.Bitmap {
	if scope == nil {
		return x.All()
	}
	return scope
}

// Cardinality returns the total length of the tokens' posting lists. For many tokens it is an
// estimate.
func (x *index) Cardinality(tokens []uint32) int {
	const maxSample = 256
	sum, step := 0, len(tokens)/maxSample+1
	for i := 0; i < len(tokens); i += step {
		sum += x.postings.Cardinality(uint64(tokens[i]))
	}
	return sum * step
}

// Costs in nanoseconds, to choose the fastest way to find rows.
const (
	costOfTokens  = 150  // reading the tokens of a row
	costOfBitmap  = 3000 // reading a posting list as a bitmap
	costOfCommon  = 3    // per row when intersecting two bitmaps
	costOfToken   = 40   // per token in a union
	costOfPosting = 2    // per row in a union
	rowsPerCost   = 10   // number of rows of the segment that add 1 to the cost of a union
)

// Any returns the rows in scope that contain any of the tokens. It uses the cheapest of three
// methods.
func (x *index) Any(tokens []uint32, scope *roaring.Bitmap) *roaring.Bitmap {
	switch {
	case len(tokens) == 0 || scope != nil && scope.IsEmpty():
		return roaring.New()
	case scope == nil:
		return x.union(tokens)
	case len(tokens) == 1:
		return roaring.And(x.postings.Bitmap(uint64(tokens[0])), scope)
	}
	rows := int(scope.GetCardinality())
	byToken := len(tokens) * (costOfBitmap + costOfCommon*rows)
	byRow := costOfTokens * rows
	byUnion := costOfToken*len(tokens) + costOfPosting*x.Cardinality(tokens) + int(x.rows)/rowsPerCost
	switch min(byToken, byRow, byUnion) {
	case byRow:
		return x.anyByRow(tokens, scope)
	case byToken:
		found := roaring.New()
		for _, token := range tokens {
			found.Or(roaring.And(x.postings.Bitmap(uint64(token)), scope))
		}
		return found
	}
	found := x.union(tokens)
	found.And(scope)
	return found
}

// union returns all rows that contain any of the tokens.
func (x *index) union(tokens []uint32) *roaring.Bitmap {
	if len(tokens) == 1 {
		return x.postings.Bitmap(uint64(tokens[0]))
	}
	rows := roaring.New()
	x.postings.Or(colfile.Values(tokens), rows)
	return rows
}

// anyByRow is Any for few rows: it reads the tokens of each row.
func (x *index) anyByRow(tokens []uint32, scope *roaring.Bitmap) *roaring.Bitmap {
	first, last := tokens[0], tokens[len(tokens)-1]
	gaps := int(last-first) >= len(tokens)
	contains := func(token uint32) bool {
		if token < first || token > last {
			return false
		}
		if gaps {
			_, found := slices.BinarySearch(tokens, token)
			return found
		}
		return true
	}
	return x.Scan(scope, func(row []uint32) bool {
		tags, plain := splitTokens(row)
		for i := 1; i < len(tags); i += 2 {
			if contains(tags[i]) {
				return true
			}
		}
		return slices.ContainsFunc(plain, contains)
	})
}
