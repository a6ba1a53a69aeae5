package opinion

import (
	"earshot/internal/model/classify"
)

// strength is that of classify.Regression, which goes over the texts until their shares change
// by less than tolerance, at most so many passes. Which strength it is
// hardly matters between 4 and 30, because shares are calibrated afterwards.
const (
	strength  = 10
	tolerance = 0.01
	passes    = 12
)

// A lecture is what is learnt from some of the texts.
type lecture struct {
	corpus     *corpus
	unknown    uint8     // rarity of features that are in none of the texts
	rarity     []uint8   // of features
	focus      []float32 // of features, 0 for those that are in none of the texts
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
	l := &lecture{corpus: c, unknown: unknown(len(chosen))}
	weights := balance(counts, len(chosen))
	l.weigh(chosen, weights)
	values := make([]float32, 0, entries)
	examples := make([]classify.Example, len(chosen))
	for i, t := range chosen {
		start := len(values)
		values = l.appendValues(values, t)
		examples[i] = classify.Example{Features: t.features, Values: values[start:], Class: t.class, Weight: weights[t.class]}
	}
	l.regression = classify.NewRegression(len(c.categories), len(c.features), strength, examples)
	for range passes {
		if l.regression.Pass() < tolerance || c.ended() {
			break
		}
	}
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

// tell adds to sums what was learnt of a text.
func (l *lecture) tell(t *text, sums []float32) {
	l.regression.Sums(classify.Example{Features: t.features, Values: l.appendValues(nil, t)}, sums)
}
