package quantify

import (
	"math"
	"slices"
)

// maxGradientSteps limits fitMixture, which usually converges earlier.
const maxGradientSteps = 2000

// fitMixture returns the mixture weights of the columns that fit target best in the least-squares
// sense. The weights are nonnegative and sum to 1. columns[k] is the distribution of category k.
func fitMixture(columns [][]float64, target []float64) []float64 {
	n := len(columns)
	gram, projection, step := make([][]float64, n), make([]float64, n), 0.0
	for k, c := range columns {
		gram[k] = make([]float64, n)
		for j, d := range columns {
			gram[k][j] = dot(c, d)
		}
		projection[k] = dot(c, target)
	}
	for _, row := range gram {
		sum := 0.0
		for _, v := range row {
			sum += math.Abs(v)
		}
		step = max(step, sum) // upper bound on the largest eigenvalue
	}
	return projectedGradient(gram, projection, step)
}

// projectedGradient minimizes x·gram·x/2 − projection·x over the simplex, using accelerated
// projected gradient descent that restarts when the momentum points uphill.
func projectedGradient(gram [][]float64, projection []float64, bound float64) []float64 {
	n := len(projection)
	x, y, next := make([]float64, n), make([]float64, n), make([]float64, n)
	for k := range x {
		x[k], y[k] = 1/float64(n), 1/float64(n)
	}
	t := 1.0
	for range maxGradientSteps {
		for k := range next {
			next[k] = y[k] - (dot(gram[k], y)-projection[k])/bound
		}
		project(next)
		moved, uphill := 0.0, 0.0
		for k := range next {
			moved = max(moved, math.Abs(next[k]-x[k]))
			uphill += (y[k] - next[k]) * (next[k] - x[k])
		}
		if uphill > 0 {
			t = 1
		}
		grown := (1 + math.Sqrt(1+4*t*t)) / 2
		for k := range next {
			y[k] = next[k] + (t-1)/grown*(next[k]-x[k])
		}
		t = grown
		copy(x, next)
		if moved < 1e-12 {
			break
		}
	}
	return x
}

// project projects x onto the simplex.
func project(x []float64) {
	sorted := slices.Clone(x)
	slices.Sort(sorted)
	sum, shift := 0.0, 0.0
	for i := len(sorted) - 1; i >= 0; i-- {
		sum += sorted[i]
		s := (sum - 1) / float64(len(sorted)-i)
		if sorted[i]-s > 0 {
			shift = s
		}
	}
	for k := range x {
		x[k] = max(0, x[k]-shift)
	}
}

func dot(a, b []float64) float64 {
	sum := 0.0
	for i, v := range a {
		sum += v * b[i]
	}
	return sum
}

// confusion returns the confusion matrix of the examples: for each category, the mean prediction of
// its examples. A category without examples is treated as always predicted correctly.
func (e *Estimator) confusion(predicted func(*example) []float64) [][]float64 {
	means := make([][]float64, e.categories)
	for k := range means {
		means[k] = make([]float64, e.categories)
	}
	sums := make([]float64, e.categories)
	for i := range e.examples {
		x := &e.examples[i]
		sums[x.category] += x.weight
		for j, v := range predicted(x) {
			means[x.category][j] += v * x.weight
		}
	}
	for k := range means {
		if sums[k] == 0 {
			means[k][k] = 1
		}
		normalize(means[k])
	}
	return means
}
