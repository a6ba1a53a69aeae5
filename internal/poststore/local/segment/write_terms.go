package segment

import (
	"iter"
	"slices"

	"earshot/internal/poststore/local/colfile"
	"earshot/internal/query"
)

// A listBuilder collects a list of numbers for each row.
type listBuilder struct {
	numbers []uint32
	ends    []int
}

func (l *listBuilder) reset() { l.numbers, l.ends = l.numbers[:0], l.ends[:0] }

// end ends the list of a row, which consists of the numbers appended since the previous end.
func (l *listBuilder) end() { l.ends = append(l.ends, len(l.numbers)) }

// limit returns a number greater than all numbers.
func (l *listBuilder) limit() int {
	if len(l.numbers) == 0 {
		return 0
	}
	return int(slices.Max(l.numbers)) + 1
}

func (l *listBuilder) all(yield func([]uint32) bool) {
	from := 0
	for _, to := range l.ends {
		if !yield(l.numbers[from:to]) {
			return
		}
		from = to
	}
}

// A termBuilder collects the terms of a batch, the tokens of each row and the posting lists.
type termBuilder struct {
	document query.Document
	dict     interner
	tokens   listBuilder // see query.Document.AppendTokenIDs
	urlRuns  listBuilder // see query.Document.AppendURLRuns
	postings []uint32
	from, to []uint32 // indexed by term: range in postings
	text     []byte
}

// findTerms tokenizes the posts and builds the posting lists.
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
	for tokens := range t.tokens.all {
		renumberTokens(tokens, t.dict.rank)
	}
	t.invert()
}

// writeTerms writes the dictionary of terms, the forward index, the posting lists and the URL runs.
func (b *batch) writeTerms(w *colfile.Writer) {
	t := &b.terms
	w.Strings(dictTerm, t.dict.sorted)
	w.Lists(listTokens, max(t.dict.len(), t.tokens.limit()), t.tokens.all) // term ids and positions
	w.Sets(setPostings, t.postingLists())
	w.Lists(listURLRuns, t.urlRuns.limit(), t.urlRuns.all)
}

// splitTokens splits the tokens of a row into its tags of several words, as pairs of a position and
// a term, and the terms of its text in order, with 0 between title and contents.
func splitTokens(tokens []uint32) (tags, plain []uint32) {
	if len(tokens) == 0 {
		return nil, nil
	}
	n := int(min(2*uint64(tokens[0]), uint64(len(tokens)-1)/2*2))
	return tokens[1 : 1+n], tokens[1+n:]
}

// renumberTokens replaces the terms among the tokens of a row with their new numbers. It returns
// false if a term has no new number.
func renumberTokens(tokens, to []uint32) bool {
	tags, plain := splitTokens(tokens)
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

// invert builds the posting lists from the tokens.
func (t *termBuilder) invert() {
	// A term that occurs more than once in a row leaves a gap before the posting list of the next
	// term.
	t.from = append(t.from[:0], make([]uint32, t.dict.len()+1)...)
	for tokens := range t.tokens.all {
		eachTerm(tokens, func(term uint32) { t.from[term+1]++ })
	}
	for i := range t.dict.len() {
		t.from[i+1] += t.from[i]
	}
	t.to = append(t.to[:0], t.from...)
	t.postings = slices.Grow(t.postings[:0], len(t.tokens.numbers))[:len(t.tokens.numbers)]
	row := uint32(0)
	for tokens := range t.tokens.all {
		eachTerm(tokens, func(term uint32) {
			if at := t.to[term]; at == t.from[term] || t.postings[at-1] != row {
				t.postings[at] = row
				t.to[term]++
			}
		})
		row++
	}
}

// eachTerm calls f for each term of a row.
func eachTerm(tokens []uint32, f func(term uint32)) {
	tags, plain := splitTokens(tokens)
	for i := 1; i < len(tags); i += 2 {
		f(tags[i])
	}
	for _, term := range plain {
		if term != 0 {
			f(term)
		}
	}
}

// postingLists yields the rows of each term.
func (t *termBuilder) postingLists() iter.Seq2[uint64, []uint32] {
	return func(yield func(uint64, []uint32) bool) {
		for term := range t.dict.len() {
			if !yield(uint64(term), t.postings[t.from[term]:t.to[term]]) {
				return
			}
		}
	}
}
