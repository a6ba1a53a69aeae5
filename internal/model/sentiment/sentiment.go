// Package sentiment infers the sentiment of a post (positive, neutral or negative) and which of
// seven emotions it shows.
//
// Its central idea: everything about a word is precomputed, so that inference takes a few table
// lookups and additions per word. The logits are the sum of four parts: weights of words and word
// n-grams, weights of character n-grams, convolutions over three words, and lexicon ratings.
// Inference is bound by memory latency, so tables are laid out in cache lines and lookups are
// prefetched. internal/model/sentiment/train trains the model.
//
// For languages with training data, sentiment comes from the trained model. For others it comes
// from lexicons, emoji and punctuation, and a text without any of these is neutral with low
// confidence. Emotion is inferred only for languages with training data.
package sentiment

import (
	_ "embed"
	"errors"
	"strings"
	"sync"

	"earshot"
	"earshot/internal/model/classify"
)

// Version must increase when the model changes.
const Version = 3

//go:embed words.bin
var wordsFile []byte

//go:embed parts.bin
var ngramsFile []byte

//go:embed spelt.bin
var wordNGramsFile []byte

//go:embed filters.bin
var filtersFile []byte

//go:embed lexicon.bin
var lexiconFile []byte

//go:embed head.bin
var headFile []byte

// Files maps file names to the contents of a model.
type Files map[string][]byte

// A Model infers sentiment and emotion. It is safe for concurrent use.
type Model struct {
	words      *classify.Table // words and word n-grams
	ngrams     *classify.Table // character n-grams
	wordNGrams *classify.Table // summed n-gram weights of known words
	filters    *classify.Filters
	lexicon    *Lexicon
	head       *Head
	languages  map[string]int // language -> index in head.Bias
	scratches  sync.Pool      // of *scratch
}

// New returns the built-in model.
func New() (*Model, error) {
	return Open(Files{
		"words.bin": wordsFile, "parts.bin": ngramsFile, "spelt.bin": wordNGramsFile,
		"filters.bin": filtersFile, "lexicon.bin": lexiconFile, "head.bin": headFile,
	})
}

// Open returns the model stored in files.
func Open(files Files) (*Model, error) {
	m := &Model{languages: map[string]int{}}
	var errs [6]error
	m.words, errs[0] = classify.OpenTable(files["words.bin"])
	m.ngrams, errs[1] = classify.OpenTable(files["parts.bin"])
	m.wordNGrams, errs[2] = classify.OpenTable(files["spelt.bin"])
	m.filters, errs[3] = classify.OpenFilters(files["filters.bin"])
	m.lexicon, errs[4] = OpenLexicon(files["lexicon.bin"])
	m.head, errs[5] = OpenHead(files["head.bin"])
	if err := errors.Join(errs[:]...); err != nil {
		return nil, err
	}
	if len(m.words.Scales) != outputs || len(m.ngrams.Scales) != outputs || len(m.wordNGrams.Scales) != outputs ||
		len(m.lexicon.table.Scales) != 5 || m.filters.Len() != Filters {
		return nil, errors.New("sentiment: the files of the model do not match each other")
	}
	for i, code := range earshot.Languages {
		m.languages[strings.ToLower(code)] = i
	}
	m.scratches.New = func() any {
		w := new(scratch)
		w.Ratings = true
		return w
	}
	return m, nil
}

// Infer returns the sentiment and emotion of a text. language is one of earshot.Languages in lower
// case, or "" if unknown, and d is the kind of text. Infer reads the first MaxBytes bytes of the
// text. It always returns a sentiment, but an emotion only for languages with training data.
func (m *Model) Infer(text, language string, d Domain) (earshot.Sentiment, earshot.Emotion) {
	s, e := m.Probabilities(text, language, d)
	return earshot.NewSentiment(s), earshot.NewEmotion(e)
}
