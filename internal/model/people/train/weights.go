package train

import (
	"math"
	"slices"

	"earshot/internal/model/people"
)

// weights learns the two linear models and returns the file with them.
func weights(folder string, r *register) ([]byte, error) {
	reader, err := people.NewReader(r.file)
	if err != nil {
		return nil, err
	}
	all, err := profiles(folder, reader)
	if err != nil {
		return nil, err
	}
	besides := nameExamples(r, reader)
	dropRare(all, besides)
	persons := slices.DeleteFunc(slices.Clone(all), func(x example) bool { return x.label == brand })
	gender := head{examples: persons, besides: besides, isClass: func(l label) bool { return l == female }}
	organisation := head{examples: all, isClass: func(l label) bool { return l == brand }}
	var p packer
	for _, h := range []head{people.HeadGender: gender, people.HeadOrganisation: organisation} {
		packLinear(&p, h.train())
	}
	return p.pack()
}

// A head is one question and the examples that answer it.
type head struct {
	examples []example
	besides  []example // learnt from, but not like the profiles to come
	isClass  func(label) bool
}

// folds is into how many parts examples are cut to see how well a model does on
// those that it has not seen.
const folds = 5

// train learns from all examples. How far the odds can be believed is learnt from
// models that each have not seen a part of them.
func (h *head) train() *linear {
	factor := believe(h.unseen(), h)
	m := h.fit(func(int) bool { return true })
	m.scaleBy(factor)
	return m
}

// unseen returns a score for each example, by a model that was made without it.
func (h *head) unseen() []float64 {
	scores := make([]float64, len(h.examples))
	for fold := range folds {
		m := h.fit(func(i int) bool { return i%folds != fold })
		for i := fold; i < len(h.examples); i += folds {
			scores[i] = m.score(&h.examples[i])
		}
	}
	return scores
}

// fit learns from the examples that are in.
func (h *head) fit(in func(i int) bool) *linear {
	var chosen []*example
	for i := range h.examples {
		if in(i) {
			chosen = append(chosen, &h.examples[i])
		}
	}
	for i := range h.besides {
		chosen = append(chosen, &h.besides[i])
	}
	return fit(chosen, h.isClass)
}

// believe returns the factor that makes scores true log odds: that with which the
// examples were the most likely.
func believe(scores []float64, h *head) float64 {
	best, least := 1.0, math.Inf(1)
	for percent := 30; percent <= 300; percent++ {
		factor := float64(percent) / 100
		surprise := 0.0
		for i, score := range scores {
			odds := float64(factor * score)
			if !h.isClass(h.examples[i].label) {
				odds = -odds
			}
			surprise -= math.Log(probability(odds))
		}
		if surprise < least {
			best, least = factor, surprise
		}
	}
	return best
}

// packLinear writes a model. The largest hashed weight is 127 steps.
func packLinear(p *packer, m *linear) {
	p.float(float32(m.bias))
	for _, w := range m.dense {
		p.float(float32(w))
	}
	largest := 0.0
	for _, w := range m.hashed {
		largest = max(largest, math.Abs(w))
	}
	step := largest / 127
	p.float(float32(step))
	for _, w := range m.hashed {
		p.WriteByte(byte(int8(math.Round(w / step))))
	}
}
