package segment

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync/atomic"

	"github.com/RoaringBitmap/roaring/v2"

	"earshot"
	"earshot/internal/poststore"
	"earshot/internal/poststore/enginekit"
)

// Counts are the counted tallies of one segment, to be added up with those of other segments by
// [Sum]. The segment must remain open until then because Sum reads the names of the largest
// authors.
type Counts struct {
	tallies []partial
	budget  *Budget
}

// Count counts rows, or all rows if rows is nil, once per tally. Top, TopSum and IncludeKeys are
// left to [Sum]. For tallies by set, sets returns the rows of each set; if sets is nil, Count uses
// the sets stored in the segment. All segments counted for one query share a budget. If the groups
// exceed it, the error is of kind earshot.Invalid and wraps [ErrTooManyGroups]. A nil budget means
// MaxQueryBytes for this segment alone.
func (s *Segment) Count(ctx context.Context, rows *roaring.Bitmap, ts []poststore.Tally, sets SetRows, budget *Budget) (*Counts, error) {
	rows, err := s.orAllRows(rows)
	if err != nil {
		return nil, err
	}
	return s.count(ctx, groupBySources(ts), ts, sets, budget, nil, func(*poststore.Tally) *roaring.Bitmap { return rows })
}

// CountCorrected is [Segment.Count] for rows of which some may have corrections. Tallies that depend on
// corrections count these rows separately, so there may be two counts, to be added up by [Sum].
func (s *Segment) CountCorrected(ctx context.Context, rows *roaring.Bitmap, ts []poststore.Tally, sets SetRows, budget *Budget, c *Corrections) ([]*Counts, error) {
	corrected := roaring.New()
	if c != nil {
		corrected = roaring.And(rows, c.bitmap)
	}
	if corrected.IsEmpty() {
		counts, err := s.Count(ctx, rows, ts, sets, budget)
		return []*Counts{counts}, err
	}
	var groups [][]int
	for _, tallies := range groupBySources(ts) {
		for _, correctable := range []bool{false, true} {
			same := slices.DeleteFunc(slices.Clone(tallies), func(i int) bool { return ts[i].IsCorrectable() != correctable })
			if len(same) > 0 {
				groups = append(groups, same)
			}
		}
	}
	count := func(c *Corrections, correctable, others *roaring.Bitmap) (*Counts, error) {
		return s.count(ctx, groups, ts, sets, budget, c, func(t *poststore.Tally) *roaring.Bitmap {
			if t.IsCorrectable() {
				return correctable
			}
			return others
		})
	}
	first, err := count(nil, roaring.AndNot(rows, corrected), rows)
	if err != nil {
		return nil, err
	}
	second, err := count(c, corrected, roaring.New())
	return []*Counts{first, second}, err
}

// count counts tallies in groups that share the same sources and rows.
func (s *Segment) count(ctx context.Context, groups [][]int, ts []poststore.Tally, sets SetRows, budget *Budget, c *Corrections, rowsOf func(*poststore.Tally) *roaring.Bitmap) (*Counts, error) {
	if budget == nil {
		budget = NewBudget(MaxQueryBytes)
	}
	if sets == nil {
		sets = s.Set
	}
	counts := &Counts{tallies: make([]partial, len(ts)), budget: budget}
	held := &meter{budget: budget}
	for _, tallies := range groups {
		selected := rowsOf(&ts[tallies[0]])
		if sources := ts[tallies[0]].Sources; len(sources) > 0 {
			var err error
			if selected, err = s.Select(ctx, &poststore.Selection{Sources: sources}, selected); err != nil {
				return nil, err
			}
		}
		q := &countQuery{
			segment: s,
			sets:    sets,
			rows:    selected,
			size:    selected.GetCardinality(),
			stopped: ctx.Err,
			budget:  budget,
			flagged: map[uint64][]counter{},

			corrections: c,
		}
		for _, i := range tallies {
			if err := q.plan(&ts[i]); err != nil {
				return nil, err
			}
		}
		if err := q.run(); err != nil {
			return nil, err
		}
		if err := q.collect(counts.tallies, tallies, held); err != nil {
			return nil, err
		}
	}
	return counts, nil
}

// groupBySources groups the indexes of tallies by equal Sources.
func groupBySources(ts []poststore.Tally) (groups [][]int) {
	for i := range ts {
		same := slices.IndexFunc(groups, func(tallies []int) bool { return slices.Equal(ts[tallies[0]].Sources, ts[i].Sources) })
		if same < 0 {
			groups = append(groups, nil)
			same = len(groups) - 1
		}
		groups[same] = append(groups[same], i)
	}
	return groups
}

// orAllRows returns rows, or all rows of the segment if rows is nil. It returns an error if rows
// are out of range.
func (s *Segment) orAllRows(rows *roaring.Bitmap) (*roaring.Bitmap, error) {
	if rows == nil {
		return rowRange(0, uint32(s.Rows())), nil
	}
	if !rows.IsEmpty() && uint64(rows.Maximum()) >= uint64(s.Rows()) {
		return nil, fmt.Errorf("row %d is out of range: the segment has %d rows", rows.Maximum(), s.Rows())
	}
	return rows, nil
}

// A countQuery counts the tallies that share the same rows of a segment.
type countQuery struct {
	segment *Segment
	sets    SetRows
	rows    *roaring.Bitmap
	size    uint64       // number of rows
	stopped func() error // returns an error once the query is canceled
	budget  *Budget
	meters  []*meter

	corrections *Corrections // of all rows; nil: of none

	histograms []*histogram         // also in counters
	counters   []counter            // receive all rows
	flagged    map[uint64][]counter // receive the rows with a flag; noFlag: all rows
	partials   []func() partial     // produce the result of each tally
}

