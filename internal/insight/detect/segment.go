package detect

import (
	"math"
	"time"
)

// Segment is [Segment] for consecutive hours from a start, with what the model expects of them.
func (m *Model) Segment(start time.Time, hours []float64) (from, to int, ok bool) {
	expected := make([]float64, len(hours))
	for i := range hours {
		at := start.Add(time.Duration(i) * time.Hour)
		expected[i] = m.Expect(at, at.Add(time.Hour)).Mean
	}
	return Segment(hours, expected)
}

// Segment returns the steps [from, to) of consecutive counts that have the most evidence of an event:
// at which counts are best explained by [eventRatio] times the expected posts. It is the segment with
// the maximum sum of log-likelihood ratios. Of equal segments, it is the first and shortest. It returns
// false if no step is evidence of an event.
func Segment(counts, expected []float64) (from, to int, ok bool) {
	best, sum, first := 0.0, 0.0, 0
	for i, count := range counts {
		if sum <= 0 {
			sum, first = 0, i
		}
		sum += count*math.Log(eventRatio) - expected[i]*(eventRatio-1)
		if sum > best {
			best, from, to = sum, first, i+1
		}
	}
	return from, to, best > 0
}

// eventRatio is how many times the expected posts an hour of an event has, for [Segment]. Hours
// with more than 1.44 times the expected posts are evidence of an event, hours with fewer against it.
const eventRatio = 2
