package quantify

import "slices"

// Memory is how many days before a day its estimate may lean on.
const Memory = 14

// FullDay is how many posts a day has that does not lean on others.
const FullDay = 100

// fading is what a post is worth a day later, where it helps.
const fading = 0.8

// A Day is the posts of one day.
type Day []Group

// An Estimate is the proportions of a day and, where they are asked for, their intervals.
type Estimate struct {
	Proportions []float64
	Intervals   []Interval
}

// Daily estimates consecutive days, oldest first. What mix of categories there is on a
// day with few posts is found with the help of the days before it, Memory of them at most,
// and never of days after it; its proportions are those of its own posts where the mix is
// like that. Callers that show days from some day on pass Memory days before it. A day
// without posts has the estimate that is carried on.
func (e *Estimator) Daily(days []Day, intervals bool) []Estimate {
	out := make([]Estimate, len(days))
	for t := range days {
		out[t] = e.Day(days[:t+1], intervals)
	}
	return out
}

// Day estimates the last of consecutive days, as Daily does.
func (e *Estimator) Day(days []Day, intervals bool) (out Estimate) {
	b := e.readDay(days[max(0, len(days)-1-Memory):])
	if b.total == 0 {
		out.Proportions = slices.Clone(e.prior)
		if intervals {
			out.Intervals = anywhere(e.categories)
		}
		return out
	}
	out.Proportions = e.estimate(b)
	if intervals {
		out.Intervals = e.intervals(b, out.Proportions)
	}
	return out
}

// readDay makes a bag of the last of some days and of as many posts of the days before it as
// it lacks, the latest first.
func (e *Estimator) readDay(days []Day) bag {
	last := len(days) - 1
	b := e.read(days[last])
	own, owned, worth := slices.Clone(b.posts), b.total, 1.0
	for i := last - 1; i >= 0 && b.total < FullDay; i-- {
		worth *= fading
		if there := worth * e.size(days[i]); there > 0 {
			b.add(days[i], worth*min(1, (FullDay-b.total)/there))
		}
	}
	if owned > 0 && owned < b.total {
		b.own, b.owned = append(own, make([]float64, len(b.posts)-len(own))...), owned
	}
	return b
}

// size returns how many posts a day has.
func (e *Estimator) size(d Day) float64 {
	posts := 0.0
	for _, g := range d {
		if g.Posts > 0 && len(g.Shares) == e.categories {
			posts += g.Posts
		}
	}
	return posts
}
