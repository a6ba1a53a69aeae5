package segment

import (
	"bytes"
	"fmt"

	"earshot/internal/poststore/local/colfile"
)

// A dictCursor is the next string of an input's dictionary.
type dictCursor struct {
	*colfile.Cursor
	prefix uint64 // of the text
	input  int
	used   bitset
}

// advance goes to the next string that is used, and reports whether there is one.
func (h *dictCursor) advance() bool {
	for h.Next() {
		if h.used == nil || h.used.has(h.ID()) {
			h.prefix = prefix64(h.Text())
			return true
		}
	}
	return false
}

func (h *dictCursor) precedes(other *dictCursor) bool {
	if h.prefix != other.prefix {
		return h.prefix < other.prefix
	}
	return bytes.Compare(h.Text(), other.Text()) < 0
}

// mergeDictionary writes one dictionary of all inputs' ones, without the strings that are
// not used. renumber[i] has the new number of each string of in[i], or Gone. The empty
// string stays, and stays the first.
func (m *merger) mergeDictionary(name string, used func(i int, of *colfile.Strings) (bitset, error)) (renumber [][]uint32, n int, err error) {
	order := heap[*dictCursor]{less: (*dictCursor).precedes}
	for i, in := range m.in {
		s, err := in.Segment.Strings(name)
		if err != nil {
			return nil, 0, err
		}
		if s.Len() == 0 || s.At(0) != "" {
			return nil, 0, in.Segment.corrupt(name, "it does not begin with the empty string")
		}
		h := &dictCursor{Cursor: s.Cursor(0), input: i}
		if m.dropsAny(i) {
			if h.used, err = used(i, s); err != nil {
				return nil, 0, err
			}
		}
		renumber = append(renumber, newRenumber(s.Len()))
		if h.advance() {
			order.push(h)
		}
	}
	err = m.w.Strings(name, func(yield func([]byte) bool) {
		n = m.mergeStrings(&order, renumber, yield)
	})
	return renumber, n, m.firstError(err)
}

// newRenumber returns the new numbers of strings none of which has one yet, but the
// first, which is the empty one.
func newRenumber(n int) []uint32 {
	to := make([]uint32, n)
	for i := 1; i < n; i++ {
		to[i] = NoRow
	}
	return to
}

// mergeStrings yields each string once, numbers it and returns how many there are.
func (m *merger) mergeStrings(order *heap[*dictCursor], renumber [][]uint32, yield func([]byte) bool) (n int) {
	text := []byte{}
	for more := yield(text); more && len(order.items) > 0; {
		h := order.items[0]
		if !bytes.Equal(h.Text(), text) {
			text = append(text[:0], h.Text()...)
			n++
			if n%4096 == 0 && !m.goesOn() {
				return n
			}
			more = yield(text)
		}
		renumber[h.input][h.ID()] = uint32(n)
		if h.advance() {
			order.fix()
		} else {
			order.pop()
		}
	}
	return n + 1
}

func (m *merger) mergeNames(c dictColumn) error {
	renumber, _, err := m.mergeDictionary(c.dict, func(i int, of *colfile.Strings) (bitset, error) {
		column, err := m.in[i].Segment.Uints(c.name)
		if err != nil {
			return nil, err
		}
		used := newBitset(of.Len())
		for row, to := range m.moved[i] {
			if to == NoRow {
				continue
			}
			number := column.At(uint32(row))
			if number >= uint64(of.Len()) {
				return nil, m.in[i].Segment.corrupt(c.name, fmt.Sprintf("number %d of %d names", number, of.Len()))
			}
			used.set(uint32(number))
		}
		return used, nil
	})
	if err != nil {
		return err
	}
	return m.mergeColumn(c.name, renumber)
}

// A bitset is a set of small numbers.
type bitset []uint64

func newBitset(n int) bitset { return make(bitset, (n+63)/64) }

func (s bitset) set(i uint32)      { s[i/64] |= 1 << (i % 64) }
func (s bitset) has(i uint32) bool { return s[i/64]&(1<<(i%64)) != 0 }
