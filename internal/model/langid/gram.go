package langid

// maxGrams is how many n-grams a word has at most. A longer one is no word, or text in a
// script without spaces, of which only short n-grams are taken.
const maxGrams = 2 * maxLetters

// A gram is the hash of an n-gram: some letters in a row of one word, whose ends count as
// letters, or a whole word.
type gram uint32

// next adds a letter to an n-gram.
func (g gram) next(r rune) gram {
	g = (g ^ gram(r+1)) * 0x9E3779B1
	return g ^ g>>15
}

// grams puts the n-grams of a word, of up to longest letters, and the word itself into the
// space given, and returns how many there are. The word stands between two gaps.
func (t *reading) grams(into []gram, start, end, longest int) int {
	into = into[:maxGrams]
	n := 0
	for from := start; from < end && n < maxGrams-longest; from++ {
		var g gram
		to := from
		if from == start { // the gap alone tells nothing
			g = g.next(0)
			to++
		}
		for ; to <= end && to < from+longest; to++ {
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
