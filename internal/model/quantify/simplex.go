package quantify

import (
	"math"
	"slices"
)

// mixSteps bounds the steps of onSimplex; it stops when nothing moves any more.
const mixSteps = 2000

// onSimplex returns the mix, shares that are not negative and add up to 1, of columns
// that comes nearest to target. columns[k] is what category k looks like by itself.
func onSimplex(columns [][]float64, target []float64) []float64 {
	n := len(columns)
	gram, aim, step := make([][]float64, n), make([]float64, n), 0.0
	for k, c := range columns {
		gram[k] = make([]float64, n)
		for j, d := range columns {
			gram[k][j] = dot(c, d)
		}
		aim[k] = dot(c, target)
	}
	for _, row := range gram {
		sum := 0.0
		for _, v := range row {
			sum += math.Abs(v)
		}
		step = max(step, sum) // a bound of the largest eigenvalue
	}
	return descend(gram, aim, step)
}

// descend minimises x·gram·x/2 − aim·x over the simplex: accelerated gradient steps, each
// projected, with the momentum dropped when it leads upward.
func descend(gram [][]float64, aim []float64, bound float64) []float64 {
	n := len(aim)
	x, y, next := make([]float64, n), make([]float64, n), make([]float64, n)
	for k := range x {
		x[k], y[k] = 1/float64(n), 1/float64(n)
	}
	t := 1.0
	for range mixSteps {
		for k := range next {
			next[k] = y[k] - (dot(gram[k], y)-aim[k])/bound
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

// project moves x to the nearest point of the simplex.
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
