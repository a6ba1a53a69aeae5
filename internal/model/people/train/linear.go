package train

import (
	"math"

	"earshot/internal/model/people"
)

// Parameters of stochastic gradient descent with AdaGrad and L2 regularization.
const (
	epochs      = 12
	rate        = 0.05
	hashedRidge = 1e-3 // L2 regularization of hashed weights
	denseRidge  = 1e-4 // of dense weights
)

// A linear is a linear model of log odds.
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

// scaleBy multiplies all weights by a factor.
func (m *linear) scaleBy(factor float64) {
	m.bias *= factor
	for i := range m.dense {
		m.dense[i] *= factor
	}
	for i := range m.hashed {
		m.hashed[i] *= factor
	}
}

// An optimizer updates the weights of a model.
type optimizer struct {
	linear
	squares linear // sums of squared gradients
}

// fit fits a classifier for the class.
func fit(examples []*example, isClass func(label) bool) *linear {
	f := &optimizer{}
	f.hashed = make([]float64, 1<<people.HashBits)
	f.squares.hashed = make([]float64, 1<<people.HashBits)
	order := newShuffler(len(examples))
	for range epochs {
		for _, i := range order.next() {
			f.update(examples[i], isClass(examples[i].label))
		}
	}
	return &f.linear
}

// update makes a gradient step for an example.
func (f *optimizer) update(x *example, isClass bool) {
	slope := probability(f.score(x))
	if isClass {
		slope--
	}
	slope *= x.weight
	step(&f.bias, &f.squares.bias, slope)
	for i, v := range x.dense {
		if v != 0 {
			step(&f.dense[i], &f.squares.dense[i], float64(slope*v)+float64(denseRidge*f.dense[i]))
		}
	}
	for _, g := range x.groups {
		s := slope * g.scale
		for _, place := range g.features {
			step(&f.hashed[place], &f.squares.hashed[place], s+float64(hashedRidge*f.hashed[place]))
		}
	}
}

// step makes an AdaGrad step for a weight.
func step(weight, moved *float64, gradient float64) {
	*moved += float64(gradient * gradient)
	*weight -= rate * gradient / math.Sqrt(*moved+1e-3)
}

func probability(odds float64) float64 { return 1 / (1 + math.Exp(-odds)) }

// A shuffler produces a reproducible sequence of random permutations.
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
