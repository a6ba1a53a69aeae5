package segment

import (
	"fmt"
	"iter"

	"earshot/internal/poststore/local/colfile"
)

// mergeTerms merges the dictionary of words, the words of posts, and the postings.
func (m *merger) mergeTerms() error {
	postings, err := m.openSets(setPostings)
	if err != nil {
		return err
	}
	lists, err := m.openLists(listTokens)
	if err != nil {
		return err
	}
	renumber, n, err := m.mergeDictionary(dictTerm, func(i int, of *colfile.Strings) (bitset, error) {
		return m.usedTerms(i, postings[i], of), nil
	})
	if err != nil {
		return err
	}
	limit := n
	for i, l := range lists {
		limit = max(limit, l.Limit()) // positions of tags are among the numbers
		if terms := len(renumber[i]); postings[i].Len() != terms {
			return m.in[i].Segment.corrupt(setPostings, fmt.Sprintf("%d sets for %d terms", postings[i].Len(), terms))
		}
	}
	err = m.writeLists(listTokens, limit, lists, func(i int, words []uint32) bool {
		return renumberTokens(words, renumber[i])
	})
	if err != nil {
		return err
	}
	return m.firstError(m.w.Sets(setPostings, m.mergePostings(postings, renumber)))
}

// usedTerms returns the terms of rows that are kept.
func (m *merger) usedTerms(i int, postings *colfile.Sets, of *colfile.Strings) bitset {
	used := newBitset(of.Len())
	for term := range uint32(of.Len()) {
		for row := range postings.Rows(uint64(term)) {
			if m.moved[i][row] != NoRow {
				used.set(term)
				break
			}
		}
	}
	return used
}

// renumberTokens is renumber for words that nobody has checked: it reports false when they
// have a term that there is no number for.
func renumberTokens(words, to []uint32) bool {
	tags, plain := splitTokens(words)
	for i := 1; i < len(tags); i += 2 {
		if int(tags[i]) >= len(to) || to[tags[i]] == NoRow {
			return false
		}
		tags[i] = to[tags[i]]
	}
	for i, term := range plain {
		if int(term) >= len(to) || to[term] == NoRow {
			return false
		}
		plain[i] = to[term]
	}
	return true
}

// A termCursor is the next term of an input that has a new number.
type termCursor struct {
	input    int
	term     uint32
	number   uint32
	renumber []uint32
}

// advance goes to the next term that is kept, from term on, and reports whether there is one.
func (h *termCursor) advance() bool {
	for ; int(h.term) < len(h.renumber); h.term++ {
		if h.number = h.renumber[h.term]; h.number != NoRow {
			return true
		}
	}
	return false
}

// mergePostings yields the rows of each new term.
func (m *merger) mergePostings(postings []*colfile.Sets, renumber [][]uint32) iter.Seq2[uint64, []uint32] {
	return func(yield func(uint64, []uint32) bool) {
		order := heap[*termCursor]{less: func(a, b *termCursor) bool {
			return a.number < b.number || a.number == b.number && a.input < b.input
		}}
		for i := range postings {
			if h := (&termCursor{input: i, term: 1, renumber: renumber[i]}); h.advance() {
				order.push(h)
			}
		}
		if !yield(0, nil) { // the place between texts
			return
		}
		for len(order.items) > 0 {
			number := order.items[0].number
			if number%4096 == 0 && !m.goesOn() {
				return
			}
			m.sorter.reset()
			for len(order.items) > 0 && order.items[0].number == number {
				h := order.items[0]
				m.sorter.add(postings[h.input], uint64(h.term), m.moved[h.input])
				if h.term++; h.advance() {
					order.fix()
				} else {
					order.pop()
				}
			}
			if !yield(uint64(number), m.sorter.sorted()) {
				return
			}
		}
	}
}
