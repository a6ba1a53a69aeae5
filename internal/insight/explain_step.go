package insight

import (
	"time"

	"earshot"
	"earshot/internal/period"
)

// An ExplainedStep is an hour or a day of an explained period.
type ExplainedStep struct {
	Start    time.Time
	Posts    int64
	Expected *float64 // mean of the baselines; nil if none of them covers the step
}

// steps splits the period into hours or, if it is long, into days. posts are the posts of the period
// by hour, before those of each baseline.
func (x *explainer) steps(posts []count, before [][]count) (steps []ExplainedStep, hourly bool, err error) {
	from, to := x.result.From, x.result.To
	grouping, loc := earshot.Daily, x.monitor.Location()
	if hourly = to.Sub(from) <= hourlyDays*24*time.Hour+time.Hour; hourly {
		grouping = earshot.Hourly
	}
	last := earshot.DateOf(to.Add(-time.Nanosecond).In(loc))
	all, err := period.Steps(earshot.Days{Start: earshot.DateOf(from.In(loc)), End: last.AddDays(1)}, grouping, loc)
	if err != nil {
		return nil, false, err
	}
	for _, step := range all {
		start, end := period.Later(step.Start, from), period.Earlier(step.End, to)
		if !start.Before(end) {
			continue
		}
		steps = append(steps, ExplainedStep{start.In(loc), countBetween(posts, start, end), x.expectStep(start, end, before)})
	}
	return steps, hourly, nil
}

// expectStep returns the expected number of posts between two times of the period.
func (x *explainer) expectStep(start, end time.Time, before [][]count) *float64 {
	sum, n := 0.0, 0.0
	for i, b := range x.result.Baseline {
		from, to := x.before(start, i+1), x.before(end, i+1)
		if b.Used && !from.Before(b.From) {
			sum += float64(countBetween(before[i], from, to))
			n++
		}
	}
	if n == 0 {
		return nil
	}
	sum /= n
	return &sum
}

// countBetween adds up the counts from one time until before another.
func countBetween(counts []count, from, to time.Time) (posts int64) {
	for _, c := range counts {
		if !c.at.Before(from) && c.at.Before(to) {
			posts += c.posts
		}
	}
	return posts
}
