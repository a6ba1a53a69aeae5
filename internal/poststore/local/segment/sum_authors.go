package segment

import (
	"slices"

	"earshot/internal/poststore"
	"earshot/internal/poststore/enginekit"
)

// partialAuthors are the authors of a partial's groups.
type partialAuthors struct {
	*groupAuthors
	groups  []uint32 // indexed by group of the partial: group in the sum
	numbers []uint32 // indexed by author: number in the sum plus 1; 0: not numbered, or no author
}

// countAuthors sets the sums of distinct authors. Authors with the same key count once, even across
// segments.
func (s *tallySum) countAuthors() error {
	if len(s.authors) == 0 {
		return nil
	}
	capacity := 0
	for i := range s.authors {
		capacity = max(capacity, min(len(s.authors[i].authors), len(s.authors[i].members)))
	}
	authors := newAuthorTable(capacity)
	size := s.bytes()
	for i := range s.authors {
		p := &s.authors[i]
		p.numbers = make([]uint32, len(p.authors))
		for _, author := range p.members {
			if hash := p.authors[author]; p.numbers[author] == 0 && hash != (authorHash{}) {
				p.numbers[author] = 1 + authors.add(hash)
			}
		}
		size += 4*int64(len(p.numbers)) + 8*int64(len(p.groups))
		if err := s.meter.hold(size + authors.bytes() + 4*int64(len(authors.hashes))); err != nil {
			return err
		}
	}
	counts := s.distinctAuthors(len(authors.hashes))
	for i, m := range s.tally.Sum {
		if m == poststore.Authors {
			copy(s.sums[i], counts)
		}
	}
	return nil
}

// distinctAuthors returns the number of distinct authors of each group. It processes one group
// after another and records the last group in which each author was counted.
func (s *tallySum) distinctAuthors(authors int) []int64 {
	counts := make([]int64, len(s.posts))
	last := make([]uint32, authors) // indexed by author: last group plus 1
	starts, refs := s.groupRefs()
	for group := range counts {
		for _, ref := range refs[starts[group]:starts[group+1]] {
			p := &s.authors[ref.partial]
			for _, author := range p.at(ref.group) {
				number := p.numbers[author]
				if number > 0 && last[number-1] != uint32(group)+1 {
					last[number-1] = uint32(group) + 1
					counts[group]++
				}
			}
		}
	}
	return counts
}

// A groupRef identifies a group of a partial.
type groupRef struct{ partial, group uint32 }

// groupRefs returns the groups of all partials, ordered by their group in the sum, and the start of
// each group's entries.
func (s *tallySum) groupRefs() (starts []uint32, refs []groupRef) {
	starts = make([]uint32, len(s.posts)+2)
	for _, p := range s.authors {
		for _, group := range p.groups {
			starts[group+2]++
		}
	}
	for i := 2; i < len(starts); i++ {
		starts[i] += starts[i-1]
	}
	refs = make([]groupRef, starts[len(starts)-1])
	for i, p := range s.authors {
		for local, group := range p.groups {
			refs[starts[group+1]] = groupRef{uint32(i), uint32(local)}
			starts[group+1]++ // ends up as the start of the next group
		}
	}
	return starts, refs
}

// authorCounts are the authors in a partial of a tally that returns only the largest authors. Their
// names are read only after all segments are counted, and only for the largest.
type authorCounts struct {
	numbers []uint32 // dictionary ids; entries with the same hash are the same author
	hashOf  []uint32 // indexed by author: index in hashes
	hashes  []authorHash
	cached  bool // hashes belongs to the segment's cache
	spell   func(number uint32) string
}

// keepsTopAuthors reports whether a tally returns only the largest authors.
func keepsTopAuthors(t *poststore.Tally) bool {
	return len(t.By) == 1 && t.By[0] == poststore.ByAuthor && t.Top > 0 && len(t.IncludeKeys) == 0 && !slices.Contains(t.Sum, poststore.Authors)
}

func (q *countQuery) planTopAuthors(t *poststore.Tally) error {
	authors, err := q.segment.dictDim(poststore.ByAuthor, colAuthor, dictAuthor, appendAuthorKey)
	if err != nil {
		return err
	}
	g, err := q.group([]dimension{authors}, t.Sum)
	if err != nil {
		return err
	}
	q.partials = append(q.partials, func() partial { return g.authorCounts(q.segment, authors) })
	return nil
}

