package train

import (
	"math"
	"slices"

	"earshot/internal/model/people"
)

// trainWeights trains the two linear models and returns their file.
func trainWeights(folder string, r *register) ([]byte, error) {
	reader, err := people.NewExtractor(r.file)
	if err != nil {
		return nil, err
	}
	all, err := readProfiles(folder, reader)
	if err != nil {
		return nil, err
	}
	auxiliary := nameExamples(r, reader)
	dropRare(all, auxiliary)
	persons := slices.DeleteFunc(slices.Clone(all), func(x example) bool { return x.label == brand })
	gender := head{examples: persons, auxiliary: auxiliary, isClass: func(l label) bool { return l == female }}
	organization := head{examples: all, isClass: func(l label) bool { return l == brand }}
	var p packer
	for _, h := range []head{people.HeadGender: gender, people.HeadOrganization: organization} {
		packLinear(&p, h.train())
	}
	return p.pack()
}

// A head is a binary classifier and its training set.
type head struct {
	examples  []example
	auxiliary []example // only for training, because they differ from real profiles
	isClass   func(label) bool
}

// folds is the number of cross-validation folds.
const folds = 5

// train fits a model to all examples and calibrates it by cross-validation.
func (h *head) train() *linear {
	factor := fitScale(h.crossValidate(), h)
	m := h.fit(func(int) bool { return true })
	m.scaleBy(factor)
	return m
}

// crossValidate returns a held-out score for each example.
func (h *head) crossValidate() []float64 {
	scores := make([]float64, len(h.examples))
	for fold := range folds {
		m := h.fit(func(i int) bool { return i%folds != fold })
		for i := fold; i < len(h.examples); i += folds {
			scores[i] = m.score(&h.examples[i])
		}
	}
	return scores
}

// fit fits a model to the selected examples.
func (h *head) fit(in func(i int) bool) *linear {
	var chosen []*example
	for i := range h.examples {
		if in(i) {
			chosen = append(chosen, &h.examples[i])
		}
	}
	for i := range h.auxiliary {
		chosen = append(chosen, &h.auxiliary[i])
	}
	return fit(chosen, h.isClass)
}

// fitScale returns the maximum likelihood factor that turns scores into calibrated log odds.
func fitScale(scores []float64, h *head) float64 {
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

// packLinear encodes a model. The largest hashed weight is 127 steps.
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
