package poststore

import (
	"cmp"
	"slices"
)

// Truncate puts rows in the order of a tally and leaves out those that it does not keep.
func (t *Tally) Truncate(rows []Row) []Row {
	if t.Top == 0 || len(t.IncludeKeys) == 0 && t.TopSum == 0 {
		return TopRows(rows, t.Top)
	}
	all := TopRows(rows, 0)
	summed := t.largestSums(all)
	top := min(t.Top, len(all))
	kept := all[:top]
	for i := top; i < len(all); i++ {
		if summed[i] || len(t.IncludeKeys) > 0 && slices.Contains(t.IncludeKeys, all[i].Key[0]) {
			kept = append(kept, all[i]) // at i or before it
		}
	}
	return kept
}

// largestSums returns the places of the TopSum rows, which are in order, whose first sum is
// largest.
func (t *Tally) largestSums(rows []Row) map[int]bool {
	var places []int
	for i := range rows {
		if t.TopSum > 0 && rows[i].Sums[0] > 0 {
			places = append(places, i)
		}
	}
	slices.SortStableFunc(places, func(a, b int) int { return cmp.Compare(rows[b].Sums[0], rows[a].Sums[0]) })
	largest := map[int]bool{}
	for _, place := range places[:min(t.TopSum, len(places))] {
		largest[place] = true
	}
	return largest
}
