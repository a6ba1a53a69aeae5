package quantify

import "math"

// An Interval is the 95% confidence interval of a prevalence among the given posts, not among a
// larger population they were sampled from.
type Interval struct{ Low, High float64 }

// Intervals returns the confidence interval of each category's prevalence in a sample, from a
// bootstrap over training documents and posts. Each interval contains the estimate. Without posts,
// intervals are 0 to 1.
func (e *Estimator) Intervals(sample []Group) []Interval {
	b := e.newBag(sample)
	if b.total == 0 {
		return fullIntervals(e.categories)
	}
	return e.intervals(b, e.estimate(b))
}

const zScore = 1.96 // 95% of a normal distribution

// intervals returns the intervals around the prevalence of a bag. If the prevalence is counted, they
// extend to that of the anchored mix.
func (e *Estimator) intervals(b bag, prevalence []float64) []Interval {
	s := e.newBootstrap(b)
	variance := s.variance()
	out := make([]Interval, len(prevalence))
	for k, p := range prevalence {
		margin, other := zScore*math.Sqrt(variance[k]), p
		if !e.sufficient {
			other = s.prevalence[k]
		}
		out[k] = Interval{Low: max(0, min(p, other)-margin), High: min(1, max(p, other)+margin)}
	}
	return out
}

func fullIntervals(categories int) []Interval {
	out := make([]Interval, categories)
	for k := range out {
		out[k].High = 1
	}
	return out
}

// overlapVariance returns the error variance due to overlapping categories. It is almost zero if
// most examples are classified correctly, and largest if accuracy is at chance level.
func overlapVariance(skill float64) float64 {
	deviation := 0.3 * math.Pow(1-skill, 4)
	return deviation * deviation
}
