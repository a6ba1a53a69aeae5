package segment

// A timeColumnCounter counts by hours or days and by a column of bytes, and by those alone. The rows
// of a slot follow one another, so it counts the column once for each.
type timeColumnCounter struct {
	dim   *timeDim
	bytes []uint8
	posts []uint32 // by slot and element
}

// byteValues is how many different elements a column of bytes has at most.
const byteValues = 256

// timeColumnCounter returns what counts by slots and by a column, nil where that is none of bytes or
// would take too much memory.
func (q *countQuery) timeColumnCounter(dims []dimension) *timeColumnCounter {
	s, ok := dims[0].(*timeDim)
	if !ok || !q.dense(byteValues*s.span(), 4) {
		return nil
	}
	of, ok := dims[1].(columnDimension)
	if !ok {
		return nil
	}
	c := &timeColumnCounter{dim: s}
	of.elements().Visit(func(v []uint8) { c.bytes = v }, func([]uint16) {}, func([]uint32) {}, func([]uint64) {})
	if c.bytes == nil {
		return nil
	}
	return c
}

// planTimeColumn counts with c, which is for dims.
func (q *countQuery) planTimeColumn(c *timeColumnCounter, dims []dimension) error {
	c.posts = make([]uint32, byteValues*len(c.dim.ends))
	q.counters = append(q.counters, c)
	q.partials = append(q.partials, func() partial { return c.partial(dims) })
	return q.meter().hold(4 * int64(len(c.posts)))
}

func (c *timeColumnCounter) count(rows []uint32) error {
	eachBucket(c.dim.ends, rows, func(slot, from, to int) {
		posts := (*[byteValues]uint32)(c.posts[byteValues*slot:])
		for _, row := range rows[from:to] {
			posts[c.bytes[row]]++
		}
	})
	return nil
}

// partial returns the groups that have any posts.
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
