package segment

import (
	"fmt"
	"math"
	"math/bits"

	"earshot/internal/poststore"
	"earshot/internal/poststore/local/colfile"
)

// A grouper counts by any dimensions and with any sums. The codes that a row has in the
// dimensions are combined into one number, its group.
type grouper struct {
	meter    *meter
	dims     []dimension
	combiner *combiner

	numbers *numbering   // of the groups that occur; nil when there is room for all that could
	posts   []uint32     // by group, or by the number of the group
	sums    []*columnSum // by measure; nil for Authors
	authors *authorSets  // nil when nobody asks for them

	groups, codes []uint64 // of the rows at hand
}

// planGroups counts by any dimensions.
func (q *countQuery) planGroups(dims []dimension, measures []poststore.Measure) error {
	g, err := q.group(dims, measures)
	if err == nil {
		q.partials = append(q.partials, g.partial)
	}
	return err
}

// group makes a grouper and has it count.
func (q *countQuery) group(dims []dimension, measures []poststore.Measure) (*grouper, error) {
	g := &grouper{meter: q.meter(), dims: dims}
	chunk := min(chunkRows, q.size)
	var spread []*listDim
	for i, d := range dims {
		if t, ok := d.(*listDim); ok {
			spread = append(spread, t)
			chunk = chunkRows // a row may be there many times
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
		flag := spread[0].flag // rows without a value in one of them are in no group
		q.flagged[flag] = append(q.flagged[flag], newSpreader(spread, q.stopped, g.count))
	}
	return g, nil
}

// count implements counter.
func (g *grouper) count(rows []uint32) error {
	groups, codes := g.groups[:len(rows)], g.codes[:len(rows)]
	clear(groups)
	for i, d := range g.dims {
		if i == 0 {
			d.read(groups, rows) // nothing precedes it
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

// extend makes room for so many groups.
func (g *grouper) extend(groups int) {
	g.posts = extended(g.posts, groups)
	for _, s := range g.sums {
		if s != nil {
			s.totals = extended(s.totals, groups)
		}
	}
}

// extended returns a slice of at least that length, with zeros at its end.
func extended[T any](s []T, length int) []T {
	if length <= len(s) {
		return s
	}
	return append(s, make([]T, length-len(s))...)
}

// bytes returns how much memory the groups take.
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

// partial returns the groups that have any posts.
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

// maxSpan is how much room the codes of one dimension may take, so that those of two fit
// in one number.
const maxSpan = 1 << 31

// A combiner combines the codes of several dimensions into one number, as the digits of
// one. Where that could become too large, what there is so far is numbered.
type combiner struct {
	spans   []uint64
	numbers []*numbering // of what precedes the dimension; nil where it is small enough
	span    uint64       // is more than every combination
}

// newCombiner combines dimensions, none of which has a larger span than maxSpan.
func newCombiner(dims []dimension) *combiner {
	j := &combiner{spans: make([]uint64, len(dims)), numbers: make([]*numbering, len(dims)), span: 1}
	for i, d := range dims {
		j.spans[i] = max(d.span(), 1)
		if hi, lo := bits.Mul64(j.span, j.spans[i]); hi > 0 || lo > maxSpan*maxSpan {
			j.numbers[i] = newNumbering()
			j.span = maxSpan
		}
		j.span *= j.spans[i]
	}
	return j
}

// add adds the codes of a dimension to those of the dimensions before.
func (j *combiner) add(groups []uint64, dim int, codes []uint64) {
	if j.numbers[dim] != nil {
		j.numbers[dim].numberAll(groups)
	}
	span := j.spans[dim]
	codes = codes[:len(groups)]
	for i, group := range groups {
		groups[i] = group*span + codes[i]
	}
}

// split appends the code that a combination has of each dimension.
func (j *combiner) split(group uint64, codes [][]uint64) {
	for dim := len(j.spans) - 1; dim >= 0; dim-- {
		codes[dim] = append(codes[dim], group%j.spans[dim])
		group /= j.spans[dim]
		if j.numbers[dim] != nil {
			group = j.numbers[dim].codes[group]
		}
	}
}

// bytes returns how much memory the combinations take.
func (j *combiner) bytes() (size int64) {
	for _, n := range j.numbers {
		if n != nil {
			size += n.bytes()
		}
	}
	return size
}

// addMeasures makes what is added up for each group.
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

// measureColumns are the columns of the measures that are sums.
var measureColumns = map[poststore.Measure]string{
	poststore.Impressions: colFollowers,
	poststore.Likes:       colLikes,
	poststore.Shares:      colShares,
	poststore.Comments:    colComments,
	poststore.Replies:     colReplies,
	poststore.Retweets:    colRetweets,
	poststore.Views:       colViews,
}

// columnSum adds up a column of figures.
type columnSum struct {
	values *colfile.Uints
	large  bool    // a sum may become larger than the largest number
	totals []int64 // by group
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

// add adds the figures of rows to the totals of their groups.
func (f *columnSum) add(groups, scratch []uint64, rows []uint32) {
	readColumn(f.values, scratch, rows)
	base := f.values.Base()
	if f.large {
		for i, group := range groups {
			f.totals[group] = poststore.SaturatingAdd(f.totals[group], int64(min(decodeCount(scratch[i]+base), math.MaxInt64)))
		}
		return
	}
	scratch = scratch[:len(groups)]
	for i, group := range groups {
		f.totals[group] += int64(decodeCount(scratch[i] + base))
	}
}

// decodeCount returns the figure that a column has plus one, 0 when it is not stated.
func decodeCount(plusOne uint64) uint64 { return plusOne - min(plusOne, 1) }
