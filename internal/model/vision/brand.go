package vision

import "slices"

// A brandName is a name of a brand, split into words.
type brandName struct {
	brand
	words  []string
	common bool // also a common word; see isMeant
}

// indexBrands maps first words to names of brands.
func indexBrands(brands []brand) map[string][]brandName {
	filed := map[string][]brandName{}
	for _, b := range brands {
		for i, name := range b.names {
			var words []string
			for _, w := range split(name) {
				words = append(words, w.text)
			}
			filed[words[0]] = append(filed[words[0]], brandName{b, words, b.common && i == 0})
		}
	}
	return filed
}

// brandAt returns the brand with the longest name at position i of a text, and the number of words
// in the name. The length is 0 if there is none.
func (m *Model) brandAt(text []word, i int) (found brand, length int) {
	for _, name := range m.brands[text[i].text] {
		if len(name.words) > length && name.standsAt(text, i) && (!name.common || name.isMeant(text, i)) {
			found, length = name.brand, len(name.words)
		}
	}
	return found, length
}

func (n brandName) standsAt(text []word, i int) bool {
	if len(text)-i < len(n.words) {
		return false
	}
	for j, w := range n.words {
		if text[i+j].text != w || j > 0 && text[i+j].pause != space {
			return false
		}
	}
	return true
}

// isMeant reports whether a name that is also a common word means the brand at position i. It must
// be capitalized, and not only because it starts a sentence, unless a word for something that
// carries a brand follows.
func (n brandName) isMeant(text []word, i int) bool {
	if !text[i].capital {
		return false
	}
	after := i + len(n.words)
	return text[i].pause != sentence || after < len(text) && text[after].pause == space && slices.Contains(bearers, text[after].stem)
}

// bearers are things that carry brands.
var bearers = []string{
	"logo", "sign", "store", "shop", "brand", "branded", "bag", "shirt", "shoe", "sneaker", "hat", "cap", "jersey", "hoodie", "jacket",
	"bottle", "can", "cup", "box", "phone", "laptop", "watch", "car", "truck", "station", "product", "package", "advertisement", "ad", "billboard",
}
