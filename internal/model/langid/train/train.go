// Package train fits the weights of package langid to labeled texts.
//
// For each script, it counts the n-grams of all texts by language, and adds the n-gram statistics of
// a larger corpus, which yields naive Bayes weights. It refines the most informative ones by
// logistic regression on sentences, excerpts of sentences, posts, word pairs and fragments of words,
// so that the model detects short posts as well as long ones.
//
// Training is deterministic: texts are processed in a fixed order, random numbers have a fixed
// seed, and products are rounded before they are added. The same data yields the same bytes.
package train

import (
	_ "embed"
	"fmt"

	"earshot/internal/model/langid"
)

// ngramFile has the n-gram statistics of lingua-go. It was made with ngrams.py.
//
//go:embed ngrams.txt.gz
var ngramFile []byte

// A config limits the table of a script.
type config struct {
	script  string
	buckets int // buckets of the table
	rows    int // n-grams with a weight for every language; the others have two weights
	bias    map[string]float64
}

// English and Russian have by far the most posts of their script. Serbian is also written in Latin
// letters, but the only such data are spoken lines and posts, so ambiguous texts count as Croatian.
var configs = []config{
	{script: "Latin", buckets: 1 << 18, rows: 65_000, bias: map[string]float64{"en": 2, "sr": -0.5}},
	{script: "Cyrillic", buckets: 1 << 15, rows: 20_000, bias: map[string]float64{"ru": 1.5}},
	{script: "Arabic", buckets: 1 << 14, rows: 20_000},
	{script: "Devanagari", buckets: 1 << 13, rows: 10_000},
	{script: "CJK", buckets: 1 << 14, rows: 20_000},
}

// Build trains on the texts in a folder and returns the files that package langid embeds.
func Build(data string) (map[string][]byte, error) { return build(data, ngramFile, false) }

// BuildOpen is [Build] without the texts that have no clear license.
func BuildOpen(data string) (map[string][]byte, error) { return build(data, ngramFile, true) }

func build(data string, ngrams []byte, open bool) (map[string][]byte, error) {
	corpora, err := readCorpora(data, open)
	if err != nil {
		return nil, err
	}
	if err := corpora.addShares(ngrams); err != nil {
		return nil, err
	}
	var list []langid.Weights
	for _, p := range configs {
		languages := corpora[p.script]
		if languages == nil {
			return nil, fmt.Errorf("no training texts in %s script", p.script)
		}
		list = append(list, fit(p, newCorpus(languages)))
	}
	file, err := langid.Encode(list)
	if err != nil {
		return nil, err
	}
	return map[string][]byte{"model.bin": file}, nil
}

// fit returns the weights of one script.
func fit(p config, c *corpus) langid.Weights {
	n := number(c)
	l := newRegression(p, c, n, naiveBayes(c, n))
	l.train()
	return l.weights(p, c)
}
