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
	levels  []float64          // predicted for each block, and after them for now
	decay   float64            // of the weight of a block, per block
	// dispersion of sums over each of the windows
	dispersion [len(Windows)]float64
}

type hour struct {
	count  float64
	weight float64 // 0 if the count is missing, small for past outliers
	slot   int     // hour of the week
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
	f.levels = make([]float64, f.blocks+1)
	return f
}

// run estimates profile, level and dispersion in turn. Each round knows better which hours were
// outliers.
func (f *fit) run() {
	for i := range f.profile {
		f.profile[i] = 1
	}
	for i := range f.dispersion {
		f.dispersion[i] = 1
	}
	f.follow(false)
	f.estimateProfile()
	f.follow(false)
	f.robustDispersion()
	for range 2 {
		f.follow(true)
		f.estimateProfile()
		f.follow(true)
		f.estimateDispersion()
	}
	f.chooseDecay()
	f.follow(true)
	f.estimateDispersion()
}

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
	limit := outlier * outlier * f.dispersion[len(Windows)-1]
	count, profile := f.startLevel()
	sum := 0.0
	for i, b := range f.totals {
		if mean := levelOf(count, profile) * b.profile; i >= burnIn && mean > 0 {
			sum += min((b.count-mean)*(b.count-mean)/(mean+1), limit)
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
	whole := weightOf(f.totals[block].count, level*f.totals[block].profile, f.dispersion[len(Windows)-1])
	if whole < 1 {
		run = min(run+1, len(newLevel)-1)
	} else {
		run = 0
	}
	hours := f.block(block)
	for i := range hours {
		if h := &hours[i]; h.weight > 0 {
			h.weight = max(whole*weightOf(h.count, level*f.profile[h.slot], f.dispersion[0]), newLevel[run], 1e-6)
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

// robustDispersion is a first estimate that a spike hardly affects: the median over weeks.
func (f *fit) robustDispersion() {
	var values [int(History/(7*24*time.Hour)) + 1]float64
	for w, length := range windowHours {
		weeks := values[:0]
		for end := f.blocks; end > 0; end -= 7 {
			var sum, weights float64
			for i := max(0, end-7); i < end; i++ {
				s, n := f.deviation(f.block(i), f.levels[i], length, math.Inf(1))
				sum, weights = sum+s, weights+n
			}
			if weights > 0 {
				weeks = append(weeks, sum/weights)
			}
		}
		if len(weeks) > 0 {
			slices.Sort(weeks)
			f.dispersion[w] = max(1, weeks[len(weeks)/2])
		}
	}
}

// windowHours are the lengths of Windows in hours.
var windowHours = [len(Windows)]int{1, 4, 24}

// deviation returns the sum over the windows of a block of the squared deviations, relative to the
// mean, and of their weights: their ratio is the dispersion. Windows with a mean much below 1 say
// little about the dispersion and get little weight.
func (f *fit) deviation(hours []hour, level float64, length int, dispersion float64) (sum, weights float64) {
	for end := len(hours); end > 0; end -= length {
		var y, mean float64
		for _, h := range hours[max(0, end-length):end] {
			if h.weight > 0 {
				y += h.count
				mean += level * f.profile[h.slot]
			}
		}
		if mean <= 0 {
			continue
		}
		if surprise(y, mean, dispersion) > event {
			continue
		}
		sum += (y - mean) * (y - mean) / (mean + 1)
		weights += mean / (mean + 1)
	}
	return sum, weights
}

// estimateDispersion estimates the dispersion of each window. With little history, longer windows
// lean toward the shorter ones: without correlation in time, all are the same.
func (f *fit) estimateDispersion() {
	prior, strength := 2.0, 24.0
	for w, length := range windowHours {
		var sum, weights float64
		for i := burnIn; i < f.blocks; i++ {
			s, n := f.deviation(f.block(i), f.levels[i], length, f.dispersion[w])
			sum, weights = sum+s, weights+n
		}
		f.dispersion[w] = max(1, (sum+prior*strength)/(weights+strength))
		prior, strength = f.dispersion[w], 12
	}
}

// predictive returns the dispersions of counts around the estimated profile: larger than around the
// true one, because an hour's own deviation has moved the profile toward it, and the profile is off
// by as much for future hours.
func (f *fit) predictive() [len(Windows)]float64 {
	weeks := max(2, float64(f.blocks)/7)
	e := f.shrunk / weeks
	out := f.dispersion
	for i := range out {
		out[i] *= (1 + e) / (1 - e)
	}
	return out
}