// authorCounts returns the authors that have posts.
func (g *grouper) authorCounts(s *Segment, authors *dictDim) (p partial) {
	var groups []uint32
	var codes []uint64
	for group, n := range g.posts {
		if n == 0 {
			continue
		}
		code := uint64(group)
		if g.numbers != nil {
			code = g.numbers.codes[group]
		}
		groups, codes = append(groups, uint32(group)), append(codes, code)
	}
	a := &authorCounts{numbers: make([]uint32, len(codes))}
	for i, code := range codes {
		a.numbers[i] = uint32(code + authors.values.Base())
	}
	a.hashOf, a.hashes, a.cached = s.hashAuthors(authors, codes)
	a.spell = func(number uint32) string {
		return string(appendAuthorKey(nil, authors.dict.Append(nil, number)))
	}
	p.topAuthors = a
	p.posts = choose(g.posts, groups)
	p.sums = make([][]int64, len(g.sums))
	for i, s := range g.sums {
		p.sums[i] = choose(s.totals, groups)
	}
	return p
}

// bytes returns the memory used by the authors.
func (a *authorCounts) bytes() int64 {
	if a == nil {
		return 0
	}
	size := 4 * int64(len(a.numbers)+len(a.hashOf))
	if !a.cached {
		size += 16 * int64(len(a.hashes))
	}
	return size
}

// topAuthors adds up the authors of several segments.
type topAuthors struct {
	tally    *poststore.Tally
	table    *authorTable
	posts    []int64
	sums     [][]int64   // indexed by measure and author
	first    []authorRef // indexed by author: where its name is stored
	segments []*authorCounts
}

// An authorRef locates an author: a segment and a dictionary id.
type authorRef struct{ segment, number uint32 }

// sumTopAuthors returns the rows of a tally that returns only the largest authors.
func sumTopAuthors(t *poststore.Tally, tally int, counts []*Counts) ([]poststore.Row, error) {
	capacity := 0
	for _, c := range counts {
		capacity = max(capacity, len(c.tallies[tally].posts))
	}
	s := &topAuthors{
		tally: t,
		table: newAuthorTable(capacity),
		sums:  make([][]int64, len(t.Sum)),
		posts: make([]int64, 0, capacity),
		first: make([]authorRef, 0, capacity),
	}
	for m := range s.sums {
		s.sums[m] = make([]int64, 0, capacity)
	}
	meter := meter{budget: budgetOf(counts)}
	for _, c := range counts {
		s.add(&c.tallies[tally])
		if err := meter.hold(s.bytes()); err != nil {
			return nil, err
		}
	}
	rows := s.rows()
	return rows, meter.hold(int64(len(rows)) * 128)
}

func (s *topAuthors) add(p *partial) {
	segment := uint32(len(s.segments))
	s.segments = append(s.segments, p.topAuthors)
	for i, index := range p.topAuthors.hashOf {
		hash := p.topAuthors.hashes[index]
		if hash == (authorHash{}) {
			continue
		}
		author := s.table.add(hash)
		if int(author) == len(s.posts) {
			s.posts = append(s.posts, 0)
			s.first = append(s.first, authorRef{segment, p.topAuthors.numbers[i]})
			for m := range s.sums {
				s.sums[m] = append(s.sums[m], 0)
			}
		}
		s.posts[author] += int64(p.posts[i])
		for m := range s.sums {
			s.sums[m][author] = poststore.SaturatingAdd(s.sums[m][author], p.sums[m][i])
		}
	}
}

// rows returns the rows of the largest authors. It reads their names from the segments.
func (s *topAuthors) rows() []poststore.Row {
	isTop := topGroups(s.tally, s.posts, s.sums)
	var rows []poststore.Row
	for author, n := range s.posts {
		if !isTop(author) {
			continue
		}
		first := s.first[author]
		row := poststore.Row{Key: []string{s.segments[first.segment].spell(first.number)}, Posts: n, Sums: make([]int64, len(s.sums))}
		for m := range s.sums {
			row.Sums[m] = s.sums[m][author]
		}
		rows = append(rows, row)
	}
	return enginekit.Truncate(s.tally, rows)
}

func (s *topAuthors) bytes() int64 {
	return s.table.bytes() + int64(cap(s.posts))*int64(8+8+8*len(s.sums))
}
