package quantify

// Memory is how many days before a day its estimate may lean on.
const Memory = 14

// A Day is the posts of one day.
type Day []Group

// An Estimate is the proportions of a day and their intervals.
type Estimate struct {
	Proportions []float64
	Intervals   []Interval // nil unless asked for
}

// Daily estimates consecutive days, oldest first. A day with few posts leans on the days
// before it, at most Memory of them, and never on days after it; callers that show days
// from the n-th on pass Memory days in front of it. A day without posts has the estimate
// that is carried on.
func (e *Estimator) Daily(days []Day, intervals bool) []Estimate {
	out := make([]Estimate, len(days))
	for i, d := range days {
		out[i].Proportions = e.Proportions(d)
		if intervals {
			out[i].Intervals = e.Intervals(d)
		}
	}
	return out
}
