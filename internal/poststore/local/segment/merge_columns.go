package segment

import (
	"fmt"

	"earshot/internal/poststore/local/colfile"
)

// window is how many rows of a column are filled in at once, from all inputs: what they
// take stays in the processor's cache.
const window = 1 << 15

// mergeNumbers merges a column of numbers.
func (m *merger) mergeNumbers(name string) error { return m.mergeColumn(name, nil) }

// mergeColumn merges a column. Its numbers are replaced by what renumber has for them, for
// each input, unless that is nil.
func (m *merger) mergeColumn(name string, renumber [][]uint32) error {
	columns := make([]*colfile.Uints, len(m.in))
	for i, in := range m.in {
		c, err := in.Segment.Uints(name)
		if err != nil {
			return err
		}
		if renumber != nil && in.Segment.Rows() > 0 && c.Max() >= uint64(len(renumber[i])) {
			return in.Segment.corrupt(name, fmt.Sprintf("number %d of %d names", c.Max(), len(renumber[i])))
		}
		columns[i] = c
	}
	next := make([]int, len(m.in))
	for end := uint32(0); int(end) < len(m.column); {
		if !m.goesOn() {
			return m.err
		}
		end = uint32(min(int(end)+window, len(m.column)))
		for i, c := range columns {
			s := transfer{to: m.column, moved: m.moved[i], from: next[i], end: end, base: c.Base()}
			if renumber != nil {
				s.renumber = renumber[i]
			}
			c.Visit(
				func(v []uint8) { next[i] = move(s, v) },
				func(v []uint16) { next[i] = move(s, v) },
				func(v []uint32) { next[i] = move(s, v) },
				func(v []uint64) { next[i] = move(s, v) })
		}
	}
	return m.w.Uints(name, colfile.Values(m.column))
}

// A transfer says which rows of an input go where: those from one on that go to rows
// before end.
type transfer struct {
	to       []uint64
	moved    []uint32
	from     int
	end      uint32
	base     uint64
	renumber []uint32
}

// move does it, and returns the first row that was not moved.
func move[T uint8 | uint16 | uint32 | uint64](s transfer, values []T) int {
	moved := s.moved[:len(values)]
	for row := s.from; row < len(values); row++ {
		to := moved[row]
		if to >= s.end {
			if to == NoRow {
				continue
			}
			return row
		}
		v := s.base + uint64(values[row])
		if s.renumber != nil {
			v = uint64(s.renumber[v])
		}
		s.to[to] = v
	}
	return len(values)
}

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

// mergeURLRuns merges the positions of addresses among the words.
func (m *merger) mergeURLRuns() error {
	all, err := m.openLists(listURLRuns)
	if err != nil {
		return err
	}
	limit := 0
	for _, l := range all {
		limit = max(limit, l.Limit())
	}
	return m.writeLists(listURLRuns, limit, all, func(int, []uint32) bool { return true })
}
