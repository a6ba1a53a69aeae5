package insight

import (
	"cmp"
	"math"
	"slices"
)

// Fractions returns the fraction of the total that each count represents, rounded to two decimal
// places. All are 0 if the total is.
func Fractions(counts []int64) []float64 {
	sum := int64(0)
	for _, n := range counts {
		sum += n
	}
	list := make([]float64, len(counts))
	for i, n := range counts {
		list[i] = math.Round(100*float64(n)/float64(max(sum, 1))) / 100
	}
	return list
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
