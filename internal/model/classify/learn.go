package classify

import (
	"math"
	"math/rand/v2"
)

// An Example is a text to learn from: places of its features, each once, with their
// values, and the class it belongs to.
type Example struct {
	Features []uint32
	Values   []float32
	Class    int
	Weight   float32 // how much it counts
}

// A Regression learns weights of features such that their sums, made shares by softmax,
// tell the classes of examples: multinomial logistic regression with weights held
// small. It goes up the dual: each example has the shares it is told to have, and one
// example after another is brought to what the weights say of it while they are changed
// accordingly. That needs no rate of learning, ends in the same place wherever it
// starts, and is done after a few passes. The same examples in the same order give the
// same weights.
type Regression struct {
	Classes  int
	Strength float32   // how large weights may get: the more, the closer to the examples
	Weights  []float32 // Classes for each feature

	examples []Example
	told     []float32 // shares of each example
	lengths  []float32 // squared, of each example
	order    []int
	random   *rand.Rand
	solver   solver
	sums     []float32
	change   []float32
}

// firstTold is the share of the right class that examples are told to have at first.
// Nearly what they end with saves passes.
const firstTold = 0.85

// NewRegression returns a regression of examples whose features are below features.
func NewRegression(classes, features int, strength float32, examples []Example) *Regression {
	r := &Regression{
		Classes: classes, Strength: strength, Weights: make([]float32, features*classes),
		examples: examples,
		told:     make([]float32, len(examples)*classes),
		lengths:  make([]float32, len(examples)),
		order:    make([]int, len(examples)),
		random:   rand.New(rand.NewPCG(1, 2)),
		solver:   newSolver(classes),
		sums:     make([]float32, classes),
		change:   make([]float32, classes),
	}
	for i := range examples {
		r.order[i] = i
		r.begin(i)
	}
	return r
}

// begin gives example i the shares that it is told to have at first.
func (r *Regression) begin(i int) {
	ex, told := r.examples[i], r.toldOf(i)
	for k := range told {
		told[k] = (1 - firstTold) / float32(r.Classes)
		r.change[k] = -told[k]
	}
	told[ex.Class] += firstTold
	r.change[ex.Class] = 1 - told[ex.Class]
	for _, v := range ex.Values {
		r.lengths[i] += float32(v * v)
	}
	r.move(ex, r.change)
}

func (r *Regression) toldOf(i int) []float32 { return r.told[i*r.Classes:][:r.Classes] }

// Settle makes passes until shares change by less than tolerance, at most limit.
func (r *Regression) Settle(tolerance float64, limit int) {
	for range limit {
		if r.Pass() < tolerance {
			return
		}
	}
}

// Pass goes over all examples once, in a new order, and returns how much their shares
// changed on average. One class after another would take many passes.
func (r *Regression) Pass() float64 {
	r.random.Shuffle(len(r.order), func(i, j int) { r.order[i], r.order[j] = r.order[j], r.order[i] })
	var changed float64
	for _, i := range r.order {
		ex, told := r.examples[i], r.toldOf(i)
		clear(r.sums)
		r.Sums(ex, r.sums)
		r.solver.solve(r.sums, told, r.change, r.Strength*ex.Weight*r.lengths[i])
		for k, c := range r.change {
			told[k] -= c
			changed += math.Abs(float64(c))
		}
		r.move(ex, r.change)
	}
	return changed / float64(max(len(r.examples), 1))
}

// Sums adds the weighted features of an example to sums.
func (r *Regression) Sums(ex Example, sums []float32) {
	for j, f := range ex.Features {
		v := ex.Values[j]
		row := r.Weights[int(f)*r.Classes:][:len(sums)]
		for k, w := range row {
			sums[k] += float32(v * w)
		}
	}
}

// move changes the weights when the told shares of an example become less by change.
func (r *Regression) move(ex Example, change []float32) {
	for j, f := range ex.Features {
		step := r.Strength * ex.Weight * ex.Values[j]
		row := r.Weights[int(f)*r.Classes:][:len(change)]
		for k, c := range change {
			row[k] += float32(step * c)
		}
	}
}
