package classify

import (
	"math"
	"math/rand/v2"
)

// An Example is a training example: its distinct feature indexes with their values, and its class.
type Example struct {
	Features []uint32
	Values   []float32
	Class    int
	Weight   float32 // weight of its loss
}

// A Regression is multinomial logistic regression with L2 regularization, fitted by dual coordinate
// ascent. Each example has dual variables that form a distribution over the classes. The fit visits
// one example at a time, solves for the dual variables that agree with the weights, and updates the
// weights accordingly. It needs no learning rate, converges to a unique optimum from any start, and
// takes few passes. It is deterministic for examples in a given order.
type Regression struct {
	Classes      int
	InverseRidge float32   // larger values fit the examples more closely
	Weights      []float32 // Classes per feature

	examples     []Example
	dual         []float32 // dual variables, Classes per example
	squaredNorms []float32 // squared norm of the values of each example
	order        []int
	random       *rand.Rand
	solver       solver
	sums         []float32
	change       []float32
}

// initialDual is the initial dual variable of the correct class. It is close to the typical final
// value, which saves passes.
const initialDual = 0.85

// NewRegression returns a regression of examples whose feature indexes are below features.
func NewRegression(classes, features int, strength float32, examples []Example) *Regression {
	r := &Regression{
		Classes: classes, InverseRidge: strength, Weights: make([]float32, features*classes),
		examples:     examples,
		dual:         make([]float32, len(examples)*classes),
		squaredNorms: make([]float32, len(examples)),
		order:        make([]int, len(examples)),
		random:       rand.New(rand.NewPCG(1, 2)),
		solver:       newSolver(classes),
		sums:         make([]float32, classes),
		change:       make([]float32, classes),
	}
	for i := range examples {
		r.order[i] = i
		r.initialize(i)
	}
	return r
}

// initialize sets the dual variables of example i.
func (r *Regression) initialize(i int) {
	ex, dual := r.examples[i], r.dualOf(i)
	for k := range dual {
		dual[k] = (1 - initialDual) / float32(r.Classes)
		r.change[k] = -dual[k]
	}
	dual[ex.Class] += initialDual
	r.change[ex.Class] = 1 - dual[ex.Class]
	for _, v := range ex.Values {
		r.squaredNorms[i] += float32(v * v)
	}
	r.updateWeights(ex, r.change)
}

func (r *Regression) dualOf(i int) []float32 { return r.dual[i*r.Classes:][:r.Classes] }

// Pass updates all examples once, in a new random order, and returns the mean change in their dual
// variables. It updates all classes of an example together, because updating them one at a time
// would take many passes.
func (r *Regression) Pass() float64 {
	r.random.Shuffle(len(r.order), func(i, j int) { r.order[i], r.order[j] = r.order[j], r.order[i] })
	var changed float64
	for _, i := range r.order {
		ex, dual := r.examples[i], r.dualOf(i)
		clear(r.sums)
		r.Sums(ex, r.sums)
		r.solver.solve(r.sums, dual, r.change, r.InverseRidge*ex.Weight*r.squaredNorms[i])
		for k, c := range r.change {
			dual[k] -= c
			changed += math.Abs(float64(c))
		}
		r.updateWeights(ex, r.change)
	}
	return changed / float64(max(len(r.examples), 1))
}

// Sums adds the logits of an example to sums.
func (r *Regression) Sums(ex Example, sums []float32) {
	for j, f := range ex.Features {
		v := ex.Values[j]
		row := r.Weights[int(f)*r.Classes:][:len(sums)]
		for k, w := range row {
			sums[k] += float32(v * w)
		}
	}
}

// updateWeights updates the weights after the dual variables of an example decrease by change.
func (r *Regression) updateWeights(ex Example, change []float32) {
	for j, f := range ex.Features {
		step := r.InverseRidge * ex.Weight * ex.Values[j]
		row := r.Weights[int(f)*r.Classes:][:len(change)]
		for k, c := range change {
			row[k] += float32(step * c)
		}
	}
}

// A solver finds the dual variables of one example that agree with the weights they imply.
type solver struct {
	probabilities, logs, targets []float64
}

func newSolver(classes int) solver {
	return solver{make([]float64, classes), make([]float64, classes), make([]float64, classes)}
}

const (
	minDual         = 1e-7 // avoids log(0)
	maxSolverSteps  = 12
	solverTolerance = 3e-4 // maximum change in a probability
	maxLogStep      = 2.5  // limits Newton steps in log probabilities
)

// solve finds q such that q is the softmax of sums - pull*(q - dual), and sets change to dual - q.
// It applies Newton's method to log q + pull*q = sums + pull*dual + level, where level makes q sum
// to 1.
func (s *solver) solve(sums, dual, change []float32, pull float32) {
	a := float64(pull)
	for k, q := range dual {
		s.probabilities[k] = max(float64(q), minDual)
		s.logs[k] = math.Log(s.probabilities[k])
		s.targets[k] = float64(sums[k]) + a*float64(q)
	}
	for range maxSolverSteps {
		if s.step(a) < solverTolerance {
			break
		}
	}
	for k, q := range dual {
		change[k] = q - float32(s.probabilities[k])
	}
}

// step makes one Newton step and returns the largest change in a probability.
func (s *solver) step(pull float64) (far float64) {
	var all, missing, slope float64
	for k, q := range s.probabilities {
		give := q / (1 + pull*q)
		all += q
		missing += give * (s.targets[k] - s.logs[k] - pull*q)
		slope += give
	}
	level := (1 - all - missing) / slope
	for k, q := range s.probabilities {
		by := (s.targets[k] - s.logs[k] - pull*q + level) / (1 + pull*q)
		s.logs[k] += min(max(by, -maxLogStep), maxLogStep)
		s.probabilities[k] = math.Exp(s.logs[k])
		far = max(far, math.Abs(s.probabilities[k]-q))
	}
	return far
}
