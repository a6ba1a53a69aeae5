package insight

import "math"

// proportions returns which part of their sum each of some counts is, to two decimals.
// Rounded by themselves, seven of them may be more than two hundredths off together; then
// those that were closest to being rounded the other way are.
func proportions(counts []int64) []float64 {
	sum := int64(0)
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
		worst, most := 0, 0.0
		for i, n := range counts {
			if excess := math.Copysign(1, off) * (rounded[i] - 100*float64(n)/float64(sum)); excess > most {
				worst, most = i, excess
			}
		}
		rounded[worst] -= math.Copysign(1, off)
	}
	for i := range rounded {
		rounded[i] /= 100
	}
	return rounded
}
