// Package train learns the weights of package langid from labelled texts.
//
// For each script, the n-grams of all texts are counted by language, which gives weights
// as naive Bayes has them. Those that tell most are kept and then corrected by logistic
// regression, on whole sentences, on pieces of them and on pairs of words, so that short
// posts are told apart as well as long ones.
//
// The same data gives the same bytes: texts are taken in a fixed order, chance comes from
// a fixed seed, and products are rounded before they are added.
package train

import (
	"fmt"

	"earshot/internal/model/langid"
)

// A plan says how much is kept of a script's n-grams.
type plan struct {
	script  string
	buckets int // of the table
	rows    int // n-grams with a weight for every language; the others have two
	bias    map[string]float64
}

// English has the most posts by far. Serbian is written in Latin letters too, but all we
// have of that is spoken lines; in doubt it is Croatian.
var plans = []plan{
	{script: "Latin", buckets: 1 << 18, rows: 65_000, bias: map[string]float64{"en": 1, "sr": -1}},
	{script: "Cyrillic", buckets: 1 << 15, rows: 20_000},
	{script: "Arabic", buckets: 1 << 14, rows: 20_000},
	{script: "Devanagari", buckets: 1 << 13, rows: 10_000},
	{script: "CJK", buckets: 1 << 14, rows: 20_000},
}

// Build learns from the texts in a folder and returns the files that package langid has
// compiled in.
func Build(data string) (map[string][]byte, error) {
	corpora, err := readCorpora(data)
	if err != nil {
		return nil, err
	}
	var list []langid.Weights
	for _, p := range plans {
		c := corpora[p.script]
		if c == nil {
			return nil, fmt.Errorf("no texts in %s script", p.script)
		}
		list = append(list, learn(p, c))
	}
	file, err := langid.Encode(list)
	if err != nil {
		return nil, err
	}
	return map[string][]byte{"model.bin": file}, nil
}

// learn returns the weights for one script.
func learn(p plan, c *corpus) langid.Weights {
	l := newLearner(p, c, bayes(c))
	l.train(c)
	return l.weights(p, c)
}
