package langid

// maxGrams is how many n-grams a reading has at most: as many as the longest has
// letters for each letter and gap, and the words.
const maxGrams = 6 * maxLetters

// A gram is the hash of an n-gram: one to five letters in a row of one word, whose ends
// count as letters, or a whole word.
type gram uint32

// next adds a letter to an n-gram.
func (g gram) next(r rune) gram {
	g = (g ^ gram(r+1)) * 0x9E3779B1
	return g ^ g>>15
}

// grams puts the n-grams of up to longest letters, and the words, into the space given,
// and returns those that it has put there.
func (t *reading) grams(into *[maxGrams]gram, longest int) []gram {
	n := 0
	for from := 0; from < t.n-1; from++ {
		atStart := t.letters[from] == 0
		var g gram
		for to := from; to < t.n; to++ {
			r := t.letters[to]
			g = g.next(r)
			length := to - from + 1
			atEnd := r == 0 && length > 1
			if length <= longest && !(atStart && length == 1) || atEnd {
				into[n] = g
				n++
			}
			if atEnd || length >= longest && !atStart {
				break
			}
		}
	}
	return into[:n]
}
