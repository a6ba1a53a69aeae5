package segment

import "earshot/internal/poststore/local/colfile"

// columnDimension is a dimension whose codes are the elements of a column.
type columnDimension interface {
	dimension
	elements() *colfile.Uints
}

// A histogram has how often each element of a column occurs. Tallies by countries, states
// and cities share one.
type histogram struct {
	values *colfile.Uints
	posts  []uint32 // by element; those of bytes in lanes
}

// planHistogram counts by a column, and by that alone.
func (q *countQuery) planHistogram(d columnDimension) error {
	h, err := q.histogram(d.elements())
	q.partials = append(q.partials, func() partial { return h.partial(d) })
	return err
}

// histogram returns the one of a column.
func (q *countQuery) histogram(values *colfile.Uints) (*histogram, error) {
	for _, h := range q.histograms {
		if h.values == values {
			return h, nil
		}
	}
	h := &histogram{values, make([]uint32, max(spanOf(values), lanes*256))}
	q.histograms = append(q.histograms, h)
	q.counters = append(q.counters, h)
	return h, q.meter().hold(4 * int64(len(h.posts)))
}

func (h *histogram) count(rows []uint32) error {
	h.values.Visit(
		func(v []uint8) { countBytes(v, (*[lanes * 256]uint32)(h.posts), rows) },
		func(v []uint16) { countElements(v, h.posts, rows) },
		func(v []uint32) { countElements(v, h.posts, rows) },
		func(v []uint64) { countElements(v, h.posts, rows) })
	return nil
}

func countElements[T uint16 | uint32 | uint64](values []T, posts []uint32, rows []uint32) {
	for _, row := range rows {
		posts[values[row]]++
	}
}

// lanes is how many arrays of counts a column of bytes has. Such a column has few values,
// most posts have the same, and an addition to a number in memory waits for the one before.
const lanes = 4

func countBytes(values []uint8, posts *[lanes * 256]uint32, rows []uint32) {
	for ; len(rows) >= lanes; rows = rows[lanes:] {
		posts[int(values[rows[0]])]++
		posts[int(values[rows[1]])+256]++
		posts[int(values[rows[2]])+2*256]++
		posts[int(values[rows[3]])+3*256]++
	}
	for _, row := range rows {
		posts[values[row]]++
	}
}

func (h *histogram) partial(d dimension) partial { return occupied(d, h.folded()) }

// folded returns the counts by element, of which there may be more than the column has.
func (h *histogram) folded() []uint32 {
	posts := h.posts
	h.values.Visit(func([]uint8) { posts = foldLanes(posts) }, func([]uint16) {}, func([]uint32) {}, func([]uint64) {})
	return posts
}

func foldLanes(posts []uint32) []uint32 {
	folded := make([]uint32, 256)
	for i, n := range posts[:lanes*256] {
		folded[i%256] += n
	}
	return folded
}

// occupied returns the groups of a dimension that have any posts, by code.
func occupied(d dimension, posts []uint32) partial {
	n := 0
	for _, count := range posts {
		if count > 0 {
			n++
		}
	}
	codes, counts := make([]uint64, 0, n), make([]uint32, 0, n)
	for code, count := range posts {
		if count > 0 {
			codes = append(codes, uint64(code))
			counts = append(counts, count)
		}
	}
	p, kept := newPartial([]dimension{d}, [][]uint64{codes}, len(codes))
	p.posts = choose(counts, kept)
	return p
}

// A timeCounter counts by hours or days, and by those alone: a subtraction for each.
type timeCounter struct {
	dim   *timeDim
	posts []uint32
}

// planTime counts by hours or days.
func (q *countQuery) planTime(s *timeDim) error {
	c := &timeCounter{s, make([]uint32, len(s.ends))}
	q.counters = append(q.counters, c)
	q.partials = append(q.partials, func() partial { return occupied(s, c.posts) })
	return nil
}

func (c *timeCounter) count(rows []uint32) error {
	eachBucket(c.dim.ends, rows, func(slot, from, to int) { c.posts[slot] += uint32(to - from) })
	return nil
}
