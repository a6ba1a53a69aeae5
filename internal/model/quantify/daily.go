package quantify

import "slices"

// LookbackDays is the number of earlier days that the estimate of a day may use.
const LookbackDays = 14

// FullDayPosts is the number of posts from which a day is estimated independently of earlier days.
// Days with fewer posts are noisy, so they borrow posts from earlier days, which are similar but
// not the same.
const FullDayPosts = 100

// decay is the factor by which the weight of an earlier post decreases per day of age.
const decay = 0.8

// A Day is the posts of one day.
type Day []Group

// An Estimate is the prevalence of each category on a day, with intervals if requested.
type Estimate struct {
	Prevalence []float64
	Intervals  []Interval
}

// Daily estimates consecutive days, given oldest first. On a day with few posts, the mix of
// categories is fitted with the help of up to LookbackDays earlier days, never later ones, and the
// prevalence is the posterior of the day's own posts under that mix. To start estimating on some
// day, also pass the LookbackDays days before it. A day without posts carries the previous estimate
// forward, for at most LookbackDays days.
func (e *Estimator) Daily(days []Day, intervals bool) []Estimate {
	out := make([]Estimate, len(days))
	for t := range days {
		out[t] = e.Day(days[:t+1], intervals)
	}
	return out
}

// Day estimates the last of the given consecutive days, as [Estimator.Daily] does.
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

// newDayBag returns the bag of the last day, filled up to FullDayPosts with posts of earlier days,
// latest first.
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
