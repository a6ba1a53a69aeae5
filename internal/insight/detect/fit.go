package detect

import (
	"math"
	"slices"
	"time"
)

// A fit is the work of [Fit] on the hours that a model learns from.
//
// The last 24 hours of the history are its last block, the 24 hours before that the block before it,
// and so on. The level is constant within a block. What is predicted for a block comes from the
// blocks before it, so that deviations include the error of following the level.
type fit struct {
	hours   []hour
	blocks  int
	profile [weekHours]float64 // relative to the level, 1 on average
	shrunk  float64            // how much of the profile is estimated hour by hour, from 0 to 1
	totals  []total            // of each block
	passed  []bool             // blocks of events, not of a new level
	levels  []float64          // predicted for each block, and after them for now
	decay   float64            // of the weight of a block, per block
	// of sums over each of the windows
	variation [len(Windows)]variation
	scratch   []deviation
}

type hour struct {
	count  float64
	weight float64 // 0 if the count is missing, small for past outliers
	slot   int     // hour of the week
	event  bool    // says nothing about chance
}

// A total is the sum of the observed hours of a block, unweighted and weighted.
type total struct {
	count, profile                 float64
	weightedCount, weightedProfile float64
}

// Deviations are in standard deviations of a normal distribution with the same chance.
const (
	outlier = 3.0 // the past counts less beyond it
	event   = 4.0 // had a cause, and says nothing about chance

	// standsOut is event for more posts than usual. It is lower because events are far more frequent than
	// their opposite, and those that remain make a model blind. 1 in 3,000 counts exceeds it by chance.
	standsOut = 3.4
)

func newFit(start time.Time, zone *time.Location, hours []Hour) *fit {
	f := &fit{hours: make([]hour, len(hours)), blocks: (len(hours) + 23) / 24, decay: decayOf(8)}
	for i, h := range hours {
		middle := start.Add(time.Duration(i)*time.Hour + 30*time.Minute)
		f.hours[i] = hour{count: max(h.Count, 0), weight: 1, slot: int(weekPosition(middle, offsetAt(middle, zone)))}
		if h.Missing || math.IsNaN(h.Count) {
			f.hours[i] = hour{slot: f.hours[i].slot}
		}
	}
	f.totals = make([]total, f.blocks)
	f.passed = make([]bool, f.blocks)
	f.levels = make([]float64, f.blocks+1)
	return f
}

// rounds is how often profile, level and variation are estimated.
const rounds = 4

// run estimates profile, level and variation in turn. Each round knows better which hours were
// outliers.
func (f *fit) run() {
	for i := range f.profile {
		f.profile[i] = 1
	}
	for i := range f.variation {
		f.variation[i] = variation{average: 1, mean: 1}
	}
	f.dampen()
	f.follow(false)
	f.estimateProfile()
	f.follow(false)
	f.robustVariation()
	for range rounds {
		f.follow(true)
		f.estimateProfile()
		f.follow(true)
		f.markEvents()
		f.estimateVariation()
	}
	f.chooseDecay()
	f.follow(true)
	f.markEvents()
	f.estimateVariation()
}

// dampen is a first guess which days had events: those with far more posts than the days around them. The
// first level and profile would follow them, and then nothing would stand out.
func (f *fit) dampen() {
	f.sum()
	var around [2*aroundBlocks + 1]float64
	for i := range f.totals {
		n := 0
		for j := max(0, i-aroundBlocks); j <= min(i+aroundBlocks, f.blocks-1); j++ {
			around[n] = f.totals[j].count / max(f.totals[j].profile, 1)
			n++
		}
		sorted := around[:n]
		slices.Sort(sorted)
		if usual := sorted[n/2] * f.totals[i].profile; usual >= minEventPosts && f.totals[i].count > MinRatio*usual {
			hours := f.block(i)
			for j := range hours {
				if hours[j].weight > 0 {
					hours[j].weight = max(usual/f.totals[i].count/10, 1e-6)
				}
			}
		}
	}
}

const aroundBlocks = 7

// block returns the hours of a block. The first one may be shorter.
func (f *fit) block(i int) []hour {
	end := len(f.hours) - 24*(f.blocks-1-i)
	return f.hours[max(0, end-24):end]
}

// halfLives are the memories of the level that a fit chooses from, in blocks.
var halfLives = [...]float64{4, 8, 16, 32}

func decayOf(halfLife float64) float64 { return math.Exp2(-1 / halfLife) }

// chooseDecay chooses how fast the level forgets by how well it has predicted: a growing brand needs
// a short memory, a quiet one a long memory.
func (f *fit) chooseDecay() {
	best, least := f.decay, math.Inf(1)
	for _, h := range halfLives {
		if e := f.levelError(decayOf(h)); e < least {
			best, least = decayOf(h), e
		}
	}
	f.decay = best
}

// levelError is how badly a level would have predicted the totals of blocks, with outliers limited.
func (f *fit) levelError(decay float64) float64 {
	count, profile := f.startLevel()
	sum := 0.0
	for i, b := range f.totals {
		d := f.sumWindow(f.block(i), levelOf(count, profile))
		if mean := d.mean; i >= burnIn && mean > 0 {
			sum += min((d.count-mean)*(d.count-mean)/(mean+1), outlier*outlier*f.variation[len(Windows)-1].at(mean))
		}
		count = decay*count + b.weightedCount
		profile = decay*profile + b.weightedProfile
	}
	return sum
}

