package segment

import (
	"fmt"

	"earshot/internal/poststore/local/colfile"
)

// window is the number of rows of a column that are filled from all inputs before moving on. It is
// small enough for the CPU cache.
const window = 1 << 15

// mergeColumn merges a column of numbers. If renumber is not nil, it maps the numbers of each input
// to new numbers.
func (m *merger) mergeColumn(name string, renumber [][]uint32) error {
	columns, err := openAll(m, (*Segment).Uints, name)
	if err != nil {
		return err
	}
	for i, c := range columns {
		if s := m.in[i].Segment; renumber != nil && s.Rows() > 0 && c.Max() >= uint64(len(renumber[i])) {
			return s.corrupt(name, fmt.Sprintf("dictionary id %d, but only %d entries", c.Max(), len(renumber[i])))
		}
	}
	next := make([]int, len(m.in))
	for end := uint32(0); int(end) < len(m.column); {
		if m.stopped() {
			return m.err
		}
		end = uint32(min(int(end)+window, len(m.column)))
		for i, c := range columns {
			t := transfer{to: m.column, moved: m.moved[i], from: next[i], end: end, base: c.Base()}
			if renumber != nil {
				t.renumber = renumber[i]
			}
			c.Visit(
				func(v []uint8) { next[i] = move(t, v) },
				func(v []uint16) { next[i] = move(t, v) },
				func(v []uint32) { next[i] = move(t, v) },
				func(v []uint64) { next[i] = move(t, v) })
		}
	}
	return m.w.Uints(name, colfile.Values(m.column))
}

// A transfer copies the values of an input's rows, beginning at from, as long as their new rows are
// before end.
type transfer struct {
	to       []uint64
	moved    []uint32
	from     int
	end      uint32
	base     uint64
	renumber []uint32
}

// move copies values and returns the first row that it did not copy.
func move[T uint8 | uint16 | uint32 | uint64](t transfer, values []T) int {
	moved := t.moved[:len(values)]
	for row := t.from; row < len(values); row++ {
		to := moved[row]
		if to >= t.end {
			if to == NoRow {
				continue
			}
			return row
		}
		v := t.base + uint64(values[row])
		if t.renumber != nil {
			v = uint64(t.renumber[v])
		}
		t.to[to] = v
	}
	return len(values)
}

func (m *merger) mergeLists(c listColumn) error {
	lists, err := openAll(m, (*Segment).Lists, c.name)
	if err != nil {
		return err
	}
	renumber, n, err := m.mergeDictionary(c.dict, func(i int, dict *colfile.Strings) (bitset, error) {
		return m.usedInLists(i, lists[i], dict, c.name)
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

// usedInLists returns the numbers that occur in the lists of rows that are not dropped.
func (m *merger) usedInLists(i int, lists *colfile.Lists, dict *colfile.Strings, name string) (bitset, error) {
	used := newBitset(dict.Len())
	var list []uint32
	reader := lists.Reader()
	for row, to := range m.moved[i] {
		if to == NoRow {
			continue
		}
		list = reader.Append(list[:0], uint32(row))
		for _, number := range list {
			if int(number) >= dict.Len() {
				return nil, m.in[i].Segment.corrupt(name, fmt.Sprintf("row %d: dictionary id %d, but only %d entries", row, number, dict.Len()))
			}
			used.set(number)
		}
	}
	return used, nil
}

// writeLists writes the lists of all rows after renumber has replaced their numbers in place.
// renumber returns false if a number has no name.
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
				m.fail(m.in[i].Segment.corrupt(name, fmt.Sprintf("row %d has ids that are not in the dictionary", row)))
				return
			}
			if !yield(list) {
				return
			}
		}
	}
	return m.firstError(m.w.Lists(name, limit, all))
}

// mergeURLRuns merges the positions of URLs among the tokens.
func (m *merger) mergeURLRuns() error {
	all, err := openAll(m, (*Segment).Lists, listURLRuns)
	if err != nil {
		return err
	}
	limit := 0
	for _, l := range all {
		limit = max(limit, l.Limit())
	}
	return m.writeLists(listURLRuns, limit, all, func(int, []uint32) bool { return true })
}
