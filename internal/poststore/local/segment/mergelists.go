package segment

import (
	"fmt"

	"earshot/internal/poststore/local/colfile"
)

func (m *merger) mergeLists(c listColumn) error {
	lists, err := m.openLists(c.name)
	if err != nil {
		return err
	}
	renumber, n, err := m.mergeDictionary(c.dict, func(i int, of *colfile.Strings) (bitset, error) {
		return m.usedInLists(i, lists[i], of, c.name)
	})
	if err != nil {
		return err
	}
	return m.writeLists(c.name, n, lists, func(i int, list []uint32) bool {
		for at, number := range list {
			if int(number) >= len(renumber[i]) || renumber[i][number] == NoRow {
				return false
			}
			list[at] = renumber[i][number]
		}
		return true
	})
}

func (m *merger) openLists(name string) ([]*colfile.Lists, error) {
	lists := make([]*colfile.Lists, len(m.in))
	for i, in := range m.in {
		l, err := in.Segment.Lists(name)
		if err != nil {
			return nil, err
		}
		lists[i] = l
	}
	return lists, nil
}

// usedInLists returns the numbers that rows have which are kept.
func (m *merger) usedInLists(i int, lists *colfile.Lists, of *colfile.Strings, name string) (bitset, error) {
	used := newBitset(of.Len())
	var list []uint32
	reader := lists.Reader()
	for row, to := range m.moved[i] {
		if to == NoRow {
			continue
		}
		list = reader.Append(list[:0], uint32(row))
		for _, number := range list {
			if int(number) >= of.Len() {
				return nil, m.in[i].Segment.corrupt(name, fmt.Sprintf("row %d: number %d of %d names", row, number, of.Len()))
			}
			used.set(number)
		}
	}
	return used, nil
}

// writeLists writes the lists of all rows, with numbers that renumber replaces. It reports
// false for numbers that there are no names for.
func (m *merger) writeLists(name string, limit int, lists []*colfile.Lists, renumber func(i int, list []uint32) bool) error {
	readers := make([]*colfile.ListReader, len(lists))
	for i, l := range lists {
		readers[i] = l.Reader()
	}
	var list []uint32
	all := func(yield func([]uint32) bool) {
		for i, row := range m.rows() {
			list = readers[i].Append(list[:0], row)
			if !renumber(i, list) {
				m.fail(m.in[i].Segment.corrupt(name, fmt.Sprintf("row %d has numbers without a name", row)))
				return
			}
			if !yield(list) {
				return
			}
		}
	}
	return m.firstError(m.w.Lists(name, limit, all))
}
