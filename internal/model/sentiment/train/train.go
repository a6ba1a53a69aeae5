// Package train trains the model of internal/model/sentiment on the labeled texts and lexicons in
// the data folder. It is not part of the service.
//
// It trains the same network that the service runs, before everything is precomputed: weights of
// words and character n-grams, convolutions over word vectors, and lexicon signals, jointly for
// sentiment and emotion. Training is reproducible byte for byte, because random numbers have a
// fixed seed and each network processes texts sequentially.
package train

import (
	"fmt"
	"slices"
	"strings"

	"earshot/internal/model/sentiment"
)

// Build trains the model on the data folder and on the vectors and soft labels in models/teacher in
// the repository. It returns the model's files.
func Build(data string) (map[string][]byte, error) {
	teacher, err := findTeacher()
	if err != nil {
		return nil, err
	}
	return build(data, teacher, defaults)
}

// BuildOpen is [Build] without the texts that have no clear license, and without soft labels, because
// the teachers were trained on such texts. The model is less accurate, and several languages lose
// their training data.
func BuildOpen(data string) (map[string][]byte, error) {
	teacher, err := findTeacher()
	if err != nil {
		return nil, err
	}
	s := defaults
	s.Open = true
	return build(data, teacher, s)
}

func build(data, teacher string, s settings) (map[string][]byte, error) {
	lexiconFile, err := readLexicon(data)
	if err != nil {
		return nil, fmt.Errorf("build the lexicon: %w", err)
	}
	lexicon, err := sentiment.OpenLexicon(lexiconFile)
	if err != nil {
		return nil, err
	}
	var labels softLabels
	if !s.Open {
		if labels, err = readSoftLabels(teacher, data); err != nil {
			return nil, err
		}
	}
	texts, err := readTexts(data, labels, s)
	if err != nil {
		return nil, err
	}
	vectors, err := readVectors(teacher)
	if err != nil {
		return nil, err
	}
	training, validation := splitValidation(texts)
	vocabulary := newVocabulary(training, lexicon, s)
	examples := vocabulary.examples(training, lexicon)
	team := trainEnsemble(vocabulary, vectors, examples, s)
	files, err := encode(team, lexiconFile, fitFallback(examples, s))
	if err != nil {
		return nil, err
	}
	return files, calibrate(files, validation)
}

// settings are the hyperparameters. They were chosen in a few coarse steps; docs/models/sentiment.md
// says on which texts.
type settings struct {
	Seed   uint64
	Epochs int
	Open   bool // only use texts with a clear license

	// Learning rates of word and n-gram weights, of the last layer, of filters and of word vectors.
	// They decay to a twentieth of these values.
	RateWeights, RateHead, RateFilters, RateVectors float64

	// Dropout rates of features, of words seen by filters, and of filters.
	DropFeatures, DropWords, DropFilters float64

	// Exponents of the class weights, from 0 to 1.
	BalanceSentiment, BalanceEmotion float64

	// Weights of the texts in each set.
	UMSAB, Reviews, News, Sarcasm, More, MoreEnglish, GoSentiment, XEDEnglish, XED, XEDSentiment,
	MoreEmotion, SMILE, Neutral, Posts, Phrases float64

	Fragments  float64 // weight of fragments, relative to their texts
	PostsEvery int     // use every n-th post
	FineTune   int     // passes over the phrases at the end

	// Fraction by which soft labels replace labels, for sentiment and emotion.
	DistillSentiment, DistillEmotion float64

	FilterLanguages string // languages with filters; "": English and Hindi, which posts mix with English
}

var defaults = settings{
	Seed: 1, Epochs: 3,
	RateWeights: 0.1, RateHead: 0.02, RateFilters: 0.002, RateVectors: 0.01,
	DropFeatures: 0.5, DropWords: 0.1, DropFilters: 0.2,
	BalanceSentiment: 1, BalanceEmotion: 0.5,
	UMSAB: 2, Reviews: 0.5, News: 0.2, Sarcasm: 0.3, More: 1, MoreEnglish: 0.5, GoSentiment: 0.6, XEDEnglish: 0.3, XED: 0.4, XEDSentiment: 0.1,
	MoreEmotion: 1, SMILE: 0.5, Neutral: 0.2, Posts: 0.4, Phrases: 1,
	Fragments: 0.5, PostsEvery: 3, FineTune: 2,
	DistillSentiment: 0.6, DistillEmotion: 0.7,
}

// filtered reports whether a language has filters.
func (s settings) filtered(language string) bool {
	if s.FilterLanguages == "" {
		return language == "en" || language == "hi"
	}
	return s.FilterLanguages == "all" || slices.Contains(strings.Fields(s.FilterLanguages), language)
}
