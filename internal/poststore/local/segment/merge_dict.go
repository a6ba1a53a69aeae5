package segment

import (
	"bytes"
	"fmt"

	"earshot/internal/poststore/local/colfile"
)

// A dictCursor points to the next string in an input's dictionary.
type dictCursor struct {
	*colfile.Cursor
	prefix uint64 // first 8 bytes of the text, for fast comparison
	input  int
	used   bitset // ids to include; nil: all
}

// advance moves to the next string that is used and reports whether there is one.
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

// mergeDictionary writes the union of the inputs' dictionaries without unused strings. It returns
// the number of strings, and in renumber[i] the new id of each string of in[i], or NoRow. The empty
// string is always included with id 0.
func (m *merger) mergeDictionary(name string, used func(i int, dict *colfile.Strings) (bitset, error)) (renumber [][]uint32, n int, err error) {
	order := heap[*dictCursor]{less: (*dictCursor).precedes}
	for i, in := range m.in {
		s, err := in.Segment.Strings(name)
		if err != nil {
			return nil, 0, err
		}
		if s.Len() == 0 || s.At(0) != "" {
			return nil, 0, in.Segment.corrupt(name, "does not begin with the empty string")
		}
		h := &dictCursor{Cursor: s.Cursor(0), input: i}
		if in.Drop != nil && !in.Drop.IsEmpty() {
			if h.used, err = used(i, s); err != nil {
				return nil, 0, err
			}
		}
		to := make([]uint32, s.Len()) // the empty string keeps id 0
		for n := 1; n < len(to); n++ {
			to[n] = NoRow
		}
		renumber = append(renumber, to)
		if h.advance() {
			order.push(h)
		}
	}
	err = m.w.Strings(name, func(yield func([]byte) bool) {
		n = m.mergeStrings(&order, renumber, yield)
	})
	return renumber, n, m.firstError(err)
}

// mergeStrings yields each distinct string once, assigns its new id and returns the number of
// strings.
func (m *merger) mergeStrings(order *heap[*dictCursor], renumber [][]uint32, yield func([]byte) bool) (n int) {
	text := []byte{}
	for more := yield(text); more && len(order.items) > 0; {
		h := order.items[0]
		if !bytes.Equal(h.Text(), text) {
			text = append(text[:0], h.Text()...)
			n++
			if n%chunkRows == 0 && m.stopped() {
				return n
			}
			more = yield(text)
		}
		renumber[h.input][h.ID()] = uint32(n)
		order.update(h.advance())
	}
	return n + 1
}

func (m *merger) mergeNames(c dictColumn) error {
	renumber, _, err := m.mergeDictionary(c.dict, func(i int, dict *colfile.Strings) (bitset, error) {
		column, err := m.in[i].Segment.Uints(c.name)
		if err != nil {
			return nil, err
		}
		used := newBitset(dict.Len())
		for row, to := range m.moved[i] {
			if to == NoRow {
				continue
			}
			number := column.At(uint32(row))
			if number >= uint64(dict.Len()) {
				return nil, m.in[i].Segment.corrupt(c.name, fmt.Sprintf("dictionary id %d, but only %d entries", number, dict.Len()))
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
