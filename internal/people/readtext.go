package people

// Hashes of words that count by their kind only.
const (
	linkHash    uint32 = 2
	mentionHash uint32 = 3
)

// readText adds the words of a post.
func readText(e *Evidence, text string) {
	s := words{text: text}
	before := hashSeed
	for w := (word{}); s.next(&w); {
		before = e.addWord(GroupText, &w, before)
	}
}

// addWord adds a word and the pair that it makes with the word before it, and
// returns its hash. Marks stand alone.
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
