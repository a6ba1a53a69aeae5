package api

import (
	"cmp"
	"math"
	"slices"
	"strconv"
)

// score rounds to the two decimals that answers carry.
func score(x float64) float64 { return math.Round(x*100) / 100 }

// addUp rounds shares that add up to 1 to two decimals such that they still do: those that lose
// most by rounding down are rounded up.
func addUp(shares []float32) []float64 {
	rounded, order := make([]float64, len(shares)), make([]int, len(shares))
	left := 100
	for i, share := range shares {
		rounded[i] = math.Floor(float64(share) * 100)
		left -= int(rounded[i])
		order[i] = i
	}
	lost := func(i int) float64 { return float64(shares[i])*100 - rounded[i] }
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(lost(b), lost(a)) })
	for _, i := range order[:min(max(left, 0), len(order))] {
		rounded[i]++
	}
	for i := range rounded {
		rounded[i] /= 100
	}
	return rounded
}

// parseInt32 reads a whole number of a parameter.
func parseInt32(text []byte) (int32, error) {
	n, err := strconv.ParseInt(string(text), 10, 32)
	return int32(n), err
}
