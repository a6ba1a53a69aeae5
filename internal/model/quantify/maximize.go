package quantify

import "math"

const (
	maxSteps  = 200  // limit for maximize; rarely reached
	tolerance = 1e-7 // of maximize; far below what any chart shows
)

// maximize returns the maximum likelihood mix by expectation maximization (EM), or the maximum a
// posteriori mix if there is an anchor. likelihoods has, for each group of posts, its likelihood in
// each category, up to a constant factor. from is the initial mix; nil means uniform. It stops when
// a step changes no proportion by more than tolerance.
//
// EM converges slowly, so pairs of steps are extrapolated to a longer one with SQUAREM (Varadhan
// and Roland, 2008).
func maximize(likelihoods [][]float64, posts, from []float64, a anchor, tolerance float64) []float64 {
	n := len(likelihoods[0])
	mix, once, twice := uniform(n), make([]float64, n), make([]float64, n)
	for k := range from {
		mix[k] = 0.99*from[k] + 0.01*mix[k] // EM cannot move away from 0
	}
	step := func(mix, next []float64) {
		emStep(likelihoods, posts, mix, next)
		a.pull(next)
	}
	for range maxSteps {
		step(mix, once)
		step(once, twice)
		extrapolate(mix, once, twice)
		step(mix, once)
		moved := 0.0
		for k := range mix {
			moved = max(moved, math.Abs(once[k]-mix[k]))
		}
		mix, once = once, mix
		if moved < tolerance {
			break
		}
	}
	return mix
}

// extrapolate moves mix as far as two EM steps suggest. A proportion that would fall below a tenth
// of its value after the second step is set to that tenth, which keeps the mix in the simplex.
func extrapolate(mix, once, twice []float64) {
	r, v := 0.0, 0.0
	for k := range mix {
		step := once[k] - mix[k]
		bend := twice[k] - once[k] - step
		r, v = r+step*step, v+bend*bend
	}
	length := 1.0
	if v > 0 {
		length = max(1, math.Sqrt(r/v))
	}
	for k := range mix {
		step := once[k] - mix[k]
		far := mix[k] + 2*length*step + length*length*(twice[k]-once[k]-step)
		if far < twice[k]/10 {
			far = twice[k] / 10
		}
		mix[k] = far
	}
	normalize(mix)
}

// emStep computes the posterior of every post under mix and stores the mean in next.
func emStep(likelihoods [][]float64, posts, mix, next []float64) {
	clear(next)
	for i, row := range likelihoods {
		sum := dot(row, mix)
		if sum <= 0 {
			continue
		}
		scale := posts[i] / sum
		for k, v := range row {
			next[k] += v * scale
		}
	}
	for k := range next {
		next[k] *= mix[k]
	}
	normalize(next)
}

// uniform returns a uniform prevalence.
func uniform(categories int) []float64 { return normalize(make([]float64, categories)) }
