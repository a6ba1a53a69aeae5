// Package langid detects the language of a post.
//
// The script decides most cases: Thai is the only language written in Thai script. For scripts that
// several languages share, character n-grams and whole words vote for languages, and the language
// with the most votes wins. Package train fits the weights of the votes, which are embedded in the
// binary.
//
// The model knows more languages than the specification requires, so that a post in one of the
// others stays unassigned instead of being assigned the closest related language.
package langid

import (
	_ "embed"
	"math"
	"slices"
	"strings"

	"earshot"
)

// Version is the version of the model. It must increase when results change.
const Version = 2

// minConfidence is the minimum confidence for assigning a language. Below it, the best of so many
// languages is a poor guess.
const minConfidence = 0.3

// maxLogitGap is the distance from the best logit beyond which a language does not contribute to
// the softmax.
const maxLogitGap = 9 * unitsPerNat * temperature

// temperature divides the logits. N-grams overlap and were weighted on the texts they come from, so
// without it the confidence would be too high.
const temperature = 2

//go:embed model.bin
var modelFile []byte

// A Model detects languages. It is safe for concurrent use.
type Model struct {
	tables [scripts]*table // nil for scripts of a single language
}

// New returns the built-in model.
func New() (*Model, error) { return decode(modelFile) }

// Codes returns the codes that [Model.Detect] can return, sorted.
func Codes() []string {
	codes := make([]string, len(earshot.Languages))
	for i, code := range earshot.Languages {
		codes[i] = strings.ToLower(code)
	}
	slices.Sort(codes)
	return codes
}

// Detect returns the language of a text as a two-letter lowercase code, and the confidence from 0
// to 1. It returns "" and 0 if the text is too short, ambiguous, or in a language that is not in
// [Codes]. It reads only the beginning of the text and ignores links, mentions and emoji. It does
// not allocate.
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
