package train

import (
	"math"

	"earshot/internal/model/people"
)

// How weights are learnt: stochastic gradient descent with a step for each weight
// that shrinks with what it has moved (AdaGrad), and a pull towards 0.
const (
	epochs   = 12
	rate     = 0.05
	pull     = 1e-3 // of hashed weights
	softPull = 1e-4 // of dense ones
)

// A linear is a model of log odds.
type linear struct {
	bias   float64
	dense  [people.Denses]float64
	hashed []float64
}

// score returns the log odds of an example.
func (m *linear) score(x *example) float64 {
	score := m.bias
	for i, v := range x.dense {
		score += float64(m.dense[i] * v)
	}
	for _, g := range x.groups {
		sum := 0.0
		for _, place := range g.features {
			sum += m.hashed[place]
		}
		score += float64(sum * g.scale)
	}
	return score
}

// scaleBy multiplies all weights.
func (m *linear) scaleBy(factor float64) {
	m.bias *= factor
	for i := range m.dense {
		m.dense[i] *= factor
	}
	for i := range m.hashed {
		m.hashed[i] *= factor
	}
}

// A fitter moves the weights of a model.
type fitter struct {
	linear
	moved linear // sum of squares of gradients
}

// fit learns which examples are of the class.
func fit(examples []*example, isClass func(label) bool) *linear {
	f := &fitter{}
	f.hashed = make([]float64, 1<<people.HashBits)
	f.moved.hashed = make([]float64, 1<<people.HashBits)
	order := newShuffler(len(examples))
	for range epochs {
		for _, i := range order.next() {
			f.learn(examples[i], isClass(examples[i].label))
		}
	}
	return &f.linear
}

// learn moves the weights towards an example.
func (f *fitter) learn(x *example, isClass bool) {
	slope := probability(f.score(x))
	if isClass {
		slope--
	}
	slope *= x.weight
	step(&f.bias, &f.moved.bias, slope)
	for i, v := range x.dense {
		if v != 0 {
			step(&f.dense[i], &f.moved.dense[i], float64(slope*v)+float64(softPull*f.dense[i]))
		}
	}
	for _, g := range x.groups {
		s := slope * g.scale
		for _, place := range g.features {
			step(&f.hashed[place], &f.moved.hashed[place], s+float64(pull*f.hashed[place]))
		}
	}
}

// step moves a weight against its gradient.
func step(weight, moved *float64, gradient float64) {
	*moved += float64(gradient * gradient)
	*weight -= rate * gradient / math.Sqrt(*moved+1e-3)
}

func probability(odds float64) float64 { return 1 / (1 + math.Exp(-odds)) }

// A shuffler puts numbers into one random order after another, always the same.
type shuffler struct {
	order []int
	state uint64
}

func newShuffler(n int) *shuffler {
	s := &shuffler{order: make([]int, n), state: 1}
	for i := range s.order {
		s.order[i] = i
	}
	return s
}

func (s *shuffler) next() []int {
	for i := len(s.order) - 1; i > 0; i-- {
		s.state = s.state*6364136223846793005 + 1442695040888963407
		j := int((s.state >> 33) % uint64(i+1))
		s.order[i], s.order[j] = s.order[j], s.order[i]
	}
	return s.order
}
