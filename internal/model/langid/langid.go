// Package langid tells the language of a post.
//
// The script of the letters decides most of it: Thai is written in Thai. For scripts
// that languages share, n-grams of letters and whole words each speak for some of the
// languages, and the one with the most votes wins. The weights of the votes are learnt
// by package train and compiled in.
//
// Other languages than those of the specification are learnt too, so that a post in one
// of them is left unassigned instead of being counted with its nearest relative.
package langid

import (
	_ "embed"
	"math"
	"slices"
	"strings"

	"earshot"
)

// Version is that of the model. It changes with the answers.
const Version = 1

// doubt is the confidence below which a language is not assigned: with so many to
// choose from it is still a poor guess.
const doubt = 0.3

// negligible is how far behind a language adds nothing to the sum of all.
const negligible = 9 * unitsPerNat * overlap

// overlap is how many times n-grams say the same: they share letters, and were weighed
// on the texts they came from. Without it, confidence would be too high.
const overlap = 2

//go:embed model.bin
var modelFile []byte

// A Model tells languages. It is safe for parallel use.
type Model struct {
	tables [scripts]*table // nil where the script alone tells
}

// New returns the model that is compiled in.
func New() (*Model, error) { return decode(modelFile) }

// Codes returns the codes that Detect can return, in the order of the alphabet.
func Codes() []string {
	codes := make([]string, len(earshot.Languages))
	for i, code := range earshot.Languages {
		codes[i] = strings.ToLower(code)
	}
	slices.Sort(codes)
	return codes
}

// Detect returns the language of a text in two lower-case letters, and how sure that is,
// from 0 to 1. Both are empty when the text is too short to tell, in a language that is
// not one of Codes, or could be in several. Only the first letters of a text are looked
// at, and links, mentions and emoji are not. It does not allocate.
func (m *Model) Detect(text string) (code string, confidence float32) {
	var t reading
	t.read(text)
	s := t.script()
	if b := m.tables[s]; b != nil {
		return b.detect(&t, traits[s].gram)
	}
	if traits[s].only != "" {
		return traits[s].only, 1
	}
	return "", 0
}

func (b *table) detect(t *reading, longest int) (string, float32) {
	var s sums
	b.sum(&s, t, longest)
	best, share := s.best(len(b.languages))
	if b.languages[best] == "" || share < doubt {
		return "", 0
	}
	return b.languages[best], share
}

// best returns the place of the largest total, and its share when totals are taken as
// logarithms of how likely each is.
func (s *sums) best(languages int) (at int, share float32) {
	totals := s.total[:languages]
	for i, v := range totals {
		if v > totals[at] {
			at = i
		}
	}
	var sum float64
	for _, v := range totals {
		if behind := totals[at] - v; behind < negligible {
			sum += math.Exp(-float64(behind) / (unitsPerNat * overlap))
		}
	}
	return at, float32(1 / sum)
}
