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
	s := float64(share)
	if !(s > leastShare) {
		return 0
	}
	if s >= 1-leastShare {
		return MostLevel
	}
	return uint8(math.Round(MostLevel / 2.0 * (1 + logit(s)/logit(1-leastShare))))
}

// Share returns the share that a level stands for. Level gives the level of it again.
// The shares of a post that was stored by its levels need not add up to 1.
func Share(level uint8) float32 {
	return levelShares[min(level, MostLevel)]
}

var levelShares = func() (shares [MostLevel + 1]float32) {
	for i := range shares {
		z := (float64(i)*2/MostLevel - 1) * logit(1-leastShare)
		shares[i] = float32(1 / (1 + math.Exp(-z)))
	}
	return shares
}()

func logit(p float64) float64 { return math.Log(p / (1 - p)) }

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
