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

// inflation returns the measured ratio of actual errors to bootstrap errors. The bootstrap is
// optimistic because it assumes that the final model scores new posts as the fold models score
// held-out documents, and that the documents cover each category, which few documents do not.
func (e *Estimator) inflation() float64 { return 1.25 + 6/max(e.documents, 1) }

// intervals returns the intervals around the prevalence of a bag.
func (e *Estimator) intervals(b bag, prevalence []float64) []Interval {
	variance := e.variance(b)
	out := make([]Interval, len(prevalence))
	for k, p := range prevalence {
		margin := zScore * math.Sqrt(variance[k])
		out[k] = Interval{Low: max(0, p-margin), High: min(1, p+margin)}
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
func (e *Estimator) overlapVariance() float64 {
	right, all := make([]float64, e.categories), make([]float64, e.categories)
	for i := range e.examples {
		x := &e.examples[i]
		all[x.category]++
		right[x.category] += x.assigned[x.category]
	}
	recall, categories := 0.0, 0.0
	for k, n := range all {
		if n > 0 {
			recall, categories = recall+right[k]/n, categories+1
		}
	}
	if categories < 2 {
		return 0
	}
	chance := 1 / categories
	skill := max(0, (recall/categories-chance)/(1-chance)) // 0: chance level, 1: perfect
	deviation := 0.3 * math.Pow(1-skill, 4)
	return deviation * deviation
}
