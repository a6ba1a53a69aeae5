package insight

// minLanguageAuthors is the number of authors of other posts in a language that are enough to compare
// words among posts in it.
const minLanguageAuthors = 20

// A shareTally is the number of authors who have something, and of all authors, on both sides.
type shareTally struct{ y, n, y0, n0 float64 }

func (c *contrast) languageNumber(code string) int32 {
	n, ok := c.languages[code]
	if !ok {
		n = int32(len(c.languages))
		c.languages[code] = n
	}
	return n
}

// countByLanguage counts the authors of frequent features among the posts in the language that most
// posts with the feature have. More posts in a language do not make its words over-represented.
func (f *features) countByLanguage(c *contrast, of func(*sampledText) []int32) {
	all := c.authorsByLanguage()
	index, counts := f.frequent(c), [][]int32(nil)
	for range index {
		counts = append(counts, make([]int32, len(c.languages)))
	}
	for i := range c.sides[0].posts {
		t := &c.sides[0].posts[i]
		for _, k := range of(t) {
			if at, ok := index[k]; ok {
				counts[at][t.language]++
			}
		}
	}
	language := make([]int32, len(counts))
	for at := range counts {
		for l, posts := range counts[at] {
			if posts > counts[at][language[at]] {
				language[at] = int32(l)
			}
		}
	}
	var authors [2][]float64
	lastUnit := make([]int32, len(counts))
	for side := range c.sides {
		authors[side] = make([]float64, len(counts))
		for i := range c.sides[side].posts {
			t := &c.sides[side].posts[i]
			for _, k := range of(t) {
				if at, ok := index[k]; ok && t.language == language[at] && lastUnit[at] != t.unit {
					lastUnit[at] = t.unit
					authors[side][at]++
				}
			}
		}
	}
	f.within = map[int32]shareTally{}
	for k, at := range index {
		if l := language[at]; all[1][l] >= minLanguageAuthors {
			f.within[k] = shareTally{authors[0][at], all[0][l], authors[1][at], all[1][l]}
		}
	}
}

// frequent numbers the features that enough authors have.
func (f *features) frequent(c *contrast) map[int32]int {
	index := map[int32]int{}
	for k, n := range f.authors[0] {
		if n >= c.minAuthors() {
			index[int32(k)] = len(index)
		}
	}
	return index
}

// authorsByLanguage counts the authors of posts in each language.
func (c *contrast) authorsByLanguage() (authors [2][]float64) {
	lastUnit := make([]int32, len(c.languages))
	for side := range c.sides {
		authors[side] = make([]float64, len(c.languages))
		for i := range c.sides[side].posts {
			if t := &c.sides[side].posts[i]; lastUnit[t.language] != t.unit {
				lastUnit[t.language] = t.unit
				authors[side][t.language]++
			}
		}
	}
	return authors
}
