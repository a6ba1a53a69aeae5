package classify

import "math"

// An Outcome is a prediction together with the correct classes.
type Outcome struct {
	Scores  []float32 // class probabilities that sum to 1
	Correct []bool    // whether each class is correct; at least one is
}

// FitScale returns the power to raise scores to (before normalizing them again) so that the mean
// confidence equals the accuracy. It is above 1 for an underconfident model and below 1 for an
// overconfident one. It is between 0.1 and 10, and 1 if there are no outcomes.
func FitScale(outcomes []Outcome) float32 {
	if len(outcomes) == 0 {
		return 1
	}
	accuracy := 0.0
	for _, o := range outcomes {
		if o.Correct[argmax(o.Scores)] {
			accuracy++
		}
	}
	accuracy /= float64(len(outcomes))
	low, high := 0.1, 10.0
	for range 40 {
		middle := math.Sqrt(low * high)
		if meanConfidence(outcomes, middle) < accuracy {
			low = middle
		} else {
			high = middle
		}
	}
	return float32(low)
}

// meanConfidence returns the mean score of the predicted class after scaling.
func meanConfidence(outcomes []Outcome, power float64) float64 {
	var sum float64
	for _, o := range outcomes {
		best := float64(o.Scores[argmax(o.Scores)])
		var all float64
		for _, score := range o.Scores {
			all += math.Pow(float64(score)/best, power)
		}
		sum += 1 / all
	}
	return sum / float64(len(outcomes))
}

// argmax returns the index of the largest score.
func argmax(scores []float32) int {
	best := 0
	for i, score := range scores {
		if score > scores[best] {
			best = i
		}
	}
	return best
}

// CalibrationError returns the expected calibration error with ten bins: the mean absolute
// difference between the confidence and the accuracy of a bin, weighted by its size.
func CalibrationError(outcomes []Outcome) float64 {
	var confidence, correct [10]float64
	for _, o := range outcomes {
		best := argmax(o.Scores)
		bin := min(int(o.Scores[best]*10), 9)
		confidence[bin] += float64(o.Scores[best])
		if o.Correct[best] {
			correct[bin]++
		}
	}
	var sum float64
	for bin := range confidence {
		sum += math.Abs(confidence[bin] - correct[bin])
	}
	return sum / float64(max(len(outcomes), 1))
}
