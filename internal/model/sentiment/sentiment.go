// Package sentiment tells what a post feels: whether it is positive, neutral or
// negative, and which of seven emotions it shows.
//
// Its one idea: everything that can be worked out about a word beforehand is, so that
// reading a post is a few table lookups and additions for each of its words. Four things
// are added up: weights of words and their neighbours, weights of their letters,
// filters over three words in a row, and what lexicons say. What takes time is waiting for
// memory, so tables are laid out in lines of a cache, and what a text needs of them is
// asked for at once. They are made by internal/model/sentiment/train.
//
// Sentiment is learnt where there are examples in a language; for others lexicons, emoji and
// punctuation decide, and a text without them is neutral with little confidence.
// Emotion is told where there were examples to learn from, and not at all otherwise.
package sentiment

import (
	_ "embed"
	"errors"
	"strings"
	"sync"

	"earshot"
	"earshot/internal/model/classify"
)

// Version counts up when the model changes.
const Version = 1

//go:embed words.bin
var wordsFile []byte

//go:embed parts.bin
var partsFile []byte

//go:embed spelt.bin
var speltFile []byte

//go:embed filters.bin
var filtersFile []byte

//go:embed lexicon.bin
var lexiconFile []byte

//go:embed head.bin
var headFile []byte

// Files are the parts of a model by the names that they are embedded under.
type Files map[string][]byte

// A Model tells sentiment and emotion. It is safe for parallel use.
type Model struct {
	words   *classify.Table // of words and their neighbours
	parts   *classify.Table // of letters in a row
	spelt   *classify.Table // sums of the parts of known words
	filters *classify.Filters
	lexicon *Lexicon
	head    *Head
	places  map[string]int // of languages in head.Bias
	spare   sync.Pool      // of *work
}

// New returns the model that is built in.
func New() (*Model, error) {
	return Open(Files{
		"words.bin": wordsFile, "parts.bin": partsFile, "spelt.bin": speltFile,
		"filters.bin": filtersFile, "lexicon.bin": lexiconFile, "head.bin": headFile,
	})
}

// Open returns the model of these files.
func Open(files Files) (*Model, error) {
	m := &Model{places: map[string]int{}}
	var errs [6]error
	m.words, errs[0] = classify.OpenTable(files["words.bin"])
	m.parts, errs[1] = classify.OpenTable(files["parts.bin"])
	m.spelt, errs[2] = classify.OpenTable(files["spelt.bin"])
	m.filters, errs[3] = classify.OpenFilters(files["filters.bin"])
	m.lexicon, errs[4] = OpenLexicon(files["lexicon.bin"])
	m.head, errs[5] = OpenHead(files["head.bin"])
	if err := errors.Join(errs[:]...); err != nil {
		return nil, err
	}
	if len(m.words.Scales) != outputs || len(m.parts.Scales) != outputs || len(m.spelt.Scales) != outputs ||
		len(m.lexicon.table.Scales) != 4 || m.filters.Len() != Filters {
		return nil, errors.New("sentiment: the files of the model do not fit together")
	}
	for i, code := range earshot.Languages {
		m.places[strings.ToLower(code)] = i
	}
	m.spare.New = func() any { return new(work) }
	return m, nil
}

// Infer returns the sentiment and emotion of a text in a language, one of
// earshot.Languages in lower case, or "" when it is not known. It reads the first
// MaxBytes bytes of the text. The sentiment is always known; the emotion is not for
// languages without examples.
func (m *Model) Infer(text, language string) (earshot.Sentiment, earshot.Emotion) {
	s, e := m.Probabilities(text, language)
	return earshot.NewSentiment(s), earshot.NewEmotion(e)
}
