package quantify

// An Interval is where a proportion lies with a certainty of 95 %.
type Interval struct{ Low, High float64 }

// Intervals returns the interval of each proportion of a sample.
func (e *Estimator) Intervals(sample []Group) []Interval {
	out := make([]Interval, e.categories)
	for k, p := range e.Proportions(sample) {
		out[k] = Interval{Low: p, High: p}
	}
	return out
}
