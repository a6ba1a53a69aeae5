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

// rankGroups returns the first rows of groups, without their posts.
func (s *Store) rankGroups(ctx context.Context, v *view, of *poststore.Selection, r *poststore.Ranking) ([]rankedRow, poststore.Ranked, error) {
	rows, err := s.selectNumbered(ctx, v, of)
	if err != nil {
		return nil, poststore.Ranked{}, err
	}
	if err := rows.rank(ctx, r); err != nil {
		return nil, poststore.Ranked{}, err
	}
	key := rows.key()
	g, cached := s.groupings.get(key)
	if !cached {
		if g, err = rows.group(ctx); err != nil {
			return nil, poststore.Ranked{}, err
		}
		s.groupings.add(key, g)
	}
	first := newFirstRows(r)
	ranked := poststore.Ranked{Total: int64(rows.total()), Groups: int64(len(g.copies))}
	if r.GroupOf != nil {
		ranked.Total = rows.addGroup(&first, g, enginekit.SampleHash(*r.GroupOf))
		ranked.Groups = min(1, ranked.Total)
	} else {
		rows.addFirst(&first, g)
	}
	return first.sorted(), ranked, nil
}

// numberedRows are the selected rows of a view. They are numbered in the order of segments and rows.
type numberedRows struct {
	view      *view
	rows      []*roaring.Bitmap   // by segment; nil if none is selected
	from      []int               // by segment: the number of its first row; finally the total
	positions []segment.RankedRow // by number
}

// selectNumbered selects rows that can be grouped.
func (s *Store) selectNumbered(ctx context.Context, v *view, of *poststore.Selection) (*numberedRows, error) {
	n := &numberedRows{view: v, rows: make([]*roaring.Bitmap, len(v.segments)), from: make([]int, len(v.segments)+1)}
	err := s.eachSegment(ctx, v, of, func(i int, _ *segmentState, rows *roaring.Bitmap) error {
		n.rows[i] = rows
		return nil
	})
	if err != nil {
		return nil, err
	}
	for i, rows := range n.rows {
		if n.from[i+1] = n.from[i]; rows != nil {
			n.from[i+1] += int(rows.GetCardinality())
		}
	}
	return n, enginekit.CheckGrouped(int64(n.total()))
}

func (n *numberedRows) total() int { return n.from[len(n.rows)] }

// rank sets the positions.
func (n *numberedRows) rank(ctx context.Context, r *poststore.Ranking) error {
	n.positions = make([]segment.RankedRow, n.total())
	return parallel.For(ctx, len(n.rows), 0, func(ctx context.Context, i int) error {
		if n.rows[i] == nil {
			return nil
		}
		p, next := n.view.segments[i], n.from[i]
		return reading(p, func() error {
			return p.data.Rank(ctx, n.rows[i], r, func(row *segment.RankedRow) {
				n.positions[next] = *row
				next++
			})
		})
	})
}

// addFirst adds the first row of each group.
func (n *numberedRows) addFirst(to *firstRows, g *grouping) {
	best := make([]uint32, len(g.copies)) // by group: the number of its first row, plus 1
	for number, group := range g.groups {
		if b := best[group]; b == 0 || n.positions[number].Compare(to.order, &n.positions[b-1]) < 0 {
			best[group] = uint32(number) + 1
		}
	}
	n.add(to, g, func(number int) bool { return best[g.groups[number]] == uint32(number)+1 })
}

// addGroup adds the rows of the group that the post with a hash is in, and returns their number.
func (n *numberedRows) addGroup(to *firstRows, g *grouping, hash uint64) int64 {
	at := slices.IndexFunc(n.positions, func(row segment.RankedRow) bool { return row.Hash == hash })
	if at < 0 {
		return 0
	}
	n.add(to, g, func(number int) bool { return g.groups[number] == g.groups[at] })
	return int64(g.copies[g.groups[at]])
}

// add adds the rows for which which returns true.
func (n *numberedRows) add(to *firstRows, g *grouping, which func(number int) bool) {
	for i := range n.rows {
		for number := n.from[i]; number < n.from[i+1]; number++ {
			if which(number) {
				to.add(&n.positions[number], uint32(i), int64(g.copies[g.groups[number]]))
			}
		}
	}
}

// A grouping divides rows into groups of duplicates.
type grouping struct {
	groups []uint32 // by number of a row
	copies []uint32 // by group: the number of its rows
}

// A rowGrouper computes a grouping.
type rowGrouper struct {
	*numberedRows
	order   []orderedRow
	readers []sketchReaders // by segment
	grouper enginekit.Grouper
	leaders []orderedRow // by group
	grouping
}

