package people

// Hashes of words that count only by their kind.
const (
	linkHash    uint32 = 2
	mentionHash uint32 = 3
)

// maxTextWords is the maximum number of words read from a post.
const maxTextWords = 24

// readText adds the first words of a post. The training posts are English and ASCII only, so other
// characters are ignored.
func readText(e *Evidence, text string) {
	s := wordScanner{text: text, ascii: true}
	before := hashSeed
	w := word{}
	for count := 0; count < maxTextWords && s.next(&w); count++ {
		before = e.addWord(GroupText, &w, before)
	}
}

// addWord adds a word and the pair it forms with the previous word, and returns its hash. Marks do
// not form pairs.
func (e *Evidence) addWord(group int, w *word, before uint32) uint32 {
	hash := w.hash
	switch w.kind {
	case link:
		hash = linkHash
	case mention:
		hash = mentionHash
	case mark:
		e.add(group, hash)
		return before
	}
	e.add(group, hash)
	e.add(group, before*31+hash)
	return hash
}
