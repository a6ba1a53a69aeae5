package segment

import "earshot/internal/poststore"

// crowdOf is the authors of a partial's groups.
type crowdOf struct {
	*members
	groups  []uint32 // what its groups are in the sum
	numbers []uint32 // what its authors are in the sum, plus one; 0: none of them, or no author
}

// countAuthors sets the sums that are of authors. An author is one by the key, in
// whatever files and however often.
func (s *sum) countAuthors() error {
	if len(s.crowds) == 0 {
		return nil
	}
	most := 0
	for i := range s.crowds {
		most = max(most, min(len(s.crowds[i].authors), len(s.crowds[i].of)))
	}
	authors := newSumTable(most)
	size := s.bytes()
	for i := range s.crowds {
		c := &s.crowds[i]
		c.number(authors)
		size += 4*int64(len(c.numbers)) + 8*int64(len(c.groups))
		if err := s.meter.hold(size + authors.bytes() + 4*int64(len(authors.sums))); err != nil {
			return err
		}
	}
	counts := s.distinct(len(authors.sums))
	for i, m := range s.tally.Sum {
		if m == poststore.Authors {
			copy(s.sums[i], counts)
		}
	}
	return nil
}

// number finds out what its authors are in the sum.
func (c *crowdOf) number(among *sumTable) {
	c.numbers = make([]uint32, len(c.authors))
	for _, author := range c.of {
		if sum := c.authors[author]; c.numbers[author] == 0 && sum != (authorSum{}) {
			c.numbers[author] = 1 + among.add(sum)
		}
	}
}

// distinct returns how many of the authors each group has. Groups are gone through one
// after the other, and each author remembers the last that it was counted in.
func (s *sum) distinct(authors int) []int64 {
	counts := make([]int64, len(s.posts))
	last := make([]uint32, authors) // plus one
	starts, places := s.places()
	for group := range counts {
		for _, p := range places[starts[group]:starts[group+1]] {
			c := &s.crowds[p.crowd]
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

// A place is where a group has authors.
type place struct{ crowd, group uint32 }

// places returns where the groups have authors, by group, and where those of each group
// start.
func (s *sum) places() (starts []uint32, places []place) {
	starts = make([]uint32, len(s.posts)+2)
	for _, c := range s.crowds {
		for _, group := range c.groups {
			starts[group+2]++
		}
	}
	for i := 2; i < len(starts); i++ {
		starts[i] += starts[i-1]
	}
	places = make([]place, starts[len(starts)-1])
	for i, c := range s.crowds {
		for local, group := range c.groups {
			places[starts[group+1]] = place{uint32(i), uint32(local)}
			starts[group+1]++ // in the end where the next group starts
		}
	}
	return starts, places
}
