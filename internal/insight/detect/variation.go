package detect

import (
	"math"
	"slices"
)

// A variation says how much counts of one of [Windows] vary: their variance is at(mean)·mean.
//
// Beyond chance, which alone makes the variance equal to the mean, one part of it is in proportion to
// the mean: posts that come in clusters. The other grows with the square of the mean: days on which
// everything is a little more, and errors of the level.
type variation struct {
	average float64 // dispersion at the mean below, at least 1
	squared float64 // part of what exceeds 1 that grows with the mean, from 0 to 1
	mean    float64
}

// at returns the dispersion of counts with a mean.
func (v variation) at(mean float64) float64 {
	return 1 + (v.average-1)*(1-v.squared+v.squared*mean/v.mean)
}

// A deviation is a past count and what had been predicted for it.
type deviation struct{ count, mean float64 }

// weight is the weight of a deviation. Counts with a mean much below 1 say little about the dispersion.
func (d deviation) weight() float64 { return d.mean / (d.mean + 1) }

// excess is how much larger a squared deviation is than chance explains, relative to the mean.
func (d deviation) excess() float64 { return (d.count-d.mean)*(d.count-d.mean)/d.mean - 1 }

// deviations returns the past counts of a window length, without events and their predictions.
func (f *fit) deviations(window int) []deviation {
	list := f.scratch[:0]
	for i := burnIn; i < f.blocks; i++ {
		hours, level := f.block(i), f.levels[i]
		for end := len(hours); end > 0; end -= windowHours[window] {
			d := f.sumWindow(hours[max(0, end-windowHours[window]):end], level)
			if d.mean > 0 && surprise(d.count, d.mean, f.variation[window].at(d.mean)) <= event {
				list = append(list, d)
			}
		}
	}
	f.scratch = list
	return list
}

// sumWindow adds up the hours of a window that belong to no event.
func (f *fit) sumWindow(hours []hour, level float64) (d deviation) {
	for i := range hours {
		if h := &hours[i]; h.weight > 0 && !h.event {
			d.count += h.count
			d.mean += level * f.profile[h.slot]
		}
	}
	return d
}

// estimateVariation estimates the variation of each window. With little history, longer windows lean
// toward the shorter ones: without correlation in time, all are the same. How much of it grows with the
// mean can hardly be seen in 24 hours, so it comes from the shorter windows, too.
func (f *fit) estimateVariation() {
	prior, strength := 2.0, 24.0
	squared, precision := 0.0, priorPrecision
	for w := range f.variation {
		v := &f.variation[w]
		list := f.deviations(w)
		var sum, weights, means float64
		for _, d := range list {
			n := d.weight()
			sum += n * (d.excess() + 1)
			weights += n
			means += n * d.mean
		}
		v.average = max(1, (sum+prior*strength)/(weights+strength))
		if weights > 0 {
			v.mean = means / weights
		}
		if w == 0 {
			squared = v.priorSquared()
		}
		squared, precision = v.estimateSquared(list, squared, precision)
		prior, strength = v.average, 12
	}
}

// priorSquared is the part of the dispersion that grows with the mean before the counts are looked at: what
// ordinary errors of the level explain, which are small beside the chance of small counts.
func (v *variation) priorSquared() float64 {
	if v.average <= 1 {
		return maxPriorSquared
	}
	return min(maxPriorSquared, v.mean/priorShape/(v.average-1))
}

const (
	maxPriorSquared = 0.5
	priorShape      = 24.0 // of a negative binomial distribution: levels are off by a fifth
	priorPrecision  = 4.0  // standard deviation of 0.5
)

// estimateSquared estimates which part of the dispersion grows with the mean, given what the shorter
// windows say and how precisely. It is a regression of squared deviations on the mean.
func (v *variation) estimateSquared(list []deviation, prior, precision float64) (squared, sure float64) {
	excess := v.average - 1
	sum, sure := prior*precision, precision
	for _, d := range list {
		phi := v.at(d.mean)
		// The variance of a squared deviation of a negative binomial count, relative to the mean.
		n := d.weight() / (2*phi*phi + phi*(1+6*phi*(phi-1))/d.mean)
		slope := excess * (d.mean/v.mean - 1)
		sum += n * slope * (d.excess() - excess)
		sure += n * slope * slope
	}
	v.squared = math.Max(0, math.Min(1, sum/sure))
	return v.squared, sure
}

// markEvents marks the hours of past events, which had a cause and say nothing about chance. They are the
// hours that stand out in windows with far more posts than predicted.
func (f *fit) markEvents() {
	var counts, expected [24]float64
	run := 0
	for i := range f.blocks {
		hours, level := f.block(i), f.levels[i]
		for j := range hours {
			hours[j].event = false
		}
		for range maxEvents {
			if f.sumWindow(hours, level).mean < minEventPosts || !f.isEventful(hours, level) {
				break
			}
			for j := range hours {
				d := f.sumWindow(hours[j:j+1], level)
				counts[j], expected[j] = d.count, d.mean
			}
			from, to, ok := Segment(counts[:len(hours)], expected[:len(hours)])
			if !ok {
				break
			}
			for j := from; j < to; j++ {
				hours[j].event = true
			}
		}
		f.passed[i] = false
		if slices.ContainsFunc(hours, func(h hour) bool { return h.event }) {
			run++
			continue
		}
		f.endEvent(i, run)
		run = 0
	}
	if run > longEvent {
		f.endEvent(f.blocks, run)
	}
}

// endEvent decides what a run of blocks with events before a block was. Many of them are a new level.
func (f *fit) endEvent(block, run int) {
	for i := block - run; i < block; i++ {
		f.passed[i] = run > 1 && run <= longEvent
		hours := f.block(i)
		for j := range hours {
			hours[j].event = hours[j].event && run <= longEvent
		}
	}
}

// longEvent is the number of blocks from which on an event that has ended was a new level.
const longEvent = 4

// maxEvents is the number of events that are looked for in a block.
const maxEvents = 3

// minEventPosts is the number of posts that a block must lead to expect for its events to be told from
// chance. With a few clusters of posts a day, ordinary days look like events beside the many days that have
// none. Without them, the estimated variation would be too small, and even more days would look like events.
const minEventPosts = 60

// isEventful reports whether a window of a block has far more posts than predicted.
func (f *fit) isEventful(hours []hour, level float64) bool {
	for w, length := range windowHours {
		for end := len(hours); end > 0; end -= length {
			d := f.sumWindow(hours[max(0, end-length):end], level)
			if d.count > d.mean && surprise(d.count, d.mean, f.variation[w].at(d.mean)) > standsOut {
				return true
			}
		}
	}
	return false
}

// predictive returns the variation of counts around the estimated profile: larger than around the
// true one, because an hour's own deviation has moved the profile toward it, and the profile is off
// by as much for future hours. It is also larger if much of it grows with the mean, which is
// known less precisely, and rare alarms are mostly errors of the model.
func (f *fit) predictive() [len(Windows)]variation {
	weeks := max(2, float64(f.blocks)/7)
	e := f.shrunk / weeks
	out := f.variation
	for i := range out {
		v := &out[i]
		v.average = (1 + (v.average-1)*(1+widening*v.squared)) * (1 + e) / (1 - e)
	}
	return out
}

// widening was fitted to simulated series; docs/signals.md says how.
const widening = 0.06
