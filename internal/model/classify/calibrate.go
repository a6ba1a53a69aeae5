package classify

import "math"

// A Outcome is what a model said of a text and what would have been right.
type Outcome struct {
	Scores  []float32 // of classes, adding up to 1
	Correct []bool    // classes that are right, one or more
}

// Sharpness returns the power that shares must be raised to, before they are made to add
// up to 1 again, so that the mean share of the top class is how often it is right: more
// than 1 for a model that is too modest, less for one that is too sure. It is between
// 0.1 and 10. Without judgements it is 1.
func Sharpness(judgements []Outcome) float32 {
	if len(judgements) == 0 {
		return 1
	}
	right := 0.0
	for _, j := range judgements {
		if j.Correct[top(j.Scores)] {
			right++
		}
	}
	right /= float64(len(judgements))
	low, high := 0.1, 10.0
	for range 40 {
		middle := math.Sqrt(low * high)
		if confidence(judgements, middle) < right {
			low = middle
		} else {
			high = middle
		}
	}
	return float32(low)
}

// confidence returns the mean share of top classes after sharpening.
func confidence(judgements []Outcome, power float64) float64 {
	var sum float64
	for _, j := range judgements {
		best := float64(j.Scores[top(j.Scores)])
		var all float64
		for _, share := range j.Scores {
			all += math.Pow(float64(share)/best, power)
		}
		sum += 1 / all
	}
	return sum / float64(len(judgements))
}

// top returns the place of the largest share.
func top(shares []float32) int {
	best := 0
	for i, share := range shares {
		if share > shares[best] {
			best = i
		}
	}
	return best
}

// CalibrationError returns how far confidence and correctness are apart: judgements are
// put into ten bins by the share of the top class, and the differences between mean
// share and how often it is right are averaged by the size of the bins.
func CalibrationError(judgements []Outcome) float64 {
	var shares, right [10]float64
	for _, j := range judgements {
		best := top(j.Scores)
		bin := min(int(j.Scores[best]*10), 9)
		shares[bin] += float64(j.Scores[best])
		if j.Correct[best] {
			right[bin]++
		}
	}
	var sum float64
	for bin := range shares {
		sum += math.Abs(shares[bin] - right[bin])
	}
	return sum / float64(max(len(judgements), 1))
}
