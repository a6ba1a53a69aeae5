package segment

import (
	"slices"

	"earshot/internal/poststore"
	"earshot/internal/poststore/enginekit"
)

// Sum adds up what Count returned for the same tallies of several files, and returns the
// rows of each tally: largest first, ties in key order, cut as the tally says. No post may
// be counted in two files. The sums take memory out of the budget of the counts.
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

// SumTally returns what Sum returns for one of the tallies. Several may be added up at a time.
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

	keys    []interner       // of each dimension
	pairs   []*numbering     // for each dimension but the first: the group so far and the next key
	posts   []int64          // by group
	sums    [][]int64        // for each measure, by group
	authors []partialAuthors // of each partial, when there is a measure of authors
}

func newTallySum(t *poststore.Tally, counts []*Counts) *tallySum {
	s := &tallySum{tally: t, keys: make([]interner, len(t.By)), sums: make([][]int64, len(t.Sum))}
	s.meter.budget = NewBudget(MaxQueryBytes)
	if len(counts) > 0 {
		s.meter.budget = counts[0].budget
	}
	for i := range s.keys {
		s.keys[i].reset()
		s.pairs = append(s.pairs, newNumbering())
	}
	if len(t.By) == 0 {
		s.extend(1) // the one row is there also when nothing was counted
	}
	return s
}

// add adds a partial.
func (s *tallySum) add(p *partial) error {
	groups := s.groups(p)
	for i, group := range groups {
		s.posts[group] += int64(p.posts[i])
	}
	for m, figures := range p.sums {
		for i, n := range figures {
			s.sums[m][groups[i]] = poststore.SaturatingAdd(s.sums[m][groups[i]], n)
		}
	}
	if slices.Contains(s.tally.Sum, poststore.Authors) {
		s.authors = append(s.authors, partialAuthors{groupAuthors: &p.authors, groups: groups})
	}
	return s.meter.hold(s.bytes())
}

// groups returns which group of the sum each group of a partial is.
func (s *tallySum) groups(p *partial) []uint32 {
	groups := make([]uint32, len(p.posts))
	for dim := range s.keys {
		numbers := addKeys(&s.keys[dim], &p.keys[dim])
		for i, value := range p.keyIndex[dim] {
			if dim == 0 {
				groups[i] = numbers[value]
			} else {
				groups[i] = s.pairs[dim].number(uint64(groups[i])<<32 | uint64(numbers[value]))
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

// addKeys returns the number that each of the keys has among those of all partials.
func addKeys(among *interner, keys *keyList) []uint32 {
	numbers := make([]uint32, len(keys.ends))
	for i := range numbers {
		numbers[i] = among.add(keys.at(i))
	}
	return numbers
}

// extend makes room for so many groups.
func (s *tallySum) extend(groups int) {
	s.posts = extended(s.posts, groups)
	for i := range s.sums {
		s.sums[i] = extended(s.sums[i], groups)
	}
}

// bytes returns how much memory the sum takes.
func (s *tallySum) bytes() int64 {
	size := int64(cap(s.posts)) * 8 * int64(1+len(s.sums))
	for i := range s.keys {
		size += internerBytes(&s.keys[i]) + s.pairs[i].bytes()
	}
	for _, c := range s.authors {
		size += 4 * int64(len(c.groups))
	}
	return size
}

// internerBytes returns how much memory an interner takes.
func internerBytes(n *interner) int64 {
	return int64(cap(n.bytes)) + 8*int64(cap(n.ends)) + 4*int64(cap(n.hashes)+len(n.table))
}

// rows returns the rows of the tally, which are all that stays in the budget.
func (s *tallySum) rows() ([]poststore.Row, error) {
	large, kept := topGroups(s.tally, s.posts, s.sums), s.keptGroups()
	var groups []uint32
	for group, n := range s.posts {
		// A group without posts is the one of no dimension, or that of the empty key.
		if (large(group) || kept[uint32(group)]) && (n > 0 || len(s.keys) == 0) {
			groups = append(groups, uint32(group))
		}
	}
	size := int64(len(groups)) * int64(64+32*len(s.keys)+8*len(s.sums)) // keys are short
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

// keptGroups returns the groups that are kept however small they are.
func (s *tallySum) keptGroups() map[uint32]bool {
	groups := map[uint32]bool{}
	for _, key := range s.tally.IncludeKeys { // there is one dimension, so groups are its keys
		groups[s.keys[0].add([]byte(key))] = true
	}
	return groups
}

// takeFirst cuts the first n elements off a slice.
func takeFirst[T any](s *[]T, n int) []T {
	taken := (*s)[:n:n]
	*s = (*s)[n:]
	return taken
}

// spell sets the key of a group.
func (s *tallySum) spell(key []string, group uint32) {
	for dim := len(s.keys) - 1; dim >= 0; dim-- {
		value := group
		if dim > 0 {
			pair := s.pairs[dim].codes[group]
			group, value = uint32(pair>>32), uint32(pair)
		}
		key[dim] = string(s.keys[dim].text(value))
	}
}

// topGroups returns what tells whether a group may be among those that a tally keeps because
// their posts or sums are the largest.
func topGroups(t *poststore.Tally, posts []int64, sums [][]int64) func(group int) bool {
	least := topThreshold(posts, t.Top)
	if t.TopSum == 0 {
		return func(group int) bool { return posts[group] >= least }
	}
	leastSum := max(topThreshold(sums[0], t.TopSum), 1)
	return func(group int) bool { return posts[group] >= least || sums[0][group] >= leastSum }
}

// topThreshold returns how many posts a group has that is among the top ones, or a bit less;
// 0 when all groups are.
func topThreshold(posts []int64, top int) int64 {
	if top == 0 || top >= len(posts)/4 {
		return 0
	}
	largest := make([]int64, 0, 2*top) // now and then the lower half is thrown away
	least := int64(0)
	for _, n := range posts {
		if n <= least {
			continue
		}
		if largest = append(largest, n); len(largest) == cap(largest) {
			slices.Sort(largest)
			largest = append(largest[:0], largest[top:]...)
			least = largest[0]
		}
	}
	return least
}
