package segment

import (
	"slices"

	"earshot/internal/poststore"
	"earshot/internal/poststore/enginekit"
)

// Sum adds up the [Counts] of several segments for the same tallies and returns the rows of each
// tally, most posts first, ties by key, truncated according to the tally. No post may be counted in
// more than one segment. Sums count toward the budget of the counts.
func Sum(ts []poststore.Tally, counts []*Counts) ([][]poststore.Row, error) {
	all := make([][]poststore.Row, len(ts))
	for i := range ts {
		var err error
		if all[i], err = SumTally(ts, i, counts); err != nil {
			return nil, err
		}
	}
	return all, nil
}

// SumTally is [Sum] for a single tally. Several tallies may be added up concurrently.
func SumTally(ts []poststore.Tally, i int, counts []*Counts) ([]poststore.Row, error) {
	switch t := &ts[i]; {
	case slices.Contains(t.By, poststore.ByEthnicity):
		return sumEthnicity(i, counts), nil
	case keepsTopAuthors(t):
		return sumTopAuthors(t, i, counts)
	}
	s := newTallySum(&ts[i], counts)
	for _, c := range counts {
		if err := s.add(&c.tallies[i]); err != nil {
			return nil, err
		}
	}
	if err := s.countAuthors(); err != nil {
		return nil, err
	}
	return s.rows()
}

// A tallySum adds up the partials of one tally.
type tallySum struct {
	tally *poststore.Tally
	meter meter

	keys    []interner       // indexed by dimension
	pairs   []*numbering     // indexed by dimension, unused for the first: numbers pairs (group so far, next key)
	posts   []int64          // indexed by group
	sums    [][]int64        // indexed by measure and group
	authors []partialAuthors // indexed by partial; set if a measure is Authors
}

func newTallySum(t *poststore.Tally, counts []*Counts) *tallySum {
	s := &tallySum{tally: t, keys: make([]interner, len(t.By)), sums: make([][]int64, len(t.Sum))}
	s.meter.budget = budgetOf(counts)
	for i := range s.keys {
		s.keys[i].reset()
		s.pairs = append(s.pairs, newNumbering())
	}
	if len(t.By) == 0 {
		s.extend(1) // the only row exists even if nothing was counted
	}
	return s
}

// budgetOf returns the budget that the counts of a query share.
func budgetOf(counts []*Counts) *Budget {
	if len(counts) == 0 {
		return NewBudget(MaxQueryBytes)
	}
	return counts[0].budget
}

func (s *tallySum) add(p *partial) error {
	groups := s.groups(p)
	for i, group := range groups {
		s.posts[group] += int64(p.posts[i])
	}
	for m, sums := range p.sums {
		for i, n := range sums {
			s.sums[m][groups[i]] = poststore.SaturatingAdd(s.sums[m][groups[i]], n)
		}
	}
	if slices.Contains(s.tally.Sum, poststore.Authors) {
		s.authors = append(s.authors, partialAuthors{groupAuthors: &p.authors, groups: groups})
	}
	return s.meter.hold(s.bytes())
}

// groups returns the group in the sum for each group of a partial.
func (s *tallySum) groups(p *partial) []uint32 {
	groups := make([]uint32, len(p.posts))
	for dim := range s.keys {
		numbers := make([]uint32, len(p.keys[dim].ends)) // maps the partial's keys to all keys
		for i := range numbers {
			numbers[i] = s.keys[dim].add(p.keys[dim].at(i))
		}
		for i, key := range p.keyIndex[dim] {
			if dim == 0 {
				groups[i] = numbers[key]
			} else {
				groups[i] = s.pairs[dim].number(uint64(groups[i])<<32 | uint64(numbers[key]))
			}
		}
	}
	switch last := len(s.keys) - 1; last {
	case -1:
	case 0:
		s.extend(s.keys[0].len())
	default:
		s.extend(len(s.pairs[last].codes))
	}
	return groups
}

