package segment

import (
	"fmt"

	"earshot/internal/poststore/local/colfile"
)

// mergeTerms merges the dictionary of terms, the forward index and the posting lists.
func (m *merger) mergeTerms() error {
	postings, err := openAll(m, (*Segment).Sets, setPostings)
	if err != nil {
		return err
	}
	lists, err := openAll(m, (*Segment).Lists, listTokens)
	if err != nil {
		return err
	}
	renumber, n, err := m.mergeDictionary(dictTerm, func(i int, dict *colfile.Strings) (bitset, error) {
		return m.usedTerms(i, postings[i], dict), nil
	})
	if err != nil {
		return err
	}
	limit := n
	for i, l := range lists {
		limit = max(limit, l.Limit()) // the lists also contain positions of tags
		if terms := len(renumber[i]); postings[i].Len() != terms {
			return m.in[i].Segment.corrupt(setPostings, fmt.Sprintf("%d posting lists for %d terms", postings[i].Len(), terms))
		}
	}
	err = m.writeLists(listTokens, limit, lists, func(i int, words []uint32) bool {
		return renumberTokens(words, renumber[i])
	})
	if err != nil {
		return err
	}
	return m.firstError(m.w.Sets(setPostings, func(yield func(uint64, []uint32) bool) {
		m.mergePostings(postings, renumber, yield)
	}))
}

// usedTerms returns the terms that occur in rows that are not dropped.
func (m *merger) usedTerms(i int, postings *colfile.Sets, dict *colfile.Strings) bitset {
	used := newBitset(dict.Len())
	for term := range uint32(dict.Len()) {
		for row := range postings.Rows(uint64(term)) {
			if m.moved[i][row] != NoRow {
				used.set(term)
				break
			}
		}
	}
	return used
}

// A termCursor points to the next term of an input that has a new number.
type termCursor struct {
	input    int
	term     uint32
	number   uint32
	renumber []uint32
}

// advance moves to the next term at or after h.term that has a new number, and reports whether
// there is one.
func (h *termCursor) advance() bool {
	for ; int(h.term) < len(h.renumber); h.term++ {
		if h.number = h.renumber[h.term]; h.number != NoRow {
			return true
		}
	}
	return false
}

// mergePostings yields the posting list of each new term.
func (m *merger) mergePostings(postings []*colfile.Sets, renumber [][]uint32, yield func(uint64, []uint32) bool) {
	order := heap[*termCursor]{less: func(a, b *termCursor) bool {
		return a.number < b.number || a.number == b.number && a.input < b.input
	}}
	for i := range postings {
		if c := (&termCursor{input: i, term: 1, renumber: renumber[i]}); c.advance() {
			order.push(c)
		}
	}
	for more := yield(0, nil); more && len(order.items) > 0; { // term 0 separates texts and has no postings
		number := order.items[0].number
		if number%chunkRows == 0 && m.stopped() {
			return
		}
		m.sorter.reset()
		for len(order.items) > 0 && order.items[0].number == number {
			c := order.items[0]
			m.sorter.add(postings[c.input], uint64(c.term), m.moved[c.input])
			c.term++
			order.update(c.advance())
		}
		more = yield(uint64(number), m.sorter.sorted())
	}
}
