package quantify

import "math"

const (
	mostSteps = 200  // of maximise
	leastStep = 1e-7 // at which it is done
)

// maximise returns the mix under which everything is likeliest, by expectation
// maximisation. likelihoods has, for each group of posts, how likely it is in each
// category, but for a factor. from is where to begin, nil: an even mix. It is done when a
// step moves no share by more than least.
//
// Plain steps become short long before they are done, so two of them show the way for a
// long one (Varadhan and Roland, 2008).
func maximise(likelihoods [][]float64, posts, from []float64, least float64) []float64 {
	n := len(likelihoods[0])
	mix, once, twice := even(n), make([]float64, n), make([]float64, n)
	for k := range from {
		mix[k] = 0.99*from[k] + 0.01*mix[k] // what is 0 stays 0
	}
	for range mostSteps {
		explain(likelihoods, posts, mix, once)
		explain(likelihoods, posts, once, twice)
		leap(mix, once, twice)
		explain(likelihoods, posts, mix, once)
		moved := 0.0
		for k := range mix {
			moved = max(moved, math.Abs(once[k]-mix[k]))
		}
		mix, once = once, mix
		if moved < least {
			break
		}
	}
	return mix
}

// leap moves mix as far as two steps from it suggest; where that leads out of the
// simplex, only to the second.
func leap(mix, once, twice []float64) {
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
	normalise(mix)
}

// explain divides every post among the categories, as likely as they are where the mix is
// like that, and stores what share of all posts each gets.
func explain(likelihoods [][]float64, posts, mix, shares []float64) {
	clear(shares)
	for i, row := range likelihoods {
		sum := dot(row, mix)
		if sum <= 0 {
			continue
		}
		scale := posts[i] / sum
		for k, v := range row {
			shares[k] += v * scale
		}
	}
	for k := range shares {
		shares[k] *= mix[k]
	}
	normalise(shares)
}

// even returns equal shares.
func even(categories int) []float64 { return normalise(make([]float64, categories)) }
