package quantify

import "math"

// MostLevel is the highest level of a share.
const MostLevel = 15

// Level returns the level, 0 to MostLevel, by which a share is stored. Levels are
// denser near 0 and 1, where a small difference tells much.
func Level(share float32) uint8 {
	if !(share > 0) {
		return 0
	}
	s := min(float64(share), 1)
	return uint8(math.Round(math.Asin(math.Sqrt(s)) * 2 / math.Pi * MostLevel))
}

// Share returns the share that a level stands for. The shares of a post that were
// stored by their levels need not add up to 1.
func Share(level uint8) float32 {
	return levelShares[min(level, MostLevel)]
}

var levelShares = func() (shares [MostLevel + 1]float32) {
	for i := range shares {
		s := math.Sin(float64(i) / MostLevel * math.Pi / 2)
		shares[i] = float32(s * s)
	}
	return shares
}()

// coarse returns shares as they come back from their levels, made to add up to 1.
func coarse(shares []float32) []float64 {
	out := make([]float64, len(shares))
	for i, s := range shares {
		out[i] = float64(Share(Level(s)))
	}
	return normalise(out)
}

// normalise makes values add up to 1. Where there is nothing, or what is no number, all
// get the same.
func normalise(values []float64) []float64 {
	sum := 0.0
	for _, v := range values {
		sum += v
	}
	for i := range values {
		if sum > 0 && !math.IsInf(sum, 1) {
			values[i] /= sum
		} else {
			values[i] = 1 / float64(len(values))
		}
	}
	return values
}

// proper returns a prior whose values are all above 0 and add up to 1.
func proper(categories int, prior []float64) []float64 {
	out := make([]float64, categories)
	for i := range out {
		out[i] = 1
		if len(prior) == categories && prior[i] > 0 && !math.IsInf(prior[i], 1) {
			out[i] = prior[i]
		}
	}
	return normalise(out)
}
