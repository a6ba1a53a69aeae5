package segment

import "earshot/internal/poststore"

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