// burnIn is the number of blocks at the start whose prediction is not used to estimate deviations.
const burnIn = 3

// follow computes the level block by block as an exponentially weighted ratio of counts to profile.
// With weigh, hours that deviate much from what was predicted get less weight, in the level now and
// in the profile later.
//
// Several unusual days in a row are a new level, not an outlier: from the third one on, they get
// more and more weight.
func (f *fit) follow(weigh bool) {
	f.sum()
	count, profile := f.startLevel()
	run := 0
	for i := range f.totals {
		f.levels[i] = levelOf(count, profile)
		if weigh {
			run = f.weigh(i, run)
		}
		count = f.decay*count + f.totals[i].weightedCount
		profile = f.decay*profile + f.totals[i].weightedProfile
	}
	f.levels[f.blocks] = levelOf(count, profile)
}

// startLevel returns what the first level comes from: half of the first week.
func (f *fit) startLevel() (count, profile float64) {
	for _, b := range f.totals[:min(7, f.blocks)] {
		count += b.weightedCount
		profile += b.weightedProfile
	}
	return count / 2, profile / 2
}

// levelOf returns the ratio of counts to profile, which is never zero.
func levelOf(count, profile float64) float64 { return (count + 0.25) / max(profile, 1) }

// sum computes the totals of all blocks.
func (f *fit) sum() {
	for i := range f.totals {
		f.totals[i] = f.sumOf(f.block(i))
	}
}

func (f *fit) sumOf(hours []hour) (t total) {
	for _, h := range hours {
		if h.weight > 0 {
			p := f.profile[h.slot]
			t.count += h.count
			t.profile += p
			t.weightedCount += h.weight * h.count
			t.weightedProfile += h.weight * p
		}
	}
	return t
}

// newLevel is the least weight of the hours of consecutive unusual days.
var newLevel = [...]float64{0, 0, 0, 0.2, 0.5, 1}

// weigh sets the weights of the hours of a block, given the number of unusual blocks right before
// it, and returns that number including this block.
func (f *fit) weigh(block, run int) int {
	level := f.levels[block]
	mean := level * f.totals[block].profile
	whole := weightOf(f.totals[block].count, mean, f.variation[len(Windows)-1].at(mean))
	if whole < 1 {
		run = min(run+1, len(newLevel)-1)
	} else {
		run = 0
	}
	hours := f.block(block)
	rest := f.sumWindow(hours, level)
	quiet := weightOf(rest.count, rest.mean, f.variation[len(Windows)-1].at(rest.mean))
	for i := range hours {
		if h := &hours[i]; h.weight > 0 {
			mean := level * f.profile[h.slot]
			weight := quiet * weightOf(h.count, mean, f.variation[0].at(mean))
			if h.event {
				weight = 0
			}
			if !f.passed[block] {
				weight = max(weight, newLevel[run])
			}
			h.weight = max(weight, 1e-6)
		}
	}
	f.totals[block] = f.sumOf(hours)
	return run
}

// weightOf returns the weight of a count: 1, or less for an outlier.
func weightOf(y, mean, dispersion float64) float64 {
	if s := surprise(y, mean, dispersion); s > outlier {
		return math.Pow(outlier/s, 4)
	}
	return 1
}

// surprise returns how far a count deviates in either direction, or 0 if not far. It goes by the
// chance of the count, because the distribution of small counts is far from symmetric.
func surprise(y, mean, dispersion float64) float64 {
	if d := y - mean; mean <= 0 || d*d < 2.5*2.5*dispersion*mean {
		return 0
	}
	chance := negativeBinomialTail(y, mean, dispersion)
	if y < mean {
		chance = 1 - negativeBinomialTail(y+1, mean, dispersion)
	}
	if chance > 0.01 {
		return 0
	}
	// Abramowitz and Stegun 26.2.22
	t := math.Sqrt(-2 * math.Log(max(chance, 1e-300)))
	return t - (2.30753+0.27061*t)/(1+0.99229*t+0.04481*t*t)
}

// level returns the level for now.
func (f *fit) level() float64 { return f.levels[f.blocks] }

// robustVariation is a first estimate that events hardly affect: the median over blocks.
func (f *fit) robustVariation() {
	values := make([]float64, 0, f.blocks)
	for w, length := range windowHours {
		values = values[:0]
		for i := range f.blocks {
			hours := f.block(i)
			var sum, weights, windows float64
			for end := len(hours); end > 0; end -= length {
				if d := f.sumWindow(hours[max(0, end-length):end], f.levels[i]); d.mean > 0 {
					sum += d.weight() * (d.excess() + 1)
					weights += d.weight()
					windows++
				}
			}
			if weights > 0 {
				// The median of a mean of n squares is about (1-2/9n)³ of what is expected.
				values = append(values, sum/weights/math.Pow(1-2/(9*windows), 3))
			}
		}
		f.variation[w] = variation{average: 1, mean: 1}
		if len(values) > 0 {
			slices.Sort(values)
			f.variation[w].average = max(1, values[len(values)/2])
		}
	}
}

// windowHours are the lengths of Windows in hours.
var windowHours = [len(Windows)]int{1, 4, 24}
