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

func build(data, teacher string, s settings) (map[string][]byte, error) {
	lexiconFile, err := readLexicon(data)
	if err != nil {
		return nil, fmt.Errorf("build the lexicon: %w", err)
	}
	lexicon, err := sentiment.OpenLexicon(lexiconFile)
	if err != nil {
		return nil, err
	}
	labels, err := readSoftLabels(teacher, data)
	if err != nil {
		return nil, err
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
	vocabulary := newVocabulary(training, lexicon)
	examples := vocabulary.examples(training, lexicon)
	team := trainEnsemble(vocabulary, vectors, examples, s)
	files, err := encode(team, lexiconFile, fitFallback(examples, s))
	if err != nil {
		return nil, err
	}
	return files, calibrate(files, validation)
}

// settings are the hyperparameters. They were chosen in a few coarse steps, on validation texts
// held out from the training sets and on the dev sets.
type settings struct {
	Seed   uint64
	Epochs int

	// Learning rates of word and n-gram weights, of the last layer, of filters and of word vectors.
	// They decay to a twentieth of these values.
	RateWeights, RateHead, RateFilters, RateVectors float64

	// Dropout rates of features, of words seen by filters, and of filters.
	DropFeatures, DropWords, DropFilters float64

	// Exponents of the class weights, from 0 to 1.
	BalanceSentiment, BalanceEmotion float64

	// Weights of the texts in each set.
	UMSAB, Reviews, News, GoSentiment, XEDEnglish, XED, XEDSentiment, SMILE, Neutral, Posts, Phrases float64

	// Fraction by which soft labels replace labels, for sentiment and emotion.
	DistillSentiment, DistillEmotion float64
}

var defaults = settings{
	Seed: 1, Epochs: 4,
	RateWeights: 0.1, RateHead: 0.02, RateFilters: 0.002, RateVectors: 0.01,
	DropFeatures: 0.5, DropWords: 0.1, DropFilters: 0.2,
	BalanceSentiment: 1, BalanceEmotion: 0.5,
	UMSAB: 2, Reviews: 0.5, News: 0.1, GoSentiment: 0.6, XEDEnglish: 0.3, XED: 0.4, XEDSentiment: 0.1, SMILE: 0.5, Neutral: 0.2, Posts: 0.4, Phrases: 3,
	DistillSentiment: 0.6, DistillEmotion: 0.7,
}
