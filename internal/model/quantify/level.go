package quantify

import "math"

const (
	// MostLevel is the highest level of a share: four bits.
	MostLevel = 15

	leastShare = 0.001 // of level 0; that of MostLevel is as far from 1
)

// Level returns the level, 0 to MostLevel, by which a share is stored. Levels have equal
// distances on the scale of logits: near 0 and 1 a small difference tells much.
func Level(share float32) uint8 {
	level := uint8(0)
	for step := uint8(8); step > 0; step /= 2 {
		if share >= levelStarts[level+step-1] {
			level += step
		}
	}
	return level
}

// Share returns the share that a level stands for. Level gives the level of it again.
// The shares of a post that was stored by its levels need not add up to 1.
func Share(level uint8) float32 {
	return levelShares[min(level, MostLevel)]
}

// levelShares has the share of each level, levelStarts those at which each but level 0
// begins, halfway between two levels.
var levelShares, levelStarts = func() (shares [MostLevel + 1]float32, starts [MostLevel]float32) {
	most := math.Log((1 - leastShare) / leastShare)
	shareAt := func(level float64) float32 {
		return float32(1 / (1 + math.Exp(most*(1-level*2/MostLevel))))
	}
	for i := range shares {
		shares[i] = shareAt(float64(i))
	}
	for i := range starts {
		starts[i] = shareAt(float64(i) + 0.5)
	}
	return shares, starts
}()

// coarse returns the shares that levels stand for, made to add up to 1.
func coarse(levels string) []float64 {
	out := make([]float64, len(levels))
	for k := range out {
		out[k] = float64(Share(levels[k]))
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
