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

const deviations = 1.96 // of a normal distribution, on each side

// optimism returns how much larger errors are than the bootstrap tells, as measured: it takes
// for granted that the model scores new posts as models of the folds score documents, and that
// the documents show what there is, which few do not.
func (e *Estimator) optimism() float64 { return 1.25 + 6/max(e.usual, 1) }

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

// blindness returns the variance that proportions have because documents cannot be told apart:
// next to none where most are told right, and as much as anything goes where they are told no
// better than by chance.
func (e *Estimator) blindness() float64 {
	right, all := make([]float64, e.categories), make([]float64, e.categories)
	for i := range e.lessons {
		l := &e.lessons[i]
		all[l.category]++
		right[l.category] += l.assigned[l.category]
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
	told := max(0, (recall/categories-chance)/(1-chance)) // 0: by chance, 1: always
	deviation := 0.3 * math.Pow(1-told, 4)
	return deviation * deviation
}
