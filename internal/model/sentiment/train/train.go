// Package train makes the model of internal/model/sentiment from the labelled texts and the
// lexicons of the data folder. It is no part of the service.
//
// The network that learns is the one that the service runs, before everything that can
// be worked out beforehand is: weights of words and letters, word vectors under filters
// over three words, and signals of lexicons, all learnt at once for sentiment and
// emotion. What comes out is the same, byte for byte, each time: numbers come from a
// fixed seed, and a network takes texts one after another.
package train

import (
	"fmt"

	"earshot/internal/model/sentiment"
)

// Build returns the files of the model, made from the folder data and from the vectors
// and judgements in models/teacher of the repository.
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
		return nil, fmt.Errorf("make the lexicon: %w", err)
	}
	lexicon, err := sentiment.OpenLexicon(lexiconFile)
	if err != nil {
		return nil, err
	}
	told, err := readJudgements(teacher, data)
	if err != nil {
		return nil, err
	}
	texts, err := readTexts(data, told, s)
	if err != nil {
		return nil, err
	}
	vectors, err := readVectors(teacher)
	if err != nil {
		return nil, err
	}
	learning, kept := split(texts)
	vocabulary := newVocabulary(learning, lexicon)
	examples := vocabulary.examples(learning, lexicon)
	team := newTeam(vocabulary, vectors, examples, s)
	files, err := encode(team, lexiconFile, fitPlain(examples, s))
	if err != nil {
		return nil, err
	}
	return files, calibrate(files, kept)
}
