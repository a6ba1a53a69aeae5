package poststore

import (
	"cmp"
	"encoding/binary"
	"slices"
	"strings"
)

// TopRows returns the first top rows in tally order: most posts first, ties by key. If top is 0, it
// returns all rows.
func TopRows(rows []Row, top int) []Row {
	if top == 0 || top > len(rows) {
		top = len(rows)
	}
	// A tally may have a million rows, so only candidates for the top rows are sorted, each time
	// twice as many have accumulated.
	best := make([]candidate, 0, min(2*top, len(rows)))
	full := false
	for i := range rows {
		c := candidate{rows[i].Posts, head(&rows[i]), &rows[i]}
		if full && best[top-1].compare(c) < 0 {
			continue
		}
		if best = append(best, c); len(best) == 2*top {
			slices.SortFunc(best, candidate.compare)
			best, full = best[:top], true
		}
	}
	slices.SortFunc(best, candidate.compare)
	largest := make([]Row, min(top, len(best)))
	for i := range largest {
		largest[i] = *best[i].row
	}
	return largest
}

// A candidate is a row with the values that decide almost every comparison. Comparing full keys
// takes several times as long.
type candidate struct {
	posts int64
	head  uint64
	row   *Row
}

func (c candidate) compare(d candidate) int {
	if c.posts != d.posts {
		return cmp.Compare(d.posts, c.posts)
	}
	if c.head != d.head {
		return cmp.Compare(c.head, d.head)
	}
	return slices.CompareFunc(c.row.Key, d.row.Key, strings.Compare)
}

// head returns the first 8 bytes of the key as a number with the same sort order.
func head(r *Row) uint64 {
	var b [8]byte
	if len(r.Key) > 0 {
		copy(b[:], r.Key[0])
	}
	return binary.BigEndian.Uint64(b[:])
}
