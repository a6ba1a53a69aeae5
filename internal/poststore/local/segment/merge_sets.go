package segment

import (
	"cmp"
	"math/bits"
	"slices"

	"github.com/RoaringBitmap/roaring/v2"

	"earshot/internal/poststore"
	"earshot/internal/poststore/local/colfile"
)

func (m *merger) mergeFlags() error {
	sets, err := openAll(m, (*Segment).Sets, setFlags)
	if err != nil {
		return err
	}
	return m.w.Sets(setFlags, func(yield func(uint64, []uint32) bool) {
		for flag := range uint64(len(flags)) {
			m.sorter.reset()
			for i, s := range sets {
				if also := m.in[i].EverMatched; flag == flagEverMatched && also != nil {
					m.sorter.addBitmap(roaring.Or(s.Bitmap(flag), also), m.moved[i])
				} else {
					m.sorter.add(s, flag, m.moved[i])
				}
			}
			if !yield(flag, m.sorter.sorted()) {
				return
			}
		}
	})
}

// mergeSets merges the sets of rows and drops empty ones.
func (m *merger) mergeSets() error {
	sets, err := openAll(m, (*Segment).Sets, setMonitors)
	if err != nil {
		return err
	}
	return m.firstError(m.w.Sets(setMonitors, func(yield func(uint64, []uint32) bool) {
		for _, id := range m.setIDs(sets) {
			if m.stopped() {
				return
			}
			m.sorter.reset()
			for i, in := range m.in {
				if set := in.Overrides[id]; set != nil {
					m.sorter.addBitmap(set, m.moved[i])
				} else {
					m.sorter.add(sets[i], uint64(id), m.moved[i])
				}
			}
			if rows := m.sorter.sorted(); len(rows) > 0 && !yield(uint64(id), rows) {
				return
			}
		}
	}))
}

// setIDs returns all sets that may have rows, in ascending order.
func (m *merger) setIDs(sets []*colfile.Sets) []poststore.SetID {
	var ids []poststore.SetID
	for i, s := range sets {
		for key := range s.Keys() {
			ids = append(ids, poststore.SetID(key))
		}
		for id := range m.in[i].Overrides {
			ids = append(ids, id)
		}
	}
	slices.SortFunc(ids, func(a, b poststore.SetID) int { return cmp.Compare(uint64(a), uint64(b)) })
	return slices.Compact(ids)
}

// A rowSorter sorts the new rows of several inputs. The rows of one input are in order, and often
// those of all inputs together are, too.
type rowSorter struct {
	rows     []uint32
	unsorted bool
	bits     []uint64 // one bit per row; all zero between uses
	nonzero  []uint64 // one bit per word in bits, set if the word is not zero
}

func newRowSorter(rows int) rowSorter {
	words := (rows + 63) / 64
	return rowSorter{bits: make([]uint64, words), nonzero: make([]uint64, (words+63)/64)}
}

func (s *rowSorter) reset() { s.rows, s.unsorted = s.rows[:0], false }

// add adds those rows of an input's set that are not dropped.
func (s *rowSorter) add(set *colfile.Sets, key uint64, moved []uint32) {
	from := len(s.rows)
	s.rows = set.Append(s.rows, key)
	s.move(from, moved)
}

// addBitmap is add for a bitmap. It ignores rows beyond the end of the input.
func (s *rowSorter) addBitmap(set *roaring.Bitmap, moved []uint32) {
	from := len(s.rows)
	for row := range roaring.Values(set) {
		if int(row) >= len(moved) {
			break
		}
		s.rows = append(s.rows, row)
	}
	s.move(from, moved)
}

// move replaces the rows of an input, which start at index from, with their new rows.
func (s *rowSorter) move(from int, moved []uint32) {
	kept := s.rows[:from]
	for _, row := range s.rows[from:] {
		if to := moved[row]; to != NoRow {
			kept = append(kept, to)
		}
	}
	s.rows = kept
	if from > 0 && from < len(kept) && kept[from] < kept[from-1] {
		s.unsorted = true
	}
}

// sorted returns the rows in ascending order. The slice is valid until the next reset.
func (s *rowSorter) sorted() []uint32 {
	switch {
	case !s.unsorted:
	case len(s.rows) < 16:
		slices.Sort(s.rows)
	default:
		s.sortByBits()
	}
	return s.rows
}

// sortByBits sorts rows by setting their bits and reading the bits in order. The cost does not
// depend on the initial order.
func (s *rowSorter) sortByBits() {
	for _, row := range s.rows {
		s.bits[row/64] |= 1 << (row % 64)
		s.nonzero[row/64/64] |= 1 << (row / 64 % 64)
	}
	rows := s.rows[:0]
	for i, words := range s.nonzero {
		for ; words != 0; words &= words - 1 {
			at := uint32(i*64 + bits.TrailingZeros64(words))
			for word := s.bits[at]; word != 0; word &= word - 1 {
				rows = append(rows, at*64+uint32(bits.TrailingZeros64(word)))
			}
			s.bits[at] = 0
		}
		s.nonzero[i] = 0
	}
	s.rows = rows
}
