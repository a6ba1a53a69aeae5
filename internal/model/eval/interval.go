package eval

import (
	"math/rand/v2"
	"slices"
)

// An Interval is a 95% confidence interval: its lower and upper bound.
type Interval [2]float64

const (
	resamples = 1000
	tail      = 0.025
)

// bootstrap estimates the intervals of metrics of n rows. measure returns the metrics of the rows
// with the given indexes. The intervals are percentiles of the metrics of random resamples, shifted
// by the difference between their mean and the metrics of all rows: resampling inflates the
// calibration error, for example. The random numbers are the same in each run.
func bootstrap(n int, measure func(rows []int32) []float64) []Interval {
	rows := make([]int32, n)
	for i := range rows {
		rows[i] = int32(i)
	}
	estimates := measure(rows)
	samples := make([][]float64, len(estimates))
	r := rand.New(rand.NewPCG(1, 1))
	for range resamples {
		for i := range rows {
			rows[i] = r.Int32N(int32(n))
		}
		for i, x := range measure(rows) {
			samples[i] = append(samples[i], x)
		}
	}
	intervals := make([]Interval, len(estimates))
	for i, xs := range samples {
		slices.Sort(xs)
		var sum float64
		for _, x := range xs {
			sum += x
		}
		bias := sum/resamples - estimates[i]
		bound := func(quantile float64) float64 {
			return rounded(min(max(xs[int(quantile*(resamples-1)+0.5)]-bias, 0), 1))
		}
		intervals[i] = Interval{bound(tail), bound(1 - tail)}
	}
	return intervals
}
