package query

import (
	"math"
	"math/bits"
)

// positions is a set of token positions in a text, as a bitmap. All sets of a text have the same
// length. Phrases and distances are computed on these sets 64 positions at a time, so a text with
// many repetitions takes no longer than any other.
type positions []uint64

func (p positions) has(i int) bool { return p[i/64]&(1<<(i%64)) != 0 }
func (p positions) add(i int)      { p[i/64] |= 1 << (i % 64) }

// addRange adds the positions from first to last, inclusive. It adds none if last is before first.
func (p positions) addRange(first, last int) {
	for i := first; i <= last; {
		if i%64 == 0 && i+63 <= last {
			p[i/64] = math.MaxUint64
			i += 64
			continue
		}
		p.add(i)
		i++
	}
}

func (p positions) empty() bool {
	for _, w := range p {
		if w != 0 {
			return false
		}
	}
	return true
}

// and is set intersection. or is set union.
func (p positions) and(q positions) {
	for i := range p {
		p[i] &= q[i]
	}
}

func (p positions) or(q positions) {
	for i := range p {
		p[i] |= q[i]
	}
}

// orForward adds the positions of q shifted forward by n, and drops those past the end. q may be p
// itself, because no word is read after it is modified.
func (p positions) orForward(q positions, n int) {
	whole, part := n/64, uint(n%64)
	if whole >= len(p) {
		return
	}
	to := p[whole:]
	from := q[:len(to)]
	if part == 0 {
		for i := len(to) - 1; i >= 0; i-- {
			to[i] |= from[i]
		}
		return
	}
	rest := 64 - part
	for i := len(to) - 1; i > 0; i-- {
		to[i] |= from[i]<<(part&63) | from[i-1]>>(rest&63)
	}
	to[0] |= from[0] << (part & 63)
}

// orBack adds the positions of q shifted back by n. q may be p itself.
func (p positions) orBack(q positions, n int) {
	whole, part := n/64, uint(n%64)
	if whole >= len(p) {
		return
	}
	from := q[whole:]
	to := p[:len(from)]
	if part == 0 {
		to.or(from)
		return
	}
	rest, last := 64-part, len(from)-1
	for i := range last {
		to[i] |= from[i]>>(part&63) | from[i+1]<<(rest&63)
	}
	to[last] |= from[last] >> (part & 63)
}

// andBack retains the positions that are n before a position of q, and reports whether any remain.
func (p positions) andBack(q positions, n int) bool {
	whole, part := n/64, uint(n%64)
	if whole >= len(p) {
		clear(p)
		return false
	}
	from := q[whole:]
	to := p[:len(from)]
	clear(p[len(from):])
	left, rest, last := uint64(0), 64-part, len(from)-1
	for i := range last {
		moved := from[i]>>(part&63) | from[i+1]<<(rest&63)
		if part == 0 {
			moved = from[i]
		}
		to[i] &= moved
		left |= to[i]
	}
	to[last] &= from[last] >> (part & 63)
	return left|to[last] != 0
}

// spreadForward adds the n positions after each position.
func (p positions) spreadForward(n int) {
	if n >= 64 {
		p.sweepForward(n)
		return
	}
	for done := 0; done < n && done < 64*len(p); {
		step := min(done+1, n-done)
		p.orForward(p, step) // in place is safe, because orForward works from the end
		done += step
	}
}

// spreadBack adds the n positions before each position.
func (p positions) spreadBack(n int) {
	if n >= 64 {
		p.sweepBack(n)
		return
	}
	for done := 0; done < n && done < 64*len(p); {
		step := min(done+1, n-done)
		p.orBack(p, step)
		done += step
	}
}

// sweepForward is spreadForward for n >= 64.
func (p positions) sweepForward(n int) {
	reach := -1 // the last position reached so far
	for i, w := range p {
		base := i * 64
		if w != 0 {
			p[i] = math.MaxUint64 << bits.TrailingZeros64(w)
		}
		if reach >= base {
			p[i] |= math.MaxUint64 >> max(63-(reach-base), 0)
		}
		if w != 0 {
			reach = base + 63 - bits.LeadingZeros64(w) + n
		}
	}
}

