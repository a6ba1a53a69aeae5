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
)

// Counts are the tallies of some rows of one file, for Sum to add up with those of other
// files. Until then the file must stay open: Sum reads the names of the largest authors.
type Counts struct {
	tallies []partial
	budget  *Budget
}

// Count counts rows, nil for all of them, in several ways, as a store's Tallies does with
// the posts it selects. Of in a tally is not looked at, and Sum does what Top and Keep ask for. The rows of sets, where a
// tally is by them, are those that sets returns, or of the file when that is nil. The files that are counted
// for one question share a budget; when the groups do not fit in it, the error is of kind
// earshot.Invalid and wraps ErrTooManyGroups. Without a budget the file has MaxQueryBytes for
// itself.
func (s *Segment) Count(ctx context.Context, rows *roaring.Bitmap, ts []poststore.Tally, sets Sets, budget *Budget) (*Counts, error) {
	rows, err := s.among(rows)
	if err != nil {
		return nil, err
	}
	if budget == nil {
		budget = NewBudget(MaxQueryBytes)
	}
	if sets == nil {
		sets = s.Monitor
	}
	counts := &Counts{tallies: make([]partial, len(ts)), budget: budget}
	held := &meter{budget: budget}
	for _, places := range bySources(ts) {
		some, err := s.ofSources(ctx, rows, ts[places[0]].Sources)
		if err != nil {
			return nil, err
		}
		q := &countQuery{file: s, sets: sets, rows: some, size: some.GetCardinality(), stopped: ctx.Err, budget: budget, flagged: map[uint64][]counter{}}
		for _, place := range places {
			if err := q.plan(&ts[place]); err != nil {
				return nil, err
			}
		}
		if err := q.run(); err != nil {
			return nil, err
		}
		if err := q.collect(counts.tallies, places, held); err != nil {
			return nil, err
		}
	}
	return counts, nil
}

// bySources returns the places of tallies, those together that are of the same sources.
func bySources(ts []poststore.Tally) (groups [][]int) {
	for i := range ts {
		same := slices.IndexFunc(groups, func(places []int) bool { return slices.Equal(ts[places[0]].Sources, ts[i].Sources) })
		if same < 0 {
			groups = append(groups, nil)
			same = len(groups) - 1
		}
		groups[same] = append(groups[same], i)
	}
	return groups
}

// ofSources returns the rows among others whose posts are of some sources; none are all.
func (s *Segment) ofSources(ctx context.Context, rows *roaring.Bitmap, sources []earshot.Source) (*roaring.Bitmap, error) {
	if len(sources) == 0 {
		return rows, nil
	}
	return s.Select(ctx, &poststore.Selection{Sources: sources}, rows)
}

// among returns rows, all of the file when that is nil, if the file has them.
func (s *Segment) among(rows *roaring.Bitmap) (*roaring.Bitmap, error) {
	if rows == nil {
		rows = roaring.New()
		rows.AddRange(0, uint64(s.Rows()))
	}
	if !rows.IsEmpty() && uint64(rows.Maximum()) >= uint64(s.Rows()) {
		return nil, fmt.Errorf("row %d of %d", rows.Maximum(), s.Rows())
	}
	return rows, nil
}

// A countQuery is tallies of the same rows of a file.
type countQuery struct {
	file    *Segment
	sets    Sets
	rows    *roaring.Bitmap
	size    uint64       // how many rows there are
	stopped func() error // fails when nobody waits for the answer any more
	budget  *Budget
	meters  []*meter

	histograms []*histogram         // are among counters
	counters   []counter            // of all rows
	flagged    map[uint64][]counter // of the rows that have a flag, by flag; noFlag: of all
	partials   []func() partial     // for each tally what was counted
}

// A counter is given all rows in their order, some thousand at a time.
type counter interface {
	count(rows []uint32) error
}

// plan makes the counter of a tally. Nearly all tallies are by one dimension and without
// sums, which needs less work than the others.
func (q *countQuery) plan(t *poststore.Tally) error {
	if err := t.Check(); err != nil {
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

// dense reports whether counts of all codes below span are kept in an array, at so many
// bytes each, and not only those of codes that occur. That is faster unless there are few
// rows, and then most of the time would go into looking through the array.
func (q *countQuery) dense(span uint64, bytes int64) bool {
	const fewest, most = 4096, 64 << 20
	return span <= max(fewest, 16*q.size) && span <= uint64(most/bytes)
}

// chunkRows is how many rows are counted at a time. They and their codes stay in the
// nearest cache from one column to the next.
const chunkRows = 4096

// run gives the rows to the counters.
func (q *countQuery) run() error {
	if err := q.countRows(q.rows, q.counters); err != nil || len(q.flagged) == 0 {
		return err
	}
	flags, err := q.file.Sets(setFlags)
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

// collect puts what was counted to its places, which is all that stays in the budget.
func (q *countQuery) collect(into []partial, places []int, held *meter) error {
	for i, partial := range q.partials {
		if err := q.stopped(); err != nil {
			return err
		}
		counted := &into[places[i]]
		*counted = partial()
		if err := held.hold(held.held + counted.bytes()); err != nil {
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

// meter returns a new part of the budget, which is held until everything is counted.
func (q *countQuery) meter() *meter {
	m := &meter{budget: q.budget}
	q.meters = append(q.meters, m)
	return m
}

// MaxQueryBytes is how much memory the groups of one question may take, all files
// together. That is millions of groups: no answer is meant to be that long, but an
// answer that keeps the largest ten has to count them all.
const MaxQueryBytes = 256 << 20

// ErrTooManyGroups is the cause of the error that a question gets whose groups do not
// fit in its Budget.
var ErrTooManyGroups = errors.New("the groups of a question do not fit in its memory")

// A Budget is the memory that a question may take. All files that are counted for the
// question share it, also when they are counted at the same time.
type Budget struct{ left atomic.Int64 }

// NewBudget returns a budget of so many bytes.
func NewBudget(bytes int64) *Budget {
	b := new(Budget)
	b.left.Store(bytes)
	return b
}

// Reserve takes memory for what the one who asked keeps besides counts and sums, and fails as
// counting does.
func (b *Budget) Reserve(bytes int64) error { return (&meter{budget: b}).hold(bytes) }

// A meter is the part of a budget that one piece of work holds.
type meter struct {
	budget *Budget
	held   int64
}

// hold makes it so many bytes. When the budget has not that many, the error is for the
// one who asked.
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
