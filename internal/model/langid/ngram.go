package langid

// maxNGrams is the maximum number of n-grams of a word. Longer ones are not words, or text in a
// script without spaces, which has short n-grams only.
const maxNGrams = 2 * maxLetters

// An ngram is the hash of an n-gram: consecutive letters of a word, whose ends count as letters, or
// a whole word.
type ngram uint32

// next appends a letter.
func (g ngram) next(r rune) ngram {
	g = (g ^ ngram(r+1)) * 0x9E3779B1
	return g ^ g>>15
}

// ngrams stores the n-grams of a word, of up to maxLength letters, and the word itself, and returns
// their number. The word is between two gaps.
func (t *scan) ngrams(into []ngram, start, end, maxLength int) int {
	into = into[:maxNGrams]
	n := 0
	for from := start; from < end && n < maxNGrams-maxLength; from++ {
		var g ngram
		to := from
		if from == start { // the gap alone has no information
			g = g.next(0)
			to++
		}
		for ; to <= end && to < from+maxLength; to++ {
			g = g.next(t.letters[to])
			into[n] = g
			n++
		}
		if from == start && to <= end {
			for ; to <= end; to++ {
				g = g.next(t.letters[to])
			}
			into[n] = g
			n++
		}
	}
	return n
}
