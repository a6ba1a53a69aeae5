package quantify

import "math"

// An Interval is where a proportion lies with a certainty of 95 %. It tells of the posts
// that are there, not of posts that might have been.
type Interval struct{ Low, High float64 }

// Intervals returns the interval of each proportion of a sample, by a bootstrap over
// training documents and over posts. It contains the proportion. Without posts
// everything is possible.
func (e *Estimator) Intervals(sample []Group) []Interval {
	b := e.read(sample)
	if b.total == 0 {
		return anywhere(e.categories)
	}
	return e.intervals(b, e.estimate(b))
}

const (
	deviations = 1.96 // of a normal distribution, on each side

	// optimism is how much larger errors are than the bootstrap tells, as measured: it takes for
	// granted that the model scores new posts as models of the folds score documents.
	optimism = 1.4
)

// intervals returns the intervals around the proportions of a bag.
func (e *Estimator) intervals(b bag, proportions []float64) []Interval {
	spread := e.spread(b)
	out := make([]Interval, len(proportions))
	for k, p := range proportions {
		far := deviations * math.Sqrt(spread[k])
		out[k] = Interval{Low: max(0, p-far), High: min(1, p+far)}
	}
	return out
}

func anywhere(categories int) []Interval {
	out := make([]Interval, categories)
	for k := range out {
		out[k].High = 1
	}
	return out
}
