package detect

import (
	"math"
	"time"
)

// Onset returns the hour with which the event of a segment [from, to) begins. [Model.Segment] may include
// hours before it that have somewhat more posts than expected by chance, because they are evidence of an
// event of twice the expected posts. For an event of the size that this one has at its height, they are
// evidence against it. They belong to it only if their counts are improbable by themselves.
func (m *Model) Onset(start time.Time, hours []float64, from, to int) int {
	expect := func(i, n int) Expectation {
		at := start.Add(time.Duration(i) * time.Hour)
		return m.Expect(at, at.Add(time.Duration(n)*time.Hour))
	}
	ratio, most := float64(eventRatio), 0.0
	for i := from; i < to; i++ {
		n := min(onsetHours, to-i)
		posts := 0.0
		for _, count := range hours[i : i+n] {
			posts += count
		}
		expected := expect(i, n).Mean
		if evidence := posts*math.Log(posts/expected) - posts + expected; posts > expected && evidence > most {
			ratio, most = max(eventRatio, posts/expected), evidence
		}
	}
	onset, sum, least := from, 0.0, 0.0
	for i := from; i < to-1; i++ {
		sum += hours[i]*math.Log(ratio) - expect(i, 1).Mean*(ratio-1)
		if sum > 0 {
			break
		}
		if sum < least {
			onset, least = i+1, sum
		}
	}
	for onset > from {
		before := expect(onset-1, 1)
		before.Dispersion = min(before.Dispersion, onsetDispersion)
		if before.Chance(hours[onset-1]) >= onsetChance {
			break
		}
		onset--
	}
	return onset
}

const (
	onsetHours  = 4    // hours with the most evidence, whose ratio is the size of an event
	onsetChance = 0.01 // chance below which an hour is part of the event that follows

	// onsetDispersion is the most that counts vary from one hour to the next. The dispersion of a model
	// also covers what neighboring hours have in common, such as an error of the level.
	onsetDispersion = 1.5
)
