package quantify

import "math"

const (
	mostSteps = 500  // of maximise
	leastStep = 1e-6 // at which it is done
)

// likelihoods returns, for each group, how likely its shares are for documents of each
// category, but for a factor: what a share is more than the prior.
func (b bag) likelihoods(prior []float64) [][]float64 {
	out := make([][]float64, len(b.shares))
	for i, shares := range b.shares {
		row := make([]float64, len(shares))
		for k, s := range shares {
			row[k] = max(s, leastShare) / prior[k]
		}
		out[i] = row
	}
	return out
}

// leastShare stands for shares that are stored as nothing.
const leastShare = 1e-3

// maximise returns the mix under which everything is likeliest: expectation
// maximisation, from an even mix.
func maximise(likelihoods [][]float64, weights []float64) []float64 {
	n := len(likelihoods[0])
	mix, next := make([]float64, n), make([]float64, n)
	for k := range mix {
		mix[k] = 1 / float64(n)
	}
	for range mostSteps {
		clear(next)
		for i, row := range likelihoods {
			if sum := dot(row, mix); sum > 0 {
				scale := weights[i] / sum
				for k, v := range row {
					next[k] += v * mix[k] * scale
				}
			}
		}
		normalise(next)
		moved := 0.0
		for k := range mix {
			moved = max(moved, math.Abs(next[k]-mix[k]))
		}
		mix, next = next, mix
		if moved < leastStep {
			break
		}
	}
	return mix
}
