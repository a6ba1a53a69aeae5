package segment

import (
	"context"
	"iter"
	"slices"

	"github.com/RoaringBitmap/roaring/v2"

	"earshot/internal/poststore/local/colfile"
	"earshot/internal/query"
)

// An index is a file as query.Index and query.Vocabulary describe it, for one question.
// What goes wrong is kept in err; no answer counts after that.
type index struct {
	ctx      context.Context
	file     *Segment
	rows     uint32
	terms    *colfile.Strings
	postings *colfile.Sets
	tokens   *colfile.ListReader
	err      error

	buffer []uint32 // words of a row
}

func (s *Segment) index(ctx context.Context) (*index, error) {
	x := &index{ctx: ctx, file: s, rows: uint32(s.Rows())}
	var err error
	if x.terms, err = s.Strings(dictTerm); err != nil {
		return nil, err
	}
	if x.postings, err = s.Sets(setPostings); err != nil {
		return nil, err
	}
	words, err := s.Lists(listTokens)
	if err != nil {
		return nil, err
	}
	x.tokens = words.Reader()
	return x, nil
}

// stopped returns what went wrong, or that the answer is no longer wanted. It is looked
// at every few thousand rows.
func (x *index) stopped() error {
	if x.err == nil {
		x.err = x.ctx.Err()
	}
	return x.err
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

// rowRange returns the rows from a first one to before another.
func rowRange(from, to uint32) *roaring.Bitmap {
	rows := roaring.New()
	rows.AddRange(uint64(from), uint64(to))
	return rows
}

// orAll returns rows, all of them for nil.
func (x *index) orAll(among *roaring.Bitmap) *roaring.Bitmap {
	if among == nil {
		return x.All()
	}
	return among
}

// Cardinality adds up how many rows each token has, of many tokens a sample.
func (x *index) Cardinality(tokens []uint32) int {
	const most = 256
	sum, step := 0, len(tokens)/most+1
	for i := 0; i < len(tokens); i += step {
		sum += x.postings.Cardinality(uint64(tokens[i]))
	}
	return sum * step
}

var (
	_ query.Index      = (*index)(nil)
	_ query.Vocabulary = (*index)(nil)
)

// Any finds the rows of tokens in the way that is quickest for so many of both.
func (x *index) Any(tokens []uint32, among *roaring.Bitmap) *roaring.Bitmap {
	switch {
	case len(tokens) == 0 || among != nil && among.IsEmpty():
		return roaring.New()
	case among == nil:
		return x.anyOfAll(tokens)
	case len(tokens) == 1:
		return roaring.And(x.postings.Bitmap(uint64(tokens[0])), among)
	}
	rows := int(among.GetCardinality())
	byToken := len(tokens) * (costOfBitmap + costOfCommon*rows)
	byRow := costOfWords * rows
	atOnce := costOfToken*len(tokens) + costOfPosting*x.Cardinality(tokens) + int(x.rows)/rowsForCost
	switch min(byToken, byRow, atOnce) {
	case byRow:
		return x.anyByRow(tokens, among)
	case byToken:
		return x.anyByToken(tokens, among)
	}
	all := x.anyOfAll(tokens)
	all.And(among)
	return all
}

// What things take, in nanoseconds.
const (
	costOfWords   = 150  // the words of a row
	costOfBitmap  = 3000 // a token's rows as a bitmap
	costOfCommon  = 3    // a row that may be in two bitmaps
	costOfToken   = 40   // a token's place in a union
	costOfPosting = 2    // a row in a union
	rowsForCost   = 10   // rows of the file that a union takes one more for
)

// anyOfAll is Any among all rows.
func (x *index) anyOfAll(tokens []uint32) *roaring.Bitmap {
	if len(tokens) == 1 {
		return x.postings.Bitmap(uint64(tokens[0]))
	}
	rows := roaring.New()
	x.postings.Or(colfile.Values(tokens), rows)
	return rows
}

// anyByToken is Any for few tokens, whose rows are looked for one after the other.
func (x *index) anyByToken(tokens []uint32, among *roaring.Bitmap) *roaring.Bitmap {
	rows := roaring.New()
	for _, token := range tokens {
		rows.Or(roaring.And(x.postings.Bitmap(uint64(token)), among))
	}
	return rows
}

// anyByRow is Any for few rows, whose words are looked at.
func (x *index) anyByRow(tokens []uint32, among *roaring.Bitmap) *roaring.Bitmap {
	first, last := tokens[0], tokens[len(tokens)-1]
	gaps := int(last-first) >= len(tokens)
	is := func(word uint32) bool {
		if word < first || word > last {
			return false
		}
		if gaps {
			_, found := slices.BinarySearch(tokens, word)
			return found
		}
		return true
	}
	return x.Scan(among, func(words []uint32) bool {
		tags, plain := splitTokens(words)
		for i := 1; i < len(tags); i += 2 {
			if is(tags[i]) {
				return true
			}
		}
		return slices.ContainsFunc(plain, is)
	})
}
