package segment

import (
	"fmt"
	"math"
	"math/bits"

	"earshot/internal/poststore"
	"earshot/internal/poststore/local/colfile"
)

// A grouper counts by any dimensions and with any sums. It combines a row's codes in all dimensions
// into one number, the group of the row.
type grouper struct {
	meter    *meter
	dims     []dimension
	combiner *combiner

	numbers *numbering   // numbers of the groups that occur; nil if posts is indexed by group directly
	posts   []uint32     // indexed by group or by its number
	sums    []*columnSum // indexed by measure; nil for Authors
	authors *authorSets  // nil unless a measure is Authors

	groups, codes []uint64 // scratch space for the current rows
}

func (q *countQuery) planGroups(dims []dimension, measures []poststore.Measure) error {
	g, err := q.group(dims, measures)
	if err == nil {
		q.partials = append(q.partials, g.partial)
	}
	return err
}

// group creates a grouper and adds it to the counters.
func (q *countQuery) group(dims []dimension, measures []poststore.Measure) (*grouper, error) {
	g := &grouper{meter: q.meter(), dims: dims}
	chunk := min(chunkRows, q.size)
	var spread []*listDim
	for i, d := range dims {
		if t, ok := d.(*listDim); ok {
			spread = append(spread, t)
			chunk = chunkRows // a row may occur several times
		}
		dims[i] = limitSpan(d)
	}
	g.groups, g.codes = make([]uint64, chunk), make([]uint64, chunk)
	g.combiner = newCombiner(dims)
	if err := g.addMeasures(q, measures); err != nil {
		return nil, err
	}
	if q.dense(g.combiner.span, 4+8*int64(len(measures))) {
		g.extend(int(g.combiner.span))
	} else {
		g.numbers = newNumbering()
	}
	if len(spread) == 0 {
		q.counters = append(q.counters, g)
	} else {
		flag := spread[0].flag // rows without a value in any one of them are in no group
		q.flagged[flag] = append(q.flagged[flag], newSpreader(spread, q.stopped, g.count))
	}
	return g, nil
}

// count implements [counter].
func (g *grouper) count(rows []uint32) error {
	groups, codes := g.groups[:len(rows)], g.codes[:len(rows)]
	clear(groups)
	for i, d := range g.dims {
		if i == 0 {
			d.read(groups, rows)
			continue
		}
		d.read(codes, rows)
		g.combiner.add(groups, i, codes)
	}
	if g.numbers != nil {
		g.numbers.numberAll(groups)
		g.extend(len(g.numbers.codes))
	}
	for _, group := range groups {
		g.posts[group]++
	}
	for _, s := range g.sums {
		if s != nil {
			s.add(groups, codes, rows)
		}
	}
	if g.authors != nil {
		g.authors.add(groups, codes, rows)
	}
	return g.meter.hold(g.bytes())
}

// extend grows the counts and sums to the given number of groups.
func (g *grouper) extend(groups int) {
	g.posts = extended(g.posts, groups)
	for _, s := range g.sums {
		if s != nil {
			s.totals = extended(s.totals, groups)
		}
	}
}

// extended returns s, padded with zeros to at least the given length.
func extended[T any](s []T, length int) []T {
	if length <= len(s) {
		return s
	}
	return append(s, make([]T, length-len(s))...)
}

// bytes returns the memory used by the groups.
func (g *grouper) bytes() int64 {
	size := 4*int64(cap(g.posts)) + g.combiner.bytes()
	for _, d := range g.dims {
		if d, ok := d.(sized); ok {
			size += d.bytes()
		}
	}
	if g.numbers != nil {
		size += g.numbers.bytes()
	}
	for _, s := range g.sums {
		if s != nil {
			size += 8 * int64(cap(s.totals))
		}
	}
	if g.authors != nil {
		size += g.authors.bytes()
	}
	return size
}

// partial returns the groups that have posts.
func (g *grouper) partial() partial {
	var groups []uint32
	codes := make([][]uint64, len(g.dims))
	for group, n := range g.posts {
		if n == 0 {
			continue
		}
		groups = append(groups, uint32(group))
		if g.numbers != nil {
			g.combiner.split(g.numbers.codes[group], codes)
		} else {
			g.combiner.split(uint64(group), codes)
		}
	}
	p, kept := newPartial(g.dims, codes, len(groups))
	groups = choose(groups, kept)
	p.posts = choose(g.posts, groups)
	p.sums = make([][]int64, len(g.sums))
	for i, s := range g.sums {
		if s != nil {
			p.sums[i] = choose(s.totals, groups)
		}
	}
	if g.authors != nil {
		p.authors = g.authors.authorsOf(groups)
	}
	return p
}

