package quantify

import "math"

const (
	// LevelBits is the number of bits of a score level.
	LevelBits = 4

	// MaxLevel is the highest score level.
	MaxLevel = 1<<LevelBits - 1

	minScore = 0.001 // score of level 0; the score of MaxLevel is 1-minScore
)

// Level quantizes a score to a level from 0 to MaxLevel. Levels are equidistant in logits, because
// small differences matter near 0 and 1.
func Level(score float32) uint8 {
	level := uint8(0)
	for step := uint8(8); step > 0; step /= 2 {
		if score >= levelThresholds[level+step-1] {
			level += step
		}
	}
	return level
}

// Score returns the score of a level, so that Level(Score(l)) == l. Dequantized scores do not
// necessarily sum to 1.
func Score(level uint8) float32 {
	return levelScores[min(level, MaxLevel)]
}

// levelScores is the score of each level. levelThresholds is the lowest score of each level above
// 0, halfway (in logits) between two levels.
var levelScores, levelThresholds = func() (scores [MaxLevel + 1]float32, thresholds [MaxLevel]float32) {
	maxLogit := math.Log((1 - minScore) / minScore)
	scoreAt := func(level float64) float32 {
		return float32(1 / (1 + math.Exp(maxLogit*(1-level*2/MaxLevel))))
	}
	for i := range scores {
		scores[i] = scoreAt(float64(i))
	}
	for i := range thresholds {
		thresholds[i] = scoreAt(float64(i) + 0.5)
	}
	return scores, thresholds
}()

// dequantize returns the scores of levels, normalized to sum to 1.
func dequantize(levels string) []float64 {
	out := make([]float64, len(levels))
	for k := range out {
		out[k] = float64(Score(levels[k]))
	}
	return normalize(out)
}

// normalize scales values to sum to 1. If their sum is 0 or not finite, it sets them all to the
// same value.
func normalize(values []float64) []float64 {
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

// normalizePrior returns a prior with positive values that sum to 1. Invalid values count as 1.
func normalizePrior(categories int, prior []float64) []float64 {
	out := make([]float64, categories)
	for i := range out {
		out[i] = 1
		if len(prior) == categories && prior[i] > 0 && !math.IsInf(prior[i], 1) {
			out[i] = prior[i]
		}
	}
	return normalize(out)
}
