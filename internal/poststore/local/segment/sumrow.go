package segment

import (
	"slices"

	"earshot/internal/poststore"
)

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
	rows = s.tally.Cut(rows)
	return rows, s.meter.hold(size * int64(len(rows)) / int64(max(len(groups), 1)))
}

// keptGroups returns the groups that are kept however small they are.
func (s *tallySum) keptGroups() map[uint32]bool {
	groups := map[uint32]bool{}
	for _, key := range s.tally.Keep { // there is one dimension, so groups are its keys
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