// sweepBack is spreadBack for n >= 64.
func (p positions) sweepBack(n int) {
	reach := len(p) * 64 // the first position reached so far
	for i := len(p) - 1; i >= 0; i-- {
		w, base := p[i], i*64
		if w != 0 {
			p[i] = math.MaxUint64 >> bits.LeadingZeros64(w)
		}
		if reach < base+64 {
			p[i] |= math.MaxUint64 << max(reach-base, 0)
		}
		if w != 0 {
			reach = base + bits.TrailingZeros64(w) - n
		}
	}
}

// next returns the first position at or after i, or -1.
func (p positions) next(i int) int {
	if i/64 >= len(p) {
		return -1
	}
	word := i / 64
	w := p[word] >> (i % 64) << (i % 64)
	for w == 0 {
		if word++; word == len(p) {
			return -1
		}
		w = p[word]
	}
	return word*64 + bits.TrailingZeros64(w)
}

// A pool reuses the position sets needed to match a text, so that matching does not allocate once
// the pool is warm.
type pool struct {
	size     int // of each set, in words of 64 positions
	sets     []positions
	spanSets []*spanSet
}

// newSet returns an empty set. The caller returns it with freeSet.
func (p *pool) newSet() positions {
	var set positions
	if n := len(p.sets); n > 0 {
		set, p.sets = p.sets[n-1], p.sets[:n-1]
	}
	if cap(set) < p.size {
		return make(positions, p.size)
	}
	set = set[:p.size]
	clear(set)
	return set
}

func (p *pool) freeSet(set positions) { p.sets = append(p.sets, set) }

// newSpans returns an empty span set. The caller returns it with its free method.
func (p *pool) newSpans() *spanSet {
	n := len(p.spanSets)
	if n == 0 {
		return &spanSet{pool: p}
	}
	s := p.spanSets[n-1]
	p.spanSets = p.spanSets[:n-1]
	return s
}

// A spanSet is a set of spans of positions, grouped by width. Each group has the set of start
// positions of its spans.
type spanSet struct {
	pool   *pool
	groups []spanGroup
}

type spanGroup struct {
	width  int
	starts positions
}

// withWidth returns the start positions of the spans with the given width. Adding to it adds spans.
func (s *spanSet) withWidth(width int) positions {
	for _, g := range s.groups {
		if g.width == width {
			return g.starts
		}
	}
	s.groups = append(s.groups, spanGroup{width, s.pool.newSet()})
	return s.groups[len(s.groups)-1].starts
}

// free returns s and its sets to the pool.
func (s *spanSet) free() {
	for _, g := range s.groups {
		s.pool.freeSet(g.starts)
	}
	s.groups = s.groups[:0]
	s.pool.spanSets = append(s.pool.spanSets, s)
}

// starts returns the start positions of all spans. The caller frees the set.
func (s *spanSet) starts() positions {
	set := s.pool.newSet()
	for _, g := range s.groups {
		set.or(g.starts)
	}
	return set
}

// ends returns the positions directly after each span. The caller frees the set.
func (s *spanSet) ends() positions {
	set := s.pool.newSet()
	for _, g := range s.groups {
		set.orForward(g.starts, g.width)
	}
	return set
}

// addAll adds the spans of s to dst.
func (s *spanSet) addAll(dst *spanSet) {
	for _, g := range s.groups {
		dst.withWidth(g.width).or(g.starts)
	}
}

// addIntersection adds to dst the spans that are in both s and t.
func (s *spanSet) addIntersection(t, dst *spanSet) {
	for _, g := range s.groups {
		for _, other := range t.groups {
			if g.width == other.width {
				to := dst.withWidth(g.width)
				for i := range to {
					to[i] |= g.starts[i] & other.starts[i]
				}
			}
		}
	}
}

// addStarting adds to dst the spans of s that start in starts.
func (s *spanSet) addStarting(starts positions, dst *spanSet) {
	for _, g := range s.groups {
		to := dst.withWidth(g.width)
		for i := range to {
			to[i] |= g.starts[i] & starts[i]
		}
	}
}

// addEnding adds to dst the spans of s that end in ends.
func (s *spanSet) addEnding(ends positions, dst *spanSet) {
	for _, g := range s.groups {
		begin := s.pool.newSet()
		begin.orBack(ends, g.width)
		begin.and(g.starts)
		dst.withWidth(g.width).or(begin)
		s.pool.freeSet(begin)
	}
}
