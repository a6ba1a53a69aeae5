package segment

import (
	"slices"

	"earshot/internal/poststore"
	"earshot/internal/poststore/enginekit"
)

// partialAuthors is the authors of a partial's groups.
type partialAuthors struct {
	*groupAuthors
	groups  []uint32 // what its groups are in the sum
	numbers []uint32 // what its authors are in the sum, plus one; 0: none of them, or no author
}

// countAuthors sets the sums that are of authors. An author is one by the key, in
// whatever files and however often.
func (s *tallySum) countAuthors() error {
	if len(s.authors) == 0 {
		return nil
	}
	most := 0
	for i := range s.authors {
		most = max(most, min(len(s.authors[i].authors), len(s.authors[i].authorOf)))
	}
	authors := newAuthorTable(most)
	size := s.bytes()
	for i := range s.authors {
		c := &s.authors[i]
		c.number(authors)
		size += 4*int64(len(c.numbers)) + 8*int64(len(c.groups))
		if err := s.meter.hold(size + authors.bytes() + 4*int64(len(authors.hashes))); err != nil {
			return err
		}
	}
	counts := s.distinct(len(authors.hashes))
	for i, m := range s.tally.Sum {
		if m == poststore.Authors {
			copy(s.sums[i], counts)
		}
	}
	return nil
}

// number finds out what its authors are in the sum.
func (c *partialAuthors) number(among *authorTable) {
	c.numbers = make([]uint32, len(c.authors))
	for _, author := range c.authorOf {
		if sum := c.authors[author]; c.numbers[author] == 0 && sum != (authorHash{}) {
			c.numbers[author] = 1 + among.add(sum)
		}
	}
}

// distinct returns how many of the authors each group has. Groups are gone through one
// after the other, and each author remembers the last that it was counted in.
func (s *tallySum) distinct(authors int) []int64 {
	counts := make([]int64, len(s.posts))
	last := make([]uint32, authors) // plus one
	starts, places := s.groupRefs()
	for group := range counts {
		for _, p := range places[starts[group]:starts[group+1]] {
			c := &s.authors[p.partial]
			for _, author := range c.at(p.group) {
				number := c.numbers[author]
				if number > 0 && last[number-1] != uint32(group)+1 {
					last[number-1] = uint32(group) + 1
					counts[group]++
				}
			}
		}
	}
	return counts
}

// A groupRef is where a group has authors.
type groupRef struct{ partial, group uint32 }

// groupRefs returns where the groups have authors, by group, and where those of each group
// start.
func (s *tallySum) groupRefs() (starts []uint32, places []groupRef) {
	starts = make([]uint32, len(s.posts)+2)
	for _, c := range s.authors {
		for _, group := range c.groups {
			starts[group+2]++
		}
	}
	for i := 2; i < len(starts); i++ {
		starts[i] += starts[i-1]
	}
	places = make([]groupRef, starts[len(starts)-1])
	for i, c := range s.authors {
		for local, group := range c.groups {
			places[starts[group+1]] = groupRef{uint32(i), uint32(local)}
			starts[group+1]++ // in the end where the next group starts
		}
	}
	return starts, places
}

// authorCounts are the posts of authors, for a tally that keeps the largest of them: only those
// are spelled, when all files are counted.
type authorCounts struct {
	numbers []uint32 // of authors in the dictionary; one may have the same sum as another
	hashOf  []uint32 // of their sums
	hashes  []authorHash
	cached  bool // the sums are the file's
	spell   func(number uint32) string
}

// keepsTopAuthors reports whether a tally keeps the largest of all authors, and nothing else.
func keepsTopAuthors(t *poststore.Tally) bool {
	return len(t.By) == 1 && t.By[0] == poststore.ByAuthor && t.Top > 0 && len(t.IncludeKeys) == 0 && !slices.Contains(t.Sum, poststore.Authors)
}

// planTopAuthors counts by authors.
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

// authorCounts returns the authors that have any posts.
func (g *grouper) authorCounts(f *Segment, authors *dictDim) (p partial) {
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
	a.hashOf, a.hashes, a.cached = f.hashAuthors(authors, codes)
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

// bytes returns how much memory the authors take.
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

// A topAuthors adds up the authors of several files.
type topAuthors struct {
	tally    *poststore.Tally
	table    *authorTable
	posts    []int64
	sums     [][]int64   // for each measure
	first    []authorRef // of each author
	segments []*authorCounts
}

// A authorRef is where an author is found: in which of the files, and the number there.
type authorRef struct{ segment, number uint32 }

// sumTopAuthors returns the rows of a tally that keeps the largest authors.
func sumTopAuthors(t *poststore.Tally, tally int, counts []*Counts) ([]poststore.Row, error) {
	most := 0
	for _, c := range counts {
		most = max(most, len(c.tallies[tally].posts))
	}
	s := &topAuthors{tally: t, table: newAuthorTable(most), sums: make([][]int64, len(t.Sum)), posts: make([]int64, 0, most), first: make([]authorRef, 0, most)}
	for m := range s.sums {
		s.sums[m] = make([]int64, 0, most)
	}
	meter := meter{budget: NewBudget(MaxQueryBytes)}
	if len(counts) > 0 {
		meter.budget = counts[0].budget
	}
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
	file := uint32(len(s.segments))
	s.segments = append(s.segments, p.topAuthors)
	for i, place := range p.topAuthors.hashOf {
		sum := p.topAuthors.hashes[place]
		if sum == (authorHash{}) {
			continue
		}
		author := s.table.add(sum)
		if int(author) == len(s.posts) {
			s.posts = append(s.posts, 0)
			s.first = append(s.first, authorRef{file, p.topAuthors.numbers[i]})
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

// rows returns the largest. It reads the files.
func (s *topAuthors) rows() []poststore.Row {
	large := topGroups(s.tally, s.posts, s.sums)
	var rows []poststore.Row
	for author, n := range s.posts {
		if !large(author) {
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