// An orderedRow is a row in chronological order.
type orderedRow struct{ number, segment uint32 }

// group divides the rows into groups.
func (n *numberedRows) group(ctx context.Context) (*grouping, error) {
	g := &rowGrouper{numberedRows: n, readers: make([]sketchReaders, len(n.rows)), order: make([]orderedRow, n.total())}
	g.groups = make([]uint32, n.total())
	for i := range n.rows {
		for number := n.from[i]; number < n.from[i+1]; number++ {
			g.order[number] = orderedRow{uint32(number), uint32(i)}
		}
	}
	slices.SortFunc(g.order, func(a, b orderedRow) int { return n.positions[a.number].CompareTime(&n.positions[b.number]) })
	g.grouper.Reserve(n.total())
	if err := g.addAll(ctx); err != nil {
		return nil, err
	}
	g.copies = slices.Clip(g.copies)
	return &g.grouping, nil
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

// addAll assigns each row to a group. While it adds a part of the rows, it computes the sketches of
// the next part.
func (g *rowGrouper) addAll(ctx context.Context) error {
	var current, next []sketchedPiece
	for from := -sketchAhead; from < len(g.order); from += sketchAhead {
		err := parallel.For(ctx, 2, 2, func(ctx context.Context, task int) (err error) {
			if task == 0 {
				return g.addPart(from, current)
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
	part := g.order[min(from, len(g.order)):min(from+sketchAhead, len(g.order))]
	n := (len(part) + sketchPiece - 1) / sketchPiece
	pieces = append(pieces[:min(n, len(pieces))], make([]sketchedPiece, max(0, n-len(pieces)))...)
	return pieces, parallel.For(ctx, n, 0, func(_ context.Context, i int) error {
		return summing(g.view, len(g.view.segments), func() error {
			return g.sketch(&pieces[i], part[i*sketchPiece:min((i+1)*sketchPiece, len(part))])
		})
	})
}

// sketch computes the sketches of rows.
func (g *rowGrouper) sketch(p *sketchedPiece, rows []orderedRow) (err error) {
	own := make([]*segment.SketchReader, len(g.readers))
	defer func() {
		for i, r := range own {
			if r != nil {
				g.readers[i].put(r)
			}
		}
	}()
	p.sketches, p.shingles, p.ends = p.sketches[:0], p.shingles[:0], p.ends[:0]
	for _, row := range rows {
		r := own[row.segment]
		if r == nil {
			if r, err = g.reader(row.segment); err != nil {
				return err
			}
			own[row.segment] = r
		}
		sketch, shingles, err := r.Sketch(g.positions[row.number].Row)
		if err != nil {
			return err
		}
		p.sketches, p.shingles = append(p.sketches, sketch), append(p.shingles, shingles...)
		p.ends = append(p.ends, len(p.shingles))
	}
	return nil
}

// addPart assigns the rows that start at an index to groups.
func (g *rowGrouper) addPart(from int, pieces []sketchedPiece) error {
	return summing(g.view, len(g.view.segments), func() error {
		for i := range pieces {
			if err := g.addPiece(from+i*sketchPiece, &pieces[i]); err != nil {
				return err
			}
		}
		return nil
	})
}

// touchAhead is how many rows are touched at once before they are added.
const touchAhead = 16

// addPiece assigns consecutive rows to groups. at is the index of the first.
func (g *rowGrouper) addPiece(at int, p *sketchedPiece) error {
	from := 0
	for i, to := range p.ends {
		if i%touchAhead == 0 {
			for k := i; k < min(i+touchAhead, len(p.sketches)); k++ {
				g.grouper.Touch(&p.sketches[k])
			}
		}
		if err := g.add(g.order[at+i], &p.sketches[i], p.shingles[from:to]); err != nil {
			return err
		}
		from = to
	}
	return nil
}

// add assigns a row to a group.
func (g *rowGrouper) add(row orderedRow, sketch *enginekit.Sketch, shingles []uint32) (err error) {
	group := g.grouper.Add(sketch, shingles, func(group int) (leader []uint32) {
		if err == nil {
			leader, err = g.shinglesOf(g.leaders[group])
		}
		return leader
	})
	if group == len(g.leaders) {
		g.leaders, g.copies = append(g.leaders, row), append(g.copies, 0)
	}
	g.groups[row.number] = uint32(group)
	g.copies[group]++
	return err
}

// shinglesOf returns the shingles of a row's text, until the next call for the same segment.
func (g *rowGrouper) shinglesOf(row orderedRow) ([]uint32, error) {
	r, err := g.reader(row.segment)
	if err != nil {
		return nil, err
	}
	defer g.readers[row.segment].put(r)
	return r.Shingles(g.positions[row.number].Row)
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
