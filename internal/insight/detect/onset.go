package detect

import (
	"math"
	"time"
)

// Onset returns the hour with which the event of a segment [from, to) begins. [Model.Segment] may include
// hours before it that have somewhat more posts than expected by chance, because they are evidence of an
// event of twice the expected posts. For an event of the size of the hours that follow, they are evidence
// against it. They belong to the event only if their counts are improbable by themselves.
func (m *Model) Onset(start time.Time, hours []float64, from, to int) int {
	for i := from; i < to-1; i++ {
		at := start.Add(time.Duration(i) * time.Hour)
		last := min(i+onsetHours, to)
		posts := 0.0
		for _, n := range hours[i:last] {
			posts += n
		}
		ratio := max(eventRatio, posts/m.Expect(at, at.Add(time.Duration(last-i)*time.Hour)).Mean)
		e := m.Expect(at, at.Add(time.Hour))
		if hours[i]*math.Log(ratio) >= e.Mean*(ratio-1) || e.Chance(hours[i]) < onsetChance {
			return i
		}
	}
	return max(from, to-1)
}

const (
	onsetHours  = 4     // hours that show the size of an event when it begins
	onsetChance = 0.003 // chance below which an hour is part of the event that follows
)
