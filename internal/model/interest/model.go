package interest

import (
	_ "embed"

	"earshot"
)

//go:embed interests.bin
var compiled []byte

// A Model infers interests. It is safe for concurrent use.
type Model struct {
	table   *table
	folding *folding
}

// New returns the built-in model.
func New() (*Model, error) { return open(compiled) }

func open(compiled []byte) (*Model, error) {
	t, err := decode(compiled)
	if err != nil {
		return nil, err
	}
	return &Model{t, newFolding()}, nil
}

// AppendPost appends the interests that a post is about, without duplicates and sorted. text is the
// full text of the post. hashtags and mentions have no # or @ and may also occur in the text. A
// long text needs more evidence than a short one.
func (m *Model) AppendPost(ids []earshot.InterestID, text string, hashtags, mentions []string) []earshot.InterestID {
	var t tally
	t.points = [...]uint8{Strong: 2, Weak: 1, Bio: 0}
	words := m.scanText(&t, text)
	for _, tag := range hashtags {
		m.scanTag(&t, '#', tag)
	}
	for _, handle := range mentions {
		m.scanTag(&t, '@', handle)
	}
	return t.append(ids, minPoints(words))
}

// AppendAuthor appends the interests of a bio's author, without duplicates and sorted.
func (m *Model) AppendAuthor(ids []earshot.InterestID, bio string) []earshot.InterestID {
	var t tally
	t.points = [...]uint8{Strong: 2, Weak: 1, Bio: 2}
	m.scanText(&t, bio)
	return t.append(ids, 2)
}

// minPoints returns the points that an interest needs in a text with the given number of words. A
// long text mentions many things that it is not about.
func minPoints(words int) uint8 {
	switch {
	case words <= 60:
		return 2
	case words <= 250:
		return 3
	}
	return 4
}

// maxPhraseWords is the maximum number of words in a phrase.
const maxPhraseWords = 8

// scanText counts the terms in a text and returns its number of words. It keeps a window of words
// so that each is read only once. The window has at least as many words as a phrase can have,
// unless the text ends.
func (m *Model) scanText(t *tally, text string) (words int) {
	s := scanner{text: text, folding: m.folding}
	var window [8 * maxPhraseWords]word
	rest := window[:0]
	for ended := false; ; {
		if len(rest) < maxPhraseWords && !ended {
			rest = window[:copy(window[:], rest)]
			rest, ended = s.fill(rest)
		}
		if len(rest) == 0 {
			return s.words
		}
		v, length := m.lookup(rest)
		t.add(m.table, v)
		rest = rest[max(length, 1):]
	}
}

// lookup returns the value of the phrase or tag that words begin with, and its length in words.
func (m *Model) lookup(words []word) (value, int) {
	if words[0].sigil != 0 {
		// An unknown hashtag counts as its word; an unknown account does not.
		if v := m.table.tag(words[0]); v != 0 || words[0].sigil != '#' {
			return v, 1
		}
	}
	return m.table.longest(words)
}

// scanTag counts a tag that is given without its sigil.
func (m *Model) scanTag(t *tally, sigil byte, tag string) {
	s := scanner{text: tag, folding: m.folding}
	if w, ok := s.next(); ok {
		w.sigil = sigil
		v, _ := m.lookup([]word{w})
		t.add(m.table, v)
	}
}
