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
// space given. The word is the one after the gap at start; end is the gap after it.
func (t *reading) grams(into *[maxGrams]gram, start, longest int) (grams []gram, end int) {
	end = t.nextGap(start)
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
	return into[:n], end
}
