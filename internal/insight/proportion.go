package insight

import (
	"cmp"
	"math"
	"slices"
)

// proportions returns the fraction of the total that each count or share represents, rounded to two
// decimal places. If the rounded fractions are off by more than two hundredths in total, which can
// happen with seven of them, it rounds the ones with the largest rounding error in the other
// direction.
func proportions[T int64 | float64](counts []T) []float64 {
	sum := T(0)
	for _, n := range counts {
		sum += n
	}
	rounded := make([]float64, len(counts)) // in hundredths
	if sum == 0 {
		return rounded
	}
	off := -100.0
	for i, n := range counts {
		rounded[i] = math.Round(100 * float64(n) / float64(sum))
		off += rounded[i]
	}
	for ; math.Abs(off) > 2; off -= math.Copysign(1, off) {
		worst, maxExcess := 0, 0.0
		for i, n := range counts {
			if excess := math.Copysign(1, off) * (rounded[i] - 100*float64(n)/float64(sum)); excess > maxExcess {
				worst, maxExcess = i, excess
			}
		}
		rounded[worst] -= math.Copysign(1, off)
	}
	for i := range rounded {
		rounded[i] /= 100
	}
	return rounded
}

// apportion divides posts in proportion to shares, which must add up to 1. The results are whole
// numbers that add up to posts, and each is off by less than 1. The largest fractions get the
// remaining posts.
func apportion(posts int64, shares []float64) []int64 {
	parts := make([]int64, len(shares))
	if !slices.ContainsFunc(shares, func(share float64) bool { return share > 0 }) {
		return parts
	}
	fractions := make([]int, len(shares)) // indexes, sorted by the truncated fraction
	left := posts
	for i, share := range shares {
		parts[i] = int64(share * float64(posts))
		left -= parts[i]
		fractions[i] = i
	}
	cut := func(i int) float64 { return shares[i]*float64(posts) - float64(parts[i]) }
	slices.SortStableFunc(fractions, func(a, b int) int { return cmp.Compare(cut(b), cut(a)) })
	for _, i := range fractions[:max(0, min(left, int64(len(shares))))] {
		parts[i]++
	}
	return parts
}