// extend grows the counts and sums to the given number of groups.
func (s *tallySum) extend(groups int) {
	s.posts = extended(s.posts, groups)
	for i := range s.sums {
		s.sums[i] = extended(s.sums[i], groups)
	}
}

// bytes returns the memory used by the sum.
func (s *tallySum) bytes() int64 {
	size := int64(cap(s.posts)) * 8 * int64(1+len(s.sums))
	for i := range s.keys {
		k := &s.keys[i]
		size += int64(cap(k.bytes)) + 8*int64(cap(k.ends)) + 4*int64(cap(k.hashes)+len(k.table)) + s.pairs[i].bytes()
	}
	for i := range s.authors {
		size += 4 * int64(len(s.authors[i].groups))
	}
	return size
}

// rows returns the rows of the tally. Afterward only they count toward the budget.
func (s *tallySum) rows() ([]poststore.Row, error) {
	isTop := topGroups(s.tally, s.posts, s.sums)
	keep := map[uint32]bool{}
	for _, key := range s.tally.IncludeKeys { // with a single dimension, groups are keys
		keep[s.keys[0].add([]byte(key))] = true
	}
	var groups []uint32
	for group, n := range s.posts {
		// Without dimensions there is one group, which may have no posts. Otherwise only the group
		// of the empty key has no posts.
		if (isTop(group) || keep[uint32(group)]) && (n > 0 || len(s.keys) == 0) {
			groups = append(groups, uint32(group))
		}
	}
	size := int64(len(groups)) * int64(64+32*len(s.keys)+8*len(s.sums)) // assumes short keys
	if err := s.meter.hold(s.bytes() + size); err != nil {
		return nil, err
	}
	rows := make([]poststore.Row, len(groups))
	keys := make([]string, len(groups)*len(s.keys))
	sums := make([]int64, len(groups)*len(s.sums))
	for i, group := range groups {
		rows[i] = poststore.Row{Key: takeFirst(&keys, len(s.keys)), Posts: s.posts[group], Sums: takeFirst(&sums, len(s.sums))}
		s.spell(rows[i].Key, group)
		for m := range s.sums {
			rows[i].Sums[m] = s.sums[m][group]
		}
	}
	rows = enginekit.Truncate(s.tally, rows)
	return rows, s.meter.hold(size * int64(len(rows)) / int64(max(len(groups), 1)))
}

// takeFirst removes the first n elements from a slice and returns them.
func takeFirst[T any](s *[]T, n int) []T {
	taken := (*s)[:n:n]
	*s = (*s)[n:]
	return taken
}

// spell sets key to the key of a group.
func (s *tallySum) spell(key []string, group uint32) {
	for dim := len(s.keys) - 1; dim >= 0; dim-- {
		number := group
		if dim > 0 {
			pair := s.pairs[dim].codes[group]
			group, number = uint32(pair>>32), uint32(pair)
		}
		key[dim] = string(s.keys[dim].text(number))
	}
}

// topGroups returns a function that reports whether a group may be among the largest by posts or by
// sum, and so among the rows that the tally returns.
func topGroups(t *poststore.Tally, posts []int64, sums [][]int64) func(group int) bool {
	minPosts := topThreshold(posts, t.Top)
	if t.TopSum == 0 {
		return func(group int) bool { return posts[group] >= minPosts }
	}
	minSum := max(topThreshold(sums[0], t.TopSum), 1)
	return func(group int) bool { return posts[group] >= minPosts || sums[0][group] >= minSum }
}

// topThreshold returns a lower bound on the posts of the top groups, or 0 if there are few groups.
func topThreshold(posts []int64, top int) int64 {
	if top == 0 || top >= len(posts)/4 {
		return 0
	}
	largest := make([]int64, 0, 2*top) // when it is full, the lower half is dropped
	threshold := int64(0)
	for _, n := range posts {
		if n <= threshold {
			continue
		}
		if largest = append(largest, n); len(largest) == cap(largest) {
			slices.Sort(largest)
			largest = append(largest[:0], largest[top:]...)
			threshold = largest[0]
		}
	}
	return threshold
}
