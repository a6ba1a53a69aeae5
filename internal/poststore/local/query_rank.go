package local

import (
	"context"
	"slices"

	"github.com/RoaringBitmap/roaring/v2"

	"earshot/internal/parallel"
	"earshot/internal/poststore"
	"earshot/internal/poststore/enginekit"
	"earshot/internal/poststore/local/segment"
)

// Rank implements [poststore.Reader]. Positions come from columns, and only the listed posts are
// read.
func (s *Store) Rank(ctx context.Context, of poststore.Selection, r poststore.Ranking) (ranked poststore.Ranked, err error) {
	if err := enginekit.CheckRanking(&r); err != nil {
		return ranked, err
	}
	r.Terms = enginekit.DistinctTerms(r.Terms)
	if r.Group { // one at a time, because groups take much memory
		if err := s.grouping.Acquire(ctx, 1); err != nil {
			return ranked, err
		}
		defer s.grouping.Release(1)
	}
	err = s.query(ctx, func(v *view) (err error) {
		var first []rankedRow
		if r.Group {
			first, ranked, err = s.rankGroups(ctx, v, &of, &r)
		} else {
			first, ranked, err = s.rankRows(ctx, v, &of, &r)
		}
		if err == nil {
			ranked.Posts, err = readRanked(ctx, v, first)
			for i := range ranked.Posts {
				of.Corrections.Apply(&ranked.Posts[i].Post)
			}
		}
		return err
	})
	if err != nil {
		return poststore.Ranked{}, err
	}
	return ranked, nil
}

// A rankedRow is a row of a segment of a view, with its position.
type rankedRow struct {
	segment.RankedRow
	segment uint32 // index in the view
	copies  int64
}

// rankRows returns the first rows, without their posts.
func (s *Store) rankRows(ctx context.Context, v *view, of *poststore.Selection, r *poststore.Ranking) ([]rankedRow, poststore.Ranked, error) {
	lists, totals := make([]firstRows, len(v.segments)), make([]int64, len(v.segments))
	err := s.eachSegment(ctx, v, of, func(i int, p *segmentState, rows *roaring.Bitmap) error {
		totals[i] = int64(rows.GetCardinality())
		lists[i] = newFirstRows(r)
		return p.data.Rank(ctx, rows, r, func(row *segment.RankedRow) { lists[i].add(row, uint32(i), 1) })
	})
	if err != nil {
		return nil, poststore.Ranked{}, err
	}
	all, ranked := newFirstRows(r), poststore.Ranked{}
	for i := range lists {
		ranked.Total += totals[i]
		all.rows = append(all.rows, lists[i].rows...)
	}
	ranked.Groups = ranked.Total
	return all.sorted(), ranked, nil
}

// firstRows collects the first rows of an order.
type firstRows struct {
	order poststore.Order
	after *segment.RankedRow // nil: from the beginning
	limit int
	rows  []rankedRow
	full  bool // whether the first limit rows are sorted, so that rows after them can be skipped
}

func newFirstRows(r *poststore.Ranking) firstRows {
	f := firstRows{order: r.Order, limit: r.Limit}
	if r.After != nil {
		f.after = segment.NewRankedRow(*r.After)
	}
	return f
}

func (f *firstRows) add(row *segment.RankedRow, segment uint32, copies int64) {
	if f.limit == 0 || f.full && f.rows[f.limit-1].Compare(f.order, row) < 0 || f.after != nil && row.Compare(f.order, f.after) <= 0 {
		return
	}
	if f.rows = append(f.rows, rankedRow{*row, segment, copies}); len(f.rows) == 2*f.limit {
		f.rows, f.full = f.sorted(), true
	}
}

// sorted returns the first rows in order.
func (f *firstRows) sorted() []rankedRow {
	slices.SortFunc(f.rows, func(a, b rankedRow) int { return a.Compare(f.order, &b.RankedRow) })
	return f.rows[:min(f.limit, len(f.rows))]
}

func readRanked(ctx context.Context, v *view, rows []rankedRow) ([]poststore.RankedPost, error) {
	bySegment := map[uint32][]int{} // indexes in rows
	for i := range rows {
		bySegment[rows[i].segment] = append(bySegment[rows[i].segment], i)
	}
	posts := make([]poststore.RankedPost, len(rows))
	return posts, parallel.For(ctx, len(v.segments), 0, func(_ context.Context, n int) error {
		indexes := bySegment[uint32(n)]
		if len(indexes) == 0 {
			return nil
		}
		numbers := make([]uint32, len(indexes))
		for k, i := range indexes {
			numbers[k] = rows[i].Row
		}
		return reading(v.segments[n], func() error {
			found, err := v.segments[n].data.Posts(numbers)
			for k := range found {
				row := &rows[indexes[k]]
				posts[indexes[k]] = poststore.RankedPost{Post: found[k], Position: row.Position(), Copies: row.copies}
			}
			return err
		})
	})
}
