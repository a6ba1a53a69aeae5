package classify

import "math"

// A solver finds the shares of one example that agree with the weights which these
// shares make.
type solver struct {
	shares, logs, goals []float64
}

func newSolver(classes int) solver {
	return solver{make([]float64, classes), make([]float64, classes), make([]float64, classes)}
}

const (
	minShare    = 1e-7 // that an example is told to have
	solverSteps = 12
	closeEnough = 3e-4 // of shares
	solverReach = 2.5  // how far the logarithm of a share may go at once
)

// solve finds shares q such that q is the softmax of sums - pull*(q - told), and sets
// change to told - q, which the weights are to be changed by. It is Newton's method on
// log q + pull*q = sums + pull*told + level, where the level makes shares add up to 1.
func (s *solver) solve(sums, told, change []float32, pull float32) {
	a := float64(pull)
	for k, q := range told {
		s.shares[k] = max(float64(q), minShare)
		s.logs[k] = math.Log(s.shares[k])
		s.goals[k] = float64(sums[k]) + a*float64(q)
	}
	for range solverSteps {
		if s.step(a) < closeEnough {
			break
		}
	}
	for k, q := range told {
		change[k] = q - float32(s.shares[k])
	}
}

// step makes one step and returns how far shares went.
func (s *solver) step(pull float64) (far float64) {
	var all, missing, slope float64
	for k, q := range s.shares {
		give := q / (1 + pull*q)
		all += q
		missing += give * (s.goals[k] - s.logs[k] - pull*q)
		slope += give
	}
	level := (1 - all - missing) / slope
	for k, q := range s.shares {
		by := (s.goals[k] - s.logs[k] - pull*q + level) / (1 + pull*q)
		s.logs[k] += min(max(by, -solverReach), solverReach)
		s.shares[k] = math.Exp(s.logs[k])
		far = max(far, math.Abs(s.shares[k]-q))
	}
	return far
}
