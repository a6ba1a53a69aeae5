package langid

// maxNGrams is the maximum number of n-grams per word. A word that exceeds it is not a real word,
// or is text in a script without spaces, which uses only short n-grams.
const maxNGrams = 2 * maxLetters

// An ngram is the hash of an n-gram: consecutive letters of a word, including its boundaries, or a
// whole word.
type ngram uint32

// next appends a letter to the hashed sequence.
func (g ngram) next(r rune) ngram {
	g = (g ^ ngram(r+1)) * 0x9E3779B1
	return g ^ g>>15
}

// ngrams stores the n-grams of a word, with up to maxLength letters, and the word itself. It
// returns their number. The word must be enclosed by two gaps.
func (t *scan) ngrams(into []ngram, start, end, maxLength int) int {
	into = into[:maxNGrams]
	n := 0
	for from := start; from < end && n < maxNGrams-maxLength; from++ {
		var g ngram
		to := from
		if from == start { // the gap alone carries no information
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