// maxSpan is the maximum span of a single dimension. The codes of two dimensions then fit in 62
// bits.
const maxSpan = 1 << 31

// A combiner combines the codes of several dimensions into one number with the codes as its digits.
// Where that could overflow, it replaces the combinations so far with consecutive numbers.
type combiner struct {
	spans   []uint64
	numbers []*numbering // by dimension: numbers of the combinations of earlier dimensions; nil if no overflow is possible
	span    uint64       // greater than every combination
}

// newCombiner returns a combiner for dimensions with spans of at most maxSpan.
func newCombiner(dims []dimension) *combiner {
	c := &combiner{spans: make([]uint64, len(dims)), numbers: make([]*numbering, len(dims)), span: 1}
	for i, d := range dims {
		c.spans[i] = max(d.span(), 1)
		if hi, lo := bits.Mul64(c.span, c.spans[i]); hi > 0 || lo > maxSpan*maxSpan {
			c.numbers[i] = newNumbering()
			c.span = maxSpan
		}
		c.span *= c.spans[i]
	}
	return c
}

// add combines groups with the codes of the next dimension.
func (c *combiner) add(groups []uint64, dim int, codes []uint64) {
	if c.numbers[dim] != nil {
		c.numbers[dim].numberAll(groups)
	}
	span := c.spans[dim]
	codes = codes[:len(groups)]
	for i, group := range groups {
		groups[i] = group*span + codes[i]
	}
}

// split appends the code of each dimension in a combination.
func (c *combiner) split(group uint64, codes [][]uint64) {
	for dim := len(c.spans) - 1; dim >= 0; dim-- {
		codes[dim] = append(codes[dim], group%c.spans[dim])
		group /= c.spans[dim]
		if c.numbers[dim] != nil {
			group = c.numbers[dim].codes[group]
		}
	}
}

// bytes returns the memory used by the combinations.
func (c *combiner) bytes() (size int64) {
	for _, n := range c.numbers {
		if n != nil {
			size += n.bytes()
		}
	}
	return size
}

// addMeasures sets up the sums of each group.
func (g *grouper) addMeasures(q *countQuery, measures []poststore.Measure) error {
	g.sums = make([]*columnSum, len(measures))
	for i, m := range measures {
		var err error
		switch {
		case m != poststore.Authors:
			g.sums[i], err = q.columnSum(m)
		case g.authors == nil:
			g.authors, err = q.authorSets(g.combiner.span)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// measureColumns maps the measures that are sums to their columns.
var measureColumns = map[poststore.Measure]string{
	poststore.Impressions: colFollowers,
	poststore.Likes:       colLikes,
	poststore.Shares:      colShares,
	poststore.Comments:    colComments,
	poststore.Replies:     colReplies,
	poststore.Retweets:    colRetweets,
	poststore.Views:       colViews,
}

// A columnSum adds up a column of counts by group.
type columnSum struct {
	values *colfile.Uints
	large  bool    // a sum may overflow
	totals []int64 // indexed by group
}

func (q *countQuery) columnSum(m poststore.Measure) (*columnSum, error) {
	col, ok := measureColumns[m]
	if !ok {
		return nil, fmt.Errorf("count unknown measure %d", m)
	}
	values, err := q.segment.Uints(col)
	if err != nil {
		return nil, err
	}
	hi, lo := bits.Mul64(values.Max(), q.size)
	return &columnSum{values: values, large: hi > 0 || lo > math.MaxInt64}, nil
}

// add adds the counts of rows to the totals of their groups.
func (c *columnSum) add(groups, scratch []uint64, rows []uint32) {
	readColumn(c.values, scratch, rows)
	base := c.values.Base()
	if c.large {
		for i, group := range groups {
			c.totals[group] = poststore.SaturatingAdd(c.totals[group], int64(min(decodeCount(scratch[i]+base), math.MaxInt64)))
		}
		return
	}
	scratch = scratch[:len(groups)]
	for i, group := range groups {
		c.totals[group] += int64(decodeCount(scratch[i] + base))
	}
}

// decodeCount is the inverse of encodeCount, except that a count that is not stated becomes 0.
func decodeCount(plusOne uint64) uint64 { return plusOne - min(plusOne, 1) }
