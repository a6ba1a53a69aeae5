package segment

import (
	"context"
	"iter"

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
	words    *colfile.ListReader
	err      error

	spare []uint32 // words of a row
}

func (f *Segment) index(ctx context.Context) (*index, error) {
	x := &index{ctx: ctx, file: f, rows: uint32(f.Rows())}
	var err error
	if x.terms, err = f.Strings(dictTerm); err != nil {
		return nil, err
	}
	if x.postings, err = f.Sets(setPostings); err != nil {
		return nil, err
	}
	words, err := f.Lists(listWords)
	if err != nil {
		return nil, err
	}
	x.words = words.Reader()
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

func (x *index) All() *roaring.Bitmap { return run(0, x.rows) }

// run returns the rows from a first one to before another.
func run(from, to uint32) *roaring.Bitmap {
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
