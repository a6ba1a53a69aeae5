package query

// A pool lends sets of positions to the matching of one text, so that matching
// allocates nothing once it has run for a while.
type pool struct {
	size     int // of the text's sets, in words of 64 positions
	sets     []positions
	spanSets []*spanSet
}

// newSet returns an empty set. It is given back with freeSet.
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

// newSpans returns an empty list of spans. It is given back with drop.
func (p *pool) newSpans() *spanSet {
	n := len(p.spanSets)
	if n == 0 {
		return &spanSet{pool: p}
	}
	s := p.spanSets[n-1]
	p.spanSets = p.spanSets[:n-1]
	return s
}

// A spanSet says where something stands in a text: for each width, in positions,
// the set of positions where it begins.
type spanSet struct {
	pool   *pool
	groups []spanGroup
}

type spanGroup struct {
	width  int
	starts positions
}

// withWidth returns the set for a width.
func (s *spanSet) withWidth(width int) positions {
	for _, r := range s.groups {
		if r.width == width {
			return r.starts
		}
	}
	s.groups = append(s.groups, spanGroup{width, s.pool.newSet()})
	return s.groups[len(s.groups)-1].starts
}

// free gives the list and its sets back.
func (s *spanSet) free() {
	for _, r := range s.groups {
		s.pool.freeSet(r.starts)
	}
	s.groups = s.groups[:0]
	s.pool.spanSets = append(s.pool.spanSets, s)
}

// starts returns where spans begin. The caller drops the set.
func (s *spanSet) starts() positions {
	set := s.pool.newSet()
	for _, r := range s.groups {
		set.or(r.starts)
	}
	return set
}

// ends returns the positions after spans. The caller drops the set.
func (s *spanSet) ends() positions {
	set := s.pool.newSet()
	for _, r := range s.groups {
		set.orForward(r.starts, r.width)
	}
	return set
}

// addAll adds the spans of s to into.
func (s *spanSet) addAll(into *spanSet) {
	for _, r := range s.groups {
		into.withWidth(r.width).or(r.starts)
	}
}

// addIntersection adds the spans that are in both s and t to into.
func (s *spanSet) addIntersection(t, into *spanSet) {
	for _, r := range s.groups {
		for _, other := range t.groups {
			if r.width == other.width {
				to := into.withWidth(r.width)
				for i := range to {
					to[i] |= r.starts[i] & other.starts[i]
				}
			}
		}
	}
}

// addStarting adds the spans of s that begin in starts to into.
func (s *spanSet) addStarting(starts positions, into *spanSet) {
	for _, r := range s.groups {
		to := into.withWidth(r.width)
		for i := range to {
			to[i] |= r.starts[i] & starts[i]
		}
	}
}

// addEnding adds the spans of s that end in ends to into.
func (s *spanSet) addEnding(ends positions, into *spanSet) {
	for _, r := range s.groups {
		begin := s.pool.newSet()
		begin.orBack(ends, r.width)
		begin.and(r.starts)
		into.withWidth(r.width).or(begin)
		s.pool.freeSet(begin)
	}
}
