package query

// A pool lends sets of positions to the matching of one text, so that matching
// allocates nothing once it has run for a while.
type pool struct {
	size  int // of the text's sets, in words of 64 positions
	sets  []positions
	lists []*spans
}

// set returns an empty set. It is given back with dropSet.
func (p *pool) set() positions {
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

func (p *pool) dropSet(set positions) { p.sets = append(p.sets, set) }

// spans returns an empty list of spans. It is given back with drop.
func (p *pool) spans() *spans {
	n := len(p.lists)
	if n == 0 {
		return &spans{pool: p}
	}
	s := p.lists[n-1]
	p.lists = p.lists[:n-1]
	return s
}

// A spans says where something stands in a text: for each width, in positions,
// the set of positions where it begins.
type spans struct {
	pool *pool
	runs []run
}

type run struct {
	width int
	at    positions
}

// of returns the set for a width.
func (s *spans) of(width int) positions {
	for _, r := range s.runs {
		if r.width == width {
			return r.at
		}
	}
	s.runs = append(s.runs, run{width, s.pool.set()})
	return s.runs[len(s.runs)-1].at
}

// drop gives the list and its sets back.
func (s *spans) drop() {
	for _, r := range s.runs {
		s.pool.dropSet(r.at)
	}
	s.runs = s.runs[:0]
	s.pool.lists = append(s.pool.lists, s)
}

// starts returns where spans begin. The caller drops the set.
func (s *spans) starts() positions {
	set := s.pool.set()
	for _, r := range s.runs {
		set.or(r.at)
	}
	return set
}

// ends returns the positions after spans. The caller drops the set.
func (s *spans) ends() positions {
	set := s.pool.set()
	for _, r := range s.runs {
		set.orForward(r.at, r.width)
	}
	return set
}

// addAll adds the spans of s to into.
func (s *spans) addAll(into *spans) {
	for _, r := range s.runs {
		into.of(r.width).or(r.at)
	}
}

// common adds the spans that are in both s and t to into.
func (s *spans) common(t, into *spans) {
	for _, r := range s.runs {
		for _, other := range t.runs {
			if r.width == other.width {
				to := into.of(r.width)
				for i := range to {
					to[i] |= r.at[i] & other.at[i]
				}
			}
		}
	}
}

// addStarting adds the spans of s that begin in starts to into.
func (s *spans) addStarting(starts positions, into *spans) {
	for _, r := range s.runs {
		to := into.of(r.width)
		for i := range to {
			to[i] |= r.at[i] & starts[i]
		}
	}
}

// addEnding adds the spans of s that end in ends to into.
func (s *spans) addEnding(ends positions, into *spans) {
	for _, r := range s.runs {
		begin := s.pool.set()
		begin.orBack(ends, r.width)
		begin.and(r.at)
		into.of(r.width).or(begin)
		s.pool.dropSet(begin)
	}
}
