// Package langid detects the language of a post.
//
// The script decides most of it: Thai is written in Thai. For scripts that languages share, n-grams
// of letters and whole words vote for languages, and the one with the most votes wins. Package
// train fits the weights of the votes, which are compiled in.
//
// It knows more languages than the specification, so that a post in one of them stays unassigned
// instead of being counted for its closest relative.
package langid

import (
	_ "embed"
	"math"
	"slices"
	"strings"

	"earshot"
)

// Version is that of the model. It increases when results change.
const Version = 1

// minConfidence is the confidence below which no language is assigned: among so many it is a poor
// guess.
const minConfidence = 0.3

// maxLogitGap is how far behind a language adds nothing to the sum of exponentials.
const maxLogitGap = 9 * unitsPerNat * temperature

// temperature divides the logits: n-grams overlap and were weighted on the texts they came from, so
// that raw confidence would be too high.
const temperature = 2

//go:embed model.bin
var modelFile []byte

// A Model detects languages. It is safe for concurrent use.
type Model struct {
	tables [scripts]*table // nil for scripts of one language
}

// New returns the built-in model.
func New() (*Model, error) { return decode(modelFile) }

// Codes returns the codes that Detect can return, sorted.
func Codes() []string {
	codes := make([]string, len(earshot.Languages))
	for i, code := range earshot.Languages {
		codes[i] = strings.ToLower(code)
	}
	slices.Sort(codes)
	return codes
}

// Detect returns the language of a text in two lower-case letters, and the confidence from 0 to 1.
// Both are empty if the text is too short, in a language that is not one of Codes, or ambiguous. It
// reads the first letters of a text, without links, mentions and emoji. It does not allocate.
func (m *Model) Detect(text string) (code string, confidence float32) {
	var t scan
	t.read(text)
	s := t.script()
	if b := m.tables[s]; b != nil {
		return b.detect(&t, traits[s].maxNGram)
	}
	if traits[s].only != "" {
		return traits[s].only, 1
	}
	return "", 0
}

func (b *table) detect(t *scan, longest int) (string, float32) {
	var s votes
	b.countVotes(&s, t, longest)
	best, confidence := s.argmax(len(b.languages))
	if b.languages[best] == "" || confidence < minConfidence {
		return "", 0
	}
	return b.languages[best], confidence
}

// argmax returns the index of the largest total and its softmax probability.
func (s *votes) argmax(languages int) (best int, probability float32) {
	totals := s.totals[:languages]
	for i, v := range totals {
		if v > totals[best] {
			best = i
		}
	}
	var sum float64
	for _, v := range totals {
		if behind := totals[best] - v; behind < maxLogitGap {
			sum += math.Exp(-float64(behind) / (unitsPerNat * temperature))
		}
	}
	return best, float32(1 / sum)
}
