package poststore

import "slices"

// Cut puts rows in the order of a tally and leaves out those that it does not keep.
func (t *Tally) Cut(rows []Row) []Row {
	if t.Top == 0 || len(t.Keep) == 0 {
		return Largest(rows, t.Top)
	}
	all := Largest(rows, 0)
	kept := all[:min(t.Top, len(all))]
	for _, row := range all[len(kept):] {
		if slices.Contains(t.Keep, row.Key[0]) {
			kept = append(kept, row)
		}
	}
	return kept
}
