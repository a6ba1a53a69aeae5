package segment

import "earshot/internal/poststore/local/colfile"

// columnDimension is a dimension whose codes are the elements of a column.
type columnDimension interface {
	dimension
	elements() *colfile.Uints
}

// A histogram counts the occurrences of each element of a column. Tallies by country, state and
// city share one.
type histogram struct {
	values *colfile.Uints
	posts  []uint32 // indexed by element; a column of bytes uses lanes
}

func (q *countQuery) planHistogram(d columnDimension) error {
	h, err := q.histogram(d.elements())
	q.partials = append(q.partials, func() partial { return nonzeroPartial(d, h.totals()) })
	return err
}

// histogram returns the histogram of a column. Tallies by the same column share it.
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

// lanes is the number of arrays of counts for a column of bytes. Such a column has few distinct
// values, and incrementing a counter has to wait for the previous increment of the same counter.
// Spreading the increments over several arrays avoids most of the waiting.
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

// totals returns the counts by element, possibly followed by zeros.
func (h *histogram) totals() []uint32 {
	posts := h.posts
	addLanes := func([]uint8) {
		posts = make([]uint32, 256)
		for i, n := range h.posts[:lanes*256] {
			posts[i%256] += n
		}
	}
	h.values.Visit(addLanes, func([]uint16) {}, func([]uint32) {}, func([]uint64) {})
	return posts
}

// nonzeroPartial returns the groups of a dimension that have posts, given the number of posts by
// code.
func nonzeroPartial(d dimension, posts []uint32) partial {
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

// A timeCounter counts by hour or day alone. It takes one subtraction per bucket.
type timeCounter struct {
	dim   *timeDim
	posts []uint32
}

// planTime counts by hour or day.
func (q *countQuery) planTime(s *timeDim) error {
	c := &timeCounter{s, make([]uint32, len(s.ends))}
	q.counters = append(q.counters, c)
	q.partials = append(q.partials, func() partial { return nonzeroPartial(s, c.posts) })
	return nil
}

func (c *timeCounter) count(rows []uint32) error {
	eachBucket(c.dim.ends, rows, func(bucket, from, to int) { c.posts[bucket] += uint32(to - from) })
	return nil
}

// A timeColumnCounter counts by hour or day and by a column of bytes. The rows of a bucket are
// consecutive, so it builds a histogram of the column for each bucket.
type timeColumnCounter struct {
	dim   *timeDim
	bytes []uint8
	posts []uint32 // indexed by bucket and element
}

// byteValues is the number of values of a byte.
const byteValues = 256

// timeColumnCounter returns a counter by hour or day and by a column of bytes. It returns nil if
// dims are of other types or counting would take too much memory.
func (q *countQuery) timeColumnCounter(dims []dimension) *timeColumnCounter {
	s, ok := dims[0].(*timeDim)
	if !ok || !q.dense(byteValues*s.span(), 4) {
		return nil
	}
	column, ok := dims[1].(columnDimension)
	if !ok {
		return nil
	}
	c := &timeColumnCounter{dim: s}
	column.elements().Visit(func(v []uint8) { c.bytes = v }, func([]uint16) {}, func([]uint32) {}, func([]uint64) {})
	if c.bytes == nil {
		return nil
	}
	return c
}

func (q *countQuery) planTimeColumn(c *timeColumnCounter, dims []dimension) error {
	c.posts = make([]uint32, byteValues*len(c.dim.ends))
	q.counters = append(q.counters, c)
	q.partials = append(q.partials, func() partial { return c.partial(dims) })
	return q.meter().hold(4 * int64(len(c.posts)))
}

func (c *timeColumnCounter) count(rows []uint32) error {
	eachBucket(c.dim.ends, rows, func(bucket, from, to int) {
		posts := (*[byteValues]uint32)(c.posts[byteValues*bucket:])
		for _, row := range rows[from:to] {
			posts[c.bytes[row]]++
		}
	})
	return nil
}

// partial returns the groups that have posts.
func (c *timeColumnCounter) partial(dims []dimension) partial {
	codes := make([][]uint64, 2)
	var counts []uint32
	for i, n := range c.posts {
		if n > 0 {
			codes[0], codes[1] = append(codes[0], uint64(i/byteValues)), append(codes[1], uint64(i%byteValues))
			counts = append(counts, n)
		}
	}
	p, kept := newPartial(dims, codes, len(counts))
	p.posts = choose(counts, kept)
	return p
}
