package opinion

import (
	"math"

	"earshot/internal/classify"
)

// strength, tolerance and passes are those of classify.Regression. Which strength it is
// hardly matters between 4 and 30, because shares are calibrated afterwards.
const (
	strength  = 10
	tolerance = 0.002
	passes    = 12
)

// A lecture is what is learnt from some of the texts.
type lecture struct {
	corpus     *corpus
	focus      []float32 // how much a feature keeps to few categories; 0: unknown
	regression *classify.Regression
}

// teach learns from the texts that keep chooses.
func (c *corpus) teach(keep func(*text) bool) *lecture {
	var chosen []*text
	counts := make([]int, len(c.categories))
	entries := 0
	for i := range c.texts {
		if t := &c.texts[i]; keep(t) {
			chosen = append(chosen, t)
			counts[t.class]++
			entries += len(t.features)
		}
	}
	weights := balance(counts, len(chosen))
	l := &lecture{corpus: c, focus: c.focus(chosen, weights)}
	values := make([]float32, 0, entries)
	examples := make([]classify.Example, len(chosen))
	for i, t := range chosen {
		start := len(values)
		for j, f := range t.features {
			values = append(values, float32(t.values[j]*l.focus[f]))
		}
		examples[i] = classify.Example{Features: t.features, Values: values[start:], Class: t.class, Weight: weights[t.class]}
	}
	l.regression = classify.NewRegression(len(c.categories), len(c.features), strength, examples)
	l.regression.Settle(tolerance, passes)
	return l
}

// balance returns weights that make all categories count the same, whatever number of
// documents they have.
func balance(counts []int, all int) []float32 {
	weights := make([]float32, len(counts))
	for k, n := range counts {
		weights[k] = float32(all) / float32(len(counts)*max(n, 1))
	}
	return weights
}

// The weight of a feature that tells nothing is about half of one's that is found in one
// category alone.
const (
	evenly    = 0.05
	smoothing = 0.5 // of a document, spread over all categories
)

// focus returns how much each feature keeps to few categories. It is 0 for features that
// are in none of the texts.
func (c *corpus) focus(texts []*text, weights []float32) []float32 {
	k := len(weights)
	in := make([]float32, len(c.features)*k)
	for _, t := range texts {
		for _, f := range t.features {
			in[int(f)*k+t.class] += weights[t.class]
		}
	}
	focus := make([]float32, len(c.features))
	for f := range focus {
		focus[f] = focusOf(in[f*k:][:k])
	}
	return focus
}

// focusOf returns the focus of a feature that is so often in documents of the
// categories.
func focusOf(in []float32) float32 {
	var sum, squares float64
	for _, n := range in {
		sum += float64(n)
		squares += float64(n) * float64(n)
	}
	if sum == 0 {
		return 0
	}
	k := float64(len(in))
	// The sum of squared shares when smoothing is spread evenly.
	all := sum + smoothing
	squares = (squares + 2*sum*smoothing/k + smoothing*smoothing/k) / (all * all)
	return float32(math.Sqrt(math.Sqrt(evenly + max(0, (k*squares-1)/(k-1)))))
}

// tell adds to sums what was learnt of a text.
func (l *lecture) tell(t *text, sums []float32) {
	values := l.corpus.appendValues(nil, t, l.focus)
	for j, f := range t.features {
		values[j] *= l.focus[f]
	}
	l.regression.Sums(classify.Example{Features: t.features, Values: values}, sums)
}