// A counter receives all rows in ascending order, in chunks.
type counter interface {
	count(rows []uint32) error
}

// chunkRows is the number of rows in a chunk. It is small enough that rows and their codes stay in
// the L1 cache from one column to the next. Cancellation is checked between chunks.
const chunkRows = 4096

// plan creates the counter of a tally. Almost all tallies have one dimension and no sums, for which
// there are faster counters than the general one.
func (q *countQuery) plan(t *poststore.Tally) error {
	if err := enginekit.CheckTally(t); err != nil {
		return err
	}
	if slices.Contains(t.By, poststore.ByEthnicity) {
		return q.planEthnicity()
	}
	if keepsTopAuthors(t) {
		return q.planTopAuthors(t)
	}
	dims := make([]dimension, len(t.By))
	for i, d := range t.By {
		var err error
		if dims[i], err = q.dimension(d, t); err != nil {
			return err
		}
	}
	if len(dims) == 1 && len(t.Sum) == 0 {
		switch d := dims[0].(type) {
		case *timeDim:
			return q.planTime(d)
		case *listDim:
			if q.dense(d.span(), 4) {
				return q.planList(d)
			}
		case columnDimension:
			if q.dense(d.span(), 4) {
				return q.planHistogram(d)
			}
		}
	}
	if len(dims) == 2 && len(t.Sum) == 0 {
		if c := q.timeColumnCounter(dims); c != nil {
			return q.planTimeColumn(c, dims)
		}
	}
	return q.planGroups(dims, t.Sum)
}

// dense reports whether to count all codes below span in an array, with the given number of bytes
// per code, instead of only the codes that occur. An array is faster unless there are few rows, in
// which case scanning the array would take most of the time.
func (q *countQuery) dense(span uint64, bytes int64) bool {
	const minSpan, maxBytes = 4096, 64 << 20
	return span <= max(minSpan, 16*q.size) && span <= uint64(maxBytes/bytes)
}

// run passes the rows to the counters.
func (q *countQuery) run() error {
	if err := q.countRows(q.rows, q.counters); err != nil || len(q.flagged) == 0 {
		return err
	}
	flags, err := q.segment.Sets(setFlags)
	if err != nil {
		return err
	}
	for flag, counters := range q.flagged {
		rows := q.rows
		if flag != noFlag {
			rows = roaring.And(q.rows, flags.Bitmap(flag))
		}
		if err := q.countRows(rows, counters); err != nil {
			return err
		}
	}
	return nil
}

func (q *countQuery) countRows(rows *roaring.Bitmap, counters []counter) error {
	chunk := make([]uint32, min(chunkRows, rows.GetCardinality()))
	for it := rows.ManyIterator(); ; {
		n := it.NextMany(chunk)
		if n == 0 {
			return nil
		}
		if err := q.stopped(); err != nil {
			return err
		}
		for _, c := range counters {
			if err := c.count(chunk[:n]); err != nil {
				return err
			}
		}
	}
}

// collect stores results at the indexes of their tallies. Afterward only the results count toward
// the budget.
func (q *countQuery) collect(into []partial, tallies []int, held *meter) error {
	for n, partial := range q.partials {
		if err := q.stopped(); err != nil {
			return err
		}
		p := &into[tallies[n]]
		*p = partial()
		if err := held.hold(held.held + p.bytes()); err != nil {
			return err
		}
	}
	for _, m := range q.meters {
		if err := m.hold(0); err != nil {
			return err
		}
	}
	return nil
}

// meter returns a new share of the budget, which is held until counting is complete.
func (q *countQuery) meter() *meter {
	m := &meter{budget: q.budget}
	q.meters = append(q.meters, m)
	return m
}

// MaxQueryBytes is the maximum memory for the groups of one query in all segments. It allows
// millions of groups: no result is that long, but finding the ten largest groups requires counting
// all of them.
const MaxQueryBytes = 256 << 20

// ErrTooManyGroups is wrapped by the error of a query whose groups exceed its [Budget].
var ErrTooManyGroups = errors.New("the groups of the query exceed its memory budget")

// A Budget is the memory that a query may use, in bytes. The segments counted for the query share
// it. It is safe for concurrent use.
type Budget struct{ left atomic.Int64 }

// NewBudget returns a budget of the given number of bytes.
func NewBudget(bytes int64) *Budget {
	b := new(Budget)
	b.left.Store(bytes)
	return b
}

// Reserve claims memory for data that the caller stores in addition to counts and sums. It returns
// the same error as [Segment.Count] if the budget is exceeded.
func (b *Budget) Reserve(bytes int64) error { return (&meter{budget: b}).hold(bytes) }

// A meter is the share of a budget that one piece of work holds.
type meter struct {
	budget *Budget
	held   int64
}

// hold changes the share to the given number of bytes. If that exceeds the budget, it returns an
// error meant for the user.
func (m *meter) hold(bytes int64) error {
	more := bytes - m.held
	m.held = bytes
	if m.budget.left.Add(-more) < 0 && more > 0 {
		return &earshot.Error{
			Kind:    earshot.Invalid,
			Message: "There are too many groups to count at once. Select fewer posts, or count by fewer dimensions",
			Err:     ErrTooManyGroups,
		}
	}
	return nil
}
