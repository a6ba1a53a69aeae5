package train

import (
	"cmp"
	"math"
	"slices"

	"earshot/internal/model/langid"
)

const (
	minCount   = 2   // n-grams that occur once are noise
	lineWeight = 0.5 // of a movie line, relative to a sentence

	// Smoothing: each language starts with smoothingMass n-grams in their overall distribution,
	// plus a pseudocount for each n-gram.
	smoothingMass = 2000
	pseudocount   = 0.02

	// N-grams overlap and are not independent, so naive Bayes weights are too large.
	bayesScale = 0.2
)

// A prior holds the naive Bayes weights of an n-gram, which have a mean of 0.
type prior struct {
	ngram      uint32
	importance float64 // information content
	count      int32   // occurrences
	weights    []float32
}

// naiveBayes returns the weights of all n-grams, most informative first.
func naiveBayes(c *corpus) []prior {
	list := countNGrams(c)
	at := make(map[uint32]int, len(list))
	for i, g := range list {
		at[g.ngram] = i
	}
	total := make([]float64, len(c.languages))
	for k := range c.texts {
		c.texts[k].each(func(text string, weight float32) {
			_, grams := langid.NGrams(text)
			for _, g := range grams {
				if i, ok := at[g]; ok {
					list[i].weights[k] += weight
					total[k] += float64(weight)
				}
			}
		})
	}
	for i := range list {
		list[i].setWeights(total)
	}
	slices.SortFunc(list, func(a, b prior) int {
		return cmp.Or(cmp.Compare(b.importance, a.importance), cmp.Compare(a.ngram, b.ngram))
	})
	return list
}

// countNGrams returns all n-grams that occur more than once, without weights.
func countNGrams(c *corpus) []prior {
	count := map[uint32]int32{}
	for k := range c.texts {
		c.texts[k].each(func(text string, _ float32) {
			_, grams := langid.NGrams(text)
			for _, g := range grams {
				count[g]++
			}
		})
	}
	var list []prior
	for g, n := range count {
		if n >= minCount {
			list = append(list, prior{ngram: g, count: n, importance: math.Sqrt(float64(n))})
		}
	}
	slices.SortFunc(list, func(a, b prior) int { return cmp.Compare(a.ngram, b.ngram) })
	space := make([]float32, len(list)*len(c.languages))
	for i := range list {
		list[i].weights, space = space[:len(c.languages):len(c.languages)], space[len(c.languages):]
	}
	return list
}

// each calls f with each text and its weight.
func (t *texts) each(f func(text string, weight float32)) {
	for _, list := range [][]string{t.sentences, t.pairs, t.vocabulary} {
		for _, text := range list {
			f(text, 1)
		}
	}
	for _, text := range t.lines {
		f(text, lineWeight)
	}
}

// setWeights converts counts to weights. total is the number of n-grams of each language.
func (g *prior) setWeights(total []float64) {
	mean := 0.0
	for k, n := range g.weights {
		mean += float64(float64(n) / total[k])
	}
	mean /= float64(len(total))
	logs := make([]float64, len(total))
	middle := 0.0
	for k, n := range g.weights {
		logs[k] = ln((float64(n) + float64(smoothingMass*mean) + pseudocount) / (total[k] + smoothingMass))
		middle += logs[k]
	}
	middle /= float64(len(total))
	squares := 0.0
	for k := range logs {
		w := float64(bayesScale * (logs[k] - middle))
		g.weights[k] = float32(w)
		squares += float64(w * w)
	}
	g.importance = float64(g.importance * squares)
}
