package train

import (
	"cmp"
	"math"
	"slices"

	"earshot/internal/model/langid"
)

const (
	leastCount = 2   // n-grams that were seen once tell nothing
	lineWeight = 0.5 // of a spoken line, next to a sentence

	// What every language is taken to have seen before its first text: as many n-grams,
	// in the shares that they have over all languages, and a little of each.
	priorMass   = 2000
	priorLittle = 0.02

	// N-grams overlap, and so do what they tell. This is how much of it is new.
	bayesShare = 0.2
)

// A guess is the weights of an n-gram as naive Bayes has them, their mean being 0.
type guess struct {
	gram    uint32
	value   float64 // how much it tells
	count   int32   // how often it was seen
	weights []float32
}

// bayes returns the weights of all n-grams, those that tell most first.
func bayes(c *corpus) []guess {
	list := seen(c)
	at := make(map[uint32]int, len(list))
	for i, g := range list {
		at[g.gram] = i
	}
	total := make([]float64, len(c.languages))
	for k := range c.texts {
		c.texts[k].each(func(text string, weight float32) {
			_, grams := langid.Grams(text)
			for _, g := range grams {
				if i, ok := at[g]; ok {
					list[i].weights[k] += weight
					total[k] += float64(weight)
				}
			}
		})
	}
	for i := range list {
		list[i].settle(total)
	}
	slices.SortFunc(list, func(a, b guess) int {
		return cmp.Or(cmp.Compare(b.value, a.value), cmp.Compare(a.gram, b.gram))
	})
	return list
}

// seen returns all n-grams that were seen more than once, without weights yet.
func seen(c *corpus) []guess {
	count := map[uint32]int32{}
	for k := range c.texts {
		c.texts[k].each(func(text string, _ float32) {
			_, grams := langid.Grams(text)
			for _, g := range grams {
				count[g]++
			}
		})
	}
	var list []guess
	for g, n := range count {
		if n >= leastCount {
			list = append(list, guess{gram: g, count: n, value: math.Sqrt(float64(n))})
		}
	}
	slices.SortFunc(list, func(a, b guess) int { return cmp.Compare(a.gram, b.gram) })
	space := make([]float32, len(list)*len(c.languages))
	for i := range list {
		list[i].weights, space = space[:len(c.languages):len(c.languages)], space[len(c.languages):]
	}
	return list
}

// each calls f with all texts, and how much each counts.
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

// settle turns counts into weights. total is how many n-grams each language has.
func (g *guess) settle(total []float64) {
	mean := 0.0
	for k, n := range g.weights {
		mean += float64(float64(n) / total[k])
	}
	mean /= float64(len(total))
	logs := make([]float64, len(total))
	middle := 0.0
	for k, n := range g.weights {
		logs[k] = ln((float64(n) + float64(priorMass*mean) + priorLittle) / (total[k] + priorMass))
		middle += logs[k]
	}
	middle /= float64(len(total))
	squares := 0.0
	for k := range logs {
		w := float64(bayesShare * (logs[k] - middle))
		g.weights[k] = float32(w)
		squares += float64(w * w)
	}
	g.value = float64(g.value * squares)
}
