package segment

import (
	"math/bits"
	"slices"

	"github.com/RoaringBitmap/roaring/v2"

	"earshot/internal/poststore/local/colfile"
)

// A rowSorter brings rows of several inputs into the order of the new file. The rows of
// one input come in order already, and often those of all of them do.
type rowSorter struct {
	rows     []uint32
	unsorted bool
	bits     []uint64 // a bit for each row; all zero in between
	nonzero  []uint64 // a bit for each of marks that is not zero
}

func newRowSorter(rows int) rowSorter {
	marks := (rows + 63) / 64
	return rowSorter{bits: make([]uint64, marks), nonzero: make([]uint64, (marks+63)/64)}
}

func (s *rowSorter) reset() { s.rows, s.unsorted = s.rows[:0], false }

// add takes the rows of a set of an input, as far as they are kept.
func (s *rowSorter) add(set *colfile.Sets, key uint64, moved []uint32) {
	from := len(s.rows)
	s.rows = set.Append(s.rows, key)
	s.move(from, moved)
}

// addBitmap is add for a bitmap. Rows that the input does not have are left out.
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

// move replaces the rows of an input, which begin with one, by where they went.
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

// sorted returns the rows. They are overwritten after the next reset.
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

// sortByBits sorts by marking the rows and reading the marks in order: what it costs does
// not depend on how they came.
func (s *rowSorter) sortByBits() {
	for _, row := range s.rows {
		s.bits[row/64] |= 1 << (row % 64)
		s.nonzero[row/64/64] |= 1 << (row / 64 % 64)
	}
	rows := s.rows[:0]
	for i, words := range s.nonzero {
		for ; words != 0; words &= words - 1 {
			at := uint32(i*64 + bits.TrailingZeros64(words))
			for mark := s.bits[at]; mark != 0; mark &= mark - 1 {
				rows = append(rows, at*64+uint32(bits.TrailingZeros64(mark)))
			}
			s.bits[at] = 0
		}
		s.nonzero[i] = 0
	}
	s.rows = rows
}
