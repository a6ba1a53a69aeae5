package local

import (
	"context"
	"slices"
	"sync"

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

// readRanked reads the posts of rows.
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

// rankGroups returns the first rows of groups, without their posts.
func (s *Store) rankGroups(ctx context.Context, v *view, of *poststore.Selection, r *poststore.Ranking) ([]rankedRow, poststore.Ranked, error) {
	selected, total := make([]*roaring.Bitmap, len(v.segments)), int64(0)
	err := s.eachSegment(ctx, v, of, func(i int, _ *segmentState, rows *roaring.Bitmap) error {
		selected[i] = rows
		return nil
	})
	if err != nil {
		return nil, poststore.Ranked{}, err
	}
	for _, rows := range selected {
		if rows != nil {
			total += int64(rows.GetCardinality())
		}
	}
	if err := enginekit.CheckGrouped(total); err != nil {
		return nil, poststore.Ranked{}, err
	}
	g := &rowGrouper{view: v, readers: make([]sketchReaders, len(v.segments))}
	if err := g.collect(ctx, selected, total, r); err != nil {
		return nil, poststore.Ranked{}, err
	}
	if err := g.group(ctx, r.Order); err != nil {
		return nil, poststore.Ranked{}, err
	}
	first := newFirstRows(r)
	if r.GroupOf != nil {
		posts := g.addGroup(&first, enginekit.SampleHash(*r.GroupOf))
		return first.sorted(), poststore.Ranked{Total: posts, Groups: min(1, posts)}, nil
	}
	for _, b := range g.best {
		row := &g.rows[b.row]
		first.add(&row.RankedRow, row.segment, int64(b.copies))
	}
	return first.sorted(), poststore.Ranked{Total: total, Groups: int64(len(g.best))}, nil
}

// addGroup adds the rows of the group that the post with a hash is in, and returns their number.
func (g *rowGrouper) addGroup(first *firstRows, hash uint64) int64 {
	at := slices.IndexFunc(g.rows, func(row groupedRow) bool { return row.Hash == hash })
	if at < 0 {
		return 0
	}
	group := g.rows[at].group
	copies := int64(g.best[group].copies)
	for i := range g.rows {
		if row := &g.rows[i]; row.group == group {
			first.add(&row.RankedRow, row.segment, copies)
		}
	}
	return copies
}

// A rowGrouper divides rows into groups of duplicates.
type rowGrouper struct {
	view    *view
	rows    []groupedRow // in chronological order
	readers []sketchReaders
	groups  enginekit.Grouper
	best    []groupRow // by group
}

// A groupedRow is a row of a segment.
type groupedRow struct {
	segment.RankedRow
	segment uint32
	group   uint32
}

// A groupRow describes a group. Indexes are those of rowGrouper.rows.
type groupRow struct {
	leader, row uint32 // row: the first in the order of the ranking
	copies      uint32
}

// collect sets the rows.
func (g *rowGrouper) collect(ctx context.Context, selected []*roaring.Bitmap, total int64, r *poststore.Ranking) error {
	g.rows = make([]groupedRow, total)
	from := make([]int, len(selected)+1)
	for i, rows := range selected {
		if from[i+1] = from[i]; rows != nil {
			from[i+1] += int(rows.GetCardinality())
		}
	}
	err := parallel.For(ctx, len(selected), 0, func(ctx context.Context, i int) error {
		if selected[i] == nil {
			return nil
		}
		next := g.rows[from[i]:from[i]]
		p := g.view.segments[i]
		return reading(p, func() error {
			return p.data.Rank(ctx, selected[i], r, func(row *segment.RankedRow) { next = append(next, groupedRow{RankedRow: *row, segment: uint32(i)}) })
		})
	})
	if err != nil {
		return err
	}
	slices.SortFunc(g.rows, func(a, b groupedRow) int { return a.CompareTime(&b.RankedRow) })
	return nil
}

// Sketches are computed in parallel, in pieces of sketchPiece rows, at most sketchAhead rows ahead
// of the rows that are being grouped.
const (
	sketchPiece = 1 << 12
	sketchAhead = 1 << 16
)

// A sketchedPiece contains the sketches of consecutive rows.
type sketchedPiece struct {
	sketches []enginekit.Sketch
	shingles []uint32 // of all rows
	ends     []int    // ends[i] is the end of the shingles of row i
}

// group assigns each row to a group. While it adds a part of the rows, it computes the sketches of
// the next part.
func (g *rowGrouper) group(ctx context.Context, order poststore.Order) error {
	g.groups.Reserve(len(g.rows))
	var current, next []sketchedPiece
	for from := -sketchAhead; from < len(g.rows); from += sketchAhead {
		err := parallel.For(ctx, 2, 2, func(ctx context.Context, task int) (err error) {
			if task == 0 {
				return g.addPart(from, current, order)
			}
			next, err = g.sketchPart(ctx, from+sketchAhead, next)
			return err
		})
		if err != nil {
			return err
		}
		current, next = next, current
	}
	return nil
}

// sketchPart computes the sketches of the rows that start at an index. It reuses pieces.
func (g *rowGrouper) sketchPart(ctx context.Context, from int, pieces []sketchedPiece) ([]sketchedPiece, error) {
	part := g.rows[min(from, len(g.rows)):min(from+sketchAhead, len(g.rows))]
	n := (len(part) + sketchPiece - 1) / sketchPiece
	pieces = append(pieces[:min(n, len(pieces))], make([]sketchedPiece, max(0, n-len(pieces)))...)
	return pieces, parallel.For(ctx, n, 0, func(_ context.Context, i int) error {
		return summing(g.view, len(g.view.segments), func() error {
			return g.sketch(&pieces[i], part[i*sketchPiece:min((i+1)*sketchPiece, len(part))])
		})
	})
}

// addPart assigns the rows that start at an index to groups.
func (g *rowGrouper) addPart(from int, pieces []sketchedPiece, order poststore.Order) error {
	return summing(g.view, len(g.view.segments), func() error {
		for i := range pieces {
			if err := g.addPiece(from+i*sketchPiece, &pieces[i], order); err != nil {
				return err
			}
		}
		return nil
	})
}

// sketch computes the sketches of rows.
func (g *rowGrouper) sketch(p *sketchedPiece, rows []groupedRow) (err error) {
	own := map[uint32]*segment.SketchReader{}
	defer func() {
		for i, r := range own {
			g.readers[i].put(r)
		}
	}()
	p.sketches, p.shingles, p.ends = p.sketches[:0], p.shingles[:0], p.ends[:0]
	for i := range rows {
		r := own[rows[i].segment]
		if r == nil {
			if r, err = g.reader(rows[i].segment); err != nil {
				return err
			}
			own[rows[i].segment] = r
		}
		sketch, shingles, err := r.Sketch(rows[i].Row)
		if err != nil {
			return err
		}
		p.sketches, p.shingles = append(p.sketches, sketch), append(p.shingles, shingles...)
		p.ends = append(p.ends, len(p.shingles))
	}
	return nil
}

// addPiece assigns consecutive rows to groups. at is the index of the first.
func (g *rowGrouper) addPiece(at int, p *sketchedPiece, order poststore.Order) error {
	from := 0
	for i, to := range p.ends {
		if err := g.add(at+i, &p.sketches[i], p.shingles[from:to], order); err != nil {
			return err
		}
		from = to
	}
	return nil
}

// add assigns a row to a group.
func (g *rowGrouper) add(at int, sketch *enginekit.Sketch, shingles []uint32, order poststore.Order) (err error) {
	group := g.groups.Add(sketch, func(group int) bool {
		var leader []uint32
		if err == nil {
			leader, err = g.shinglesOf(&g.rows[g.best[group].leader])
		}
		return err == nil && enginekit.AreSimilar(shingles, leader)
	})
	if err != nil {
		return err
	}
	g.rows[at].group = uint32(group)
	if group == len(g.best) {
		g.best = append(g.best, groupRow{uint32(at), uint32(at), 1})
		return nil
	}
	b := &g.best[group]
	b.copies++
	if g.rows[at].Compare(order, &g.rows[b.row].RankedRow) < 0 {
		b.row = uint32(at)
	}
	return nil
}

// shinglesOf returns the shingles of a row's text, until the next call for the same segment.
func (g *rowGrouper) shinglesOf(row *groupedRow) ([]uint32, error) {
	r, err := g.reader(row.segment)
	if err != nil {
		return nil, err
	}
	defer g.readers[row.segment].put(r)
	return r.Shingles(row.Row)
}

// reader returns an unused reader for a segment.
func (g *rowGrouper) reader(i uint32) (*segment.SketchReader, error) {
	return g.readers[i].get(g.view.segments[i].data)
}

// sketchReaders are readers of a segment.
type sketchReaders struct {
	mu    sync.Mutex
	first *segment.SketchReader   // only cloned; guarded by mu
	free  []*segment.SketchReader // unused; guarded by mu
}

// get returns an unused reader.
func (l *sketchReaders) get(s *segment.Segment) (r *segment.SketchReader, err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if n := len(l.free); n > 0 {
		r, l.free = l.free[n-1], l.free[:n-1]
		return r, nil
	}
	if l.first == nil {
		if l.first, err = s.SketchReader(); err != nil {
			return nil, err
		}
	}
	return l.first.Clone(), nil
}

func (l *sketchReaders) put(r *segment.SketchReader) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.free = append(l.free, r)
}
