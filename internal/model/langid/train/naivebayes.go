package train

import (
	"cmp"
	"math"
	"slices"
)

const (
	minCount         = 2   // n-grams that occur once are noise
	lineWeight       = 0.5 // of a movie line or a post, relative to a sentence
	vocabularyWeight = 0.5

	// shareLetters is the number of letters that shares count for. Texts have 0.1 to 5 million.
	shareLetters = 400_000

	// shareOrders is about the sum of the shares of a language: nearly 1 for single letters and
	// pairs, less for longer n-grams, because many words are shorter.
	shareOrders = 4.5

	// Smoothing: each language starts with smoothingMass n-grams in their overall distribution,
	// plus a pseudocount for each n-gram.
	smoothingMass = 2000
	pseudocount   = 0.02

	// N-grams overlap and are not independent, so naive Bayes weights are too large.
	bayesScale = 0.2
)

// A prior holds the naive Bayes weights of an n-gram, which have a mean of 0.
type prior struct {
	number     int32
	ngram      uint32
	importance float64 // information content
	count      int32   // occurrences
	weights    []float32
}

// naiveBayes returns the weights of all n-grams, most informative first.
func naiveBayes(c *corpus, n *numbering) []prior {
	languages := len(c.languages)
	list, at := n.frequent(languages)
	for k := range n.languages {
		for _, g := range n.languages[k].groups() {
			for _, d := range g.documents {
				for _, word := range d {
					for _, number := range word {
						if i := at[number]; i >= 0 {
							list[i].weights[k] += g.weight
						}
					}
				}
			}
		}
	}
	inner := make([]bool, len(list)) // n-grams with a share
	for _, s := range n.shares {
		if i := at[s.ngram]; i >= 0 {
			inner[i] = true
		}
	}
	// N-grams with and without a share have separate totals, because shares exist only for some
	// languages, and only for n-grams inside words.
	total, innerTotal := make([]float64, languages), make([]float64, languages)
	for i, p := range list {
		sums := total
		if inner[i] {
			sums = innerTotal
		}
		for k, w := range p.weights {
			sums[k] += float64(w)
		}
	}
	for k, t := range c.texts {
		if len(t.shares) > 0 {
			innerTotal[k] += shareOrders * shareLetters
		}
	}
	for _, s := range n.shares {
		if i := at[s.ngram]; i >= 0 {
			list[i].weights[s.language] += float32(s.value * shareLetters)
		}
	}
	for i := range list {
		if inner[i] {
			list[i].setWeights(innerTotal)
		} else {
			list[i].setWeights(total)
		}
	}
	slices.SortFunc(list, func(a, b prior) int {
		return cmp.Or(cmp.Compare(b.importance, a.importance), cmp.Compare(a.ngram, b.ngram))
	})
	return list
}

// frequent returns all n-grams that occur more than once, without weights, and the index of each
// n-gram in this list, or -1.
func (n *numbering) frequent(languages int) (list []prior, at []int32) {
	at = make([]int32, len(n.ngrams))
	for number, count := range n.counts {
		at[number] = -1
		if count >= minCount {
			at[number] = int32(len(list))
			list = append(list, prior{number: int32(number), ngram: n.ngrams[number], count: count})
		}
	}
	space := make([]float32, len(list)*languages)
	for i := range list {
		list[i].weights, space = space[:languages:languages], space[languages:]
	}
	return list, at
}

// setWeights converts counts to weights. total is the number of n-grams of each language.
func (p *prior) setWeights(total []float64) {
	mean := 0.0
	for k, n := range p.weights {
		mean += float64(n) / max(total[k], 1)
	}
	mean /= float64(len(total))
	logs := make([]float64, len(total))
	middle := 0.0
	for k, n := range p.weights {
		logs[k] = ln((float64(n) + float64(smoothingMass*mean) + pseudocount) / (total[k] + smoothingMass))
		middle += logs[k]
	}
	middle /= float64(len(total))
	squares := 0.0
	for k := range logs {
		w := float64(bayesScale * (logs[k] - middle))
		p.weights[k] = float32(w)
		squares += float64(w * w)
	}
	p.importance = float64(math.Sqrt(float64(p.count)) * squares)
}
