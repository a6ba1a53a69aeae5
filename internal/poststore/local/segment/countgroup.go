package segment

import "earshot/internal/poststore"

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
