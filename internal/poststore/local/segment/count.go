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

// Counts are the tallies of rows of one segment, for Sum to add up with those of other segments.
// The segment must stay open until then: Sum reads the names of the largest authors.
type Counts struct {
	tallies []partial
	budget  *Budget
}

// Count counts rows, nil for all, in several ways, as a store's Tallies does with the posts it
// selects. It ignores Of in a tally, and leaves Top and IncludeKeys to Sum. For a tally by sets,
// sets returns the rows of each set; nil means those that the segment stores. The segments counted
// for one query share a budget; if the groups do not fit in it, the error is of kind
// earshot.Invalid and wraps ErrTooManyGroups. A nil budget means MaxQueryBytes for this segment.
func (s *Segment) Count(ctx context.Context, rows *roaring.Bitmap, ts []poststore.Tally, sets SetRows, budget *Budget) (*Counts, error) {
	rows, err := s.orAllRows(rows)
	if err != nil {
		return nil, err
	}
	if budget == nil {
		budget = NewBudget(MaxQueryBytes)
	}
	if sets == nil {
		sets = s.Set
	}
	counts := &Counts{tallies: make([]partial, len(ts)), budget: budget}
	held := &meter{budget: budget}
	for _, tallies := range groupBySources(ts) {
		selected := rows
		if sources := ts[tallies[0]].Sources; len(sources) > 0 {
			if selected, err = s.Select(ctx, &poststore.Selection{Sources: sources}, rows); err != nil {
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

// groupBySources returns the indexes of tallies, grouped by equal Sources.
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

// orAllRows returns rows, all of the segment for nil. It is an error if the segment does not have
// them.
func (s *Segment) orAllRows(rows *roaring.Bitmap) (*roaring.Bitmap, error) {
	if rows == nil {
		return rowRange(0, uint32(s.Rows())), nil
	}
	if !rows.IsEmpty() && uint64(rows.Maximum()) >= uint64(s.Rows()) {
		return nil, fmt.Errorf("row %d of %d", rows.Maximum(), s.Rows())
	}
	return rows, nil
}

// A countQuery counts tallies of the same rows of a segment.
type countQuery struct {
	segment *Segment
	sets    SetRows
	rows    *roaring.Bitmap
	size    uint64       // number of rows
	stopped func() error // fails once the caller has given up
	budget  *Budget
	meters  []*meter

	histograms []*histogram         // also in counters
	counters   []counter            // of all rows
	flagged    map[uint64][]counter // of the rows with a flag, by flag; noFlag: of all rows
	partials   []func() partial     // results, by tally
}

// A counter receives all rows in order, a chunk at a time.
type counter interface {
	count(rows []uint32) error
}

// chunkRows is how many rows are processed at a time. They and their codes stay in the L1 cache
// from one column to the next, and cancellation is noticed between two chunks.
const chunkRows = 4096

// plan makes the counter of a tally. Nearly all tallies have one dimension and no sums, which
// takes less work than the general case.
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

// dense reports whether to count all codes below span in an array, at so many bytes each, rather
// than only the codes that occur. That is faster unless there are few rows: then scanning the
// array would take most of the time.
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

// collect stores the results at the indexes of their tallies. Only they continue to take memory
// from the budget.
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

// meter returns a new share of the budget, held until everything is counted.
func (q *countQuery) meter() *meter {
	m := &meter{budget: q.budget}
	q.meters = append(q.meters, m)
	return m
}

// MaxQueryBytes is how much memory the groups of one query may take in all segments together.
// That is millions of groups: no result is that long, but a result of the ten largest groups has
// to count all of them.
const MaxQueryBytes = 256 << 20

// ErrTooManyGroups is wrapped by the error of a query whose groups do not fit in its Budget.
var ErrTooManyGroups = errors.New("the groups of a question do not fit in its memory")

// A Budget is the memory that a query may take. All segments counted for the query share it,
// also concurrently.
type Budget struct{ left atomic.Int64 }

// NewBudget returns a budget of so many bytes.
func NewBudget(bytes int64) *Budget {
	b := new(Budget)
	b.left.Store(bytes)
	return b
}

// Reserve takes memory for what the caller stores in addition to counts and sums. It fails as
// counting does.
func (b *Budget) Reserve(bytes int64) error { return (&meter{budget: b}).hold(bytes) }

// A meter is the share of a budget that one piece of work holds.
type meter struct {
	budget *Budget
	held   int64
}

// hold changes the share to so many bytes. If the budget does not have them, the error is meant
// for the user.
func (m *meter) hold(bytes int64) error {
	more := bytes - m.held
	m.held = bytes
	if m.budget.left.Add(-more) < 0 && more > 0 {
		return &earshot.Error{
			Kind:    earshot.Invalid,
			Message: "There is too much to count in one answer: select fewer posts, or count by fewer things",
			Err:     ErrTooManyGroups,
		}
	}
	return nil
}
