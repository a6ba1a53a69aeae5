package quantify

import "slices"

// LookbackDays is how many earlier days the estimate of a day may use.
const LookbackDays = 14

// FullDayPosts is how many posts make a day independent of earlier days: fewer are noisy, and
// earlier days are only similar.
const FullDayPosts = 100

// decay is the weight of an earlier post per day of its age.
const decay = 0.8

// A Day is the posts of one day.
type Day []Group

// An Estimate is the prevalence of each category on a day and, if requested, its intervals.
type Estimate struct {
	Prevalence []float64
	Intervals  []Interval
}

// Daily estimates consecutive days, oldest first. The mix of categories on a day with few posts is
// fitted with the help of earlier days, at most LookbackDays, never later ones; the prevalence is
// the posterior of the day's own posts under that mix. To estimate from some day on, pass
// LookbackDays days before it. A day without posts carries the previous estimate forward.
func (e *Estimator) Daily(days []Day, intervals bool) []Estimate {
	out := make([]Estimate, len(days))
	for t := range days {
		out[t] = e.Day(days[:t+1], intervals)
	}
	return out
}

// Day estimates the last of consecutive days, as Daily does.
func (e *Estimator) Day(days []Day, intervals bool) (out Estimate) {
	b := e.newDayBag(days[max(0, len(days)-1-LookbackDays):])
	if b.total == 0 {
		out.Prevalence = slices.Clone(e.prior)
		if intervals {
			out.Intervals = fullIntervals(e.categories)
		}
		return out
	}
	out.Prevalence = e.estimate(b)
	if intervals {
		out.Intervals = e.intervals(b, out.Prevalence)
	}
	return out
}

// newDayBag returns the bag of the last day, filled up to FullDayPosts with posts of the days
// before it, latest first.
func (e *Estimator) newDayBag(days []Day) bag {
	last := len(days) - 1
	b := e.newBag(days[last])
	own, owned, worth := slices.Clone(b.posts), b.total, 1.0
	for i := last - 1; i >= 0 && b.total < FullDayPosts; i-- {
		worth *= decay
		if there := worth * e.countPosts(days[i]); there > 0 {
			b.add(days[i], worth*min(1, (FullDayPosts-b.total)/there))
		}
	}
	if owned > 0 && owned < b.total {
		b.target, b.targetTotal = append(own, make([]float64, len(b.posts)-len(own))...), owned
	}
	return b
}

// countPosts returns the number of valid posts of a day.
func (e *Estimator) countPosts(d Day) float64 {
	posts := 0.0
	for _, g := range d {
		if g.Posts > 0 && len(g.Scores) == e.categories {
			posts += g.Posts
		}
	}
	return posts
}
