package segment

import (
	"iter"
	"slices"

	"earshot/internal/poststore/local/colfile"
	"earshot/internal/query"
)

// listBuilder is a list of numbers for each row, one behind the other.
type listBuilder struct {
	numbers []uint32
	ends    []int
}

func (l *listBuilder) reset() { l.numbers, l.ends = l.numbers[:0], l.ends[:0] }

// end ends the list of a row: what was appended to numbers since the last one.
func (l *listBuilder) end() { l.ends = append(l.ends, len(l.numbers)) }

// limit returns what all numbers are below.
func (l *listBuilder) limit() int {
	if len(l.numbers) == 0 {
		return 0
	}
	return int(slices.Max(l.numbers)) + 1
}

// all yields the lists.
func (l *listBuilder) all(yield func([]uint32) bool) {
	from := 0
	for _, to := range l.ends {
		if !yield(l.numbers[from:to]) {
			return
		}
		from = to
	}
}

// termBuilder is the words of a batch.
type termBuilder struct {
	document query.Document
	dict     interner
	tokens   listBuilder // as query.Document.AppendTokenIDs gives them
	urlRuns  listBuilder // as query.Document.AppendURLRuns gives them
	postings []uint32
	from, to []uint32 // where the postings of a term are
	text     []byte
}

// findTerms takes the posts apart.
func (b *batch) findTerms() {
	t := &b.terms
	t.dict.reset()
	t.tokens.reset()
	t.urlRuns.reset()
	number := func(i int) uint32 {
		t.text = t.document.AppendKey(t.text[:0], i)
		return t.dict.add(t.text)
	}
	for _, r := range b.rows {
		t.document.Reset(r.Post)
		t.tokens.numbers = t.document.AppendTokenIDs(t.tokens.numbers, number)
		t.tokens.end()
		t.urlRuns.numbers = t.document.AppendURLRuns(t.urlRuns.numbers)
		t.urlRuns.end()
	}
	t.dict.sort()
	for words := range t.tokens.all {
		renumber(words, t.dict.rank)
	}
	t.invert()
}

// writeTerms writes the dictionary, the words of the rows and the postings.
func (b *batch) writeTerms(w *colfile.Writer) {
	t := &b.terms
	w.Strings(dictTerm, t.dict.sorted)
	w.Lists(listTokens, max(t.dict.len(), t.tokens.limit()), t.tokens.all) // terms, but also positions
	w.Sets(setPostings, t.sets())
	w.Lists(listURLRuns, t.urlRuns.limit(), t.urlRuns.all)
}

// splitTokens separates the words of a row: pairs of a position and a term, and terms.
func splitTokens(words []uint32) (tags, plain []uint32) {
	if len(words) == 0 {
		return nil, nil
	}
	n := int(min(2*uint64(words[0]), uint64(len(words)-1)/2*2))
	return words[1 : 1+n], words[1+n:]
}

// renumber replaces the terms among the words of a row by what to has for them.
func renumber(words, to []uint32) {
	tags, plain := splitTokens(words)
	for i := 1; i < len(tags); i += 2 {
		tags[i] = to[tags[i]]
	}
	for i, term := range plain {
		plain[i] = to[term]
	}
}

// invert finds the rows of each term.
func (t *termBuilder) invert() {
	// A term that a row has twice leaves a gap in front of the next one's postings.
	t.from = append(t.from[:0], make([]uint32, t.dict.len()+1)...)
	for words := range t.tokens.all {
		eachTerm(words, func(term uint32) { t.from[term+1]++ })
	}
	for i := range t.dict.len() {
		t.from[i+1] += t.from[i]
	}
	t.to = append(t.to[:0], t.from...)
	t.postings = slices.Grow(t.postings[:0], len(t.tokens.numbers))[:len(t.tokens.numbers)]
	row := uint32(0)
	for words := range t.tokens.all {
		eachTerm(words, func(term uint32) {
			if at := t.to[term]; at == t.from[term] || t.postings[at-1] != row {
				t.postings[at] = row
				t.to[term]++
			}
		})
		row++
	}
}

// eachTerm calls f for the terms of a row, gaps left out.
func eachTerm(words []uint32, f func(term uint32)) {
	tags, plain := splitTokens(words)
	for i := 1; i < len(tags); i += 2 {
		f(tags[i])
	}
	for _, term := range plain {
		if term != 0 {
			f(term)
		}
	}
}

// sets yields the rows of each term.
func (t *termBuilder) sets() iter.Seq2[uint64, []uint32] {
	return func(yield func(uint64, []uint32) bool) {
		for term := range t.dict.len() {
			if !yield(uint64(term), t.postings[t.from[term]:t.to[term]]) {
				return
			}
		}
	}
}
