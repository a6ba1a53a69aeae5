package segment

import (
	"cmp"
	"context"

	"github.com/RoaringBitmap/roaring/v2"

	"earshot/internal/poststore"
	"earshot/internal/poststore/enginekit"
	"earshot/internal/poststore/local/colfile"
)

// A RankedRow is a row and its position in an order of posts. It is compact because there may be
// millions.
type RankedRow struct {
	Score   int64
	Seconds uint64 // see [Seconds]
	Hash    uint64 // enginekit.SampleHash
	Nanos   uint32
	Row     uint32
}

// Position returns the position of the row.
func (r *RankedRow) Position() poststore.RankPosition {
	return poststore.RankPosition{Score: r.Score, Time: timeOf(r.Seconds, r.Nanos), Hash: r.Hash}
}

// Compare is like [poststore.Order.Compare].
func (r *RankedRow) Compare(o poststore.Order, q *RankedRow) int {
	if r.Score != q.Score {
		return cmp.Compare(q.Score, r.Score)
	}
	if o == poststore.OldestFirst || r.Seconds == q.Seconds && r.Nanos == q.Nanos {
		return r.CompareTime(q)
	}
	return -r.CompareTime(q)
}

// CompareTime orders rows by time, earliest first, and rows of the same time by hash.
func (r *RankedRow) CompareTime(q *RankedRow) int {
	if r.Seconds != q.Seconds {
		return cmp.Compare(r.Seconds, q.Seconds)
	}
	return cmp.Or(cmp.Compare(r.Nanos, q.Nanos), cmp.Compare(r.Hash, q.Hash))
}

// NewRankedRow returns the position without a row.
func NewRankedRow(p poststore.RankPosition) *RankedRow {
	return &RankedRow{Score: p.Score, Seconds: Seconds(p.Time), Nanos: uint32(p.Time.Nanosecond()), Hash: p.Hash}
}

// Rank calls visit with the position of each row, in ascending order of rows.
func (s *Segment) Rank(ctx context.Context, rows *roaring.Bitmap, r *poststore.Ranking, visit func(*RankedRow)) error {
	rows, err := s.orAllRows(rows)
	if err != nil {
		return err
	}
	score, err := s.scorer(r)
	if err != nil {
		return err
	}
	var columns [3]*colfile.Uints
	for i, name := range []string{colTime, colNanos, colKeyHigh} {
		if columns[i], err = s.Uints(name); err != nil {
			return err
		}
	}
	seconds, nanos, hashes := columns[0], columns[1], columns[2]
	chunk := make([]uint32, chunkRows)
	var values [3][]uint64
	for i := range values {
		values[i] = make([]uint64, chunkRows)
	}
	scores := make([]int64, chunkRows)
	var row RankedRow
	for it := rows.ManyIterator(); ; {
		n := it.NextMany(chunk)
		if n == 0 {
			return nil
		}
		if err := ctx.Err(); err != nil {
			return err
		}
		for i, c := range columns {
			readColumn(c, values[i], chunk[:n])
		}
		if err := score(scores[:n], chunk[:n]); err != nil {
			return err
		}
		for i := range n {
			row = RankedRow{
				Score: scores[i], Row: chunk[i],
				Seconds: values[0][i] + seconds.Base(), Nanos: uint32(values[1][i] + nanos.Base()), Hash: values[2][i] + hashes.Base(),
			}
			visit(&row)
		}
	}
}

// A scorer sets scores[i] to the score of rows[i], for at most chunkRows rows in ascending order.
type scorer func(scores []int64, rows []uint32) error

// scorer returns the scorer of a ranking.
func (s *Segment) scorer(r *poststore.Ranking) (scorer, error) {
	switch r.Order {
	case poststore.MostEngagement:
		return s.sumScorer(enginekit.EngagementMeasures...)
	case poststore.MostReach:
		return s.sumScorer(poststore.Impressions)
	case poststore.MostRelevant:
		return s.relevanceScorer(r.Terms)
	}
	return func(scores []int64, _ []uint32) error {
		clear(scores)
		return nil
	}, nil
}

// sumScorer adds up measures.
func (s *Segment) sumScorer(measures ...poststore.Measure) (scorer, error) {
	columns := make([]*colfile.Uints, len(measures))
	for i, m := range measures {
		var err error
		if columns[i], err = s.Uints(measureColumns[m]); err != nil {
			return nil, err
		}
	}
	values := make([]uint64, chunkRows)
	return func(scores []int64, rows []uint32) error {
		clear(scores)
		for _, c := range columns {
			readColumn(c, values, rows)
			for i, v := range values[:len(rows)] {
				if plusOne := v + c.Base(); plusOne > 1 {
					scores[i] = poststore.SaturatingAdd(scores[i], int64(plusOne-1))
				}
			}
		}
		return nil
	}, nil
}

// relevanceScorer computes the relevance of texts.
func (s *Segment) relevanceScorer(terms []string) (scorer, error) {
	walker, err := s.tokenWalker()
	if err != nil {
		return nil, err
	}
	dict, err := s.Strings(dictTerm)
	if err != nil {
		return nil, err
	}
	type span struct{ from, to uint32 } // ids of all spellings of a term
	var spans []span
	for _, t := range terms {
		from, to := dict.Prefix(t + "\x00")
		spans = append(spans, span{from, to})
	}
	counts := make([]int, len(terms))
	return func(scores []int64, rows []uint32) error {
		for i, row := range rows {
			clear(counts)
			length := 0
			walker.walk(row, func(term uint32) {
				if length++; length > poststore.MaxWords {
					return
				}
				for k, sp := range spans {
					if term >= sp.from && term < sp.to {
						counts[k]++
					}
				}
			})
			scores[i] = enginekit.Relevance(counts, min(length, poststore.MaxWords))
		}
		return walker.err()
	}, nil
}
