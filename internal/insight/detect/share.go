package detect

import (
	"math"
	"slices"
)

// Shares are watched in one window, the last of [Windows], against the days before it.
const (
	ShareDays   = 28  // that a share looks back
	minDays     = 14  // with posts, to begin with
	MinOdds     = 1.5 // of the observed share, relative to the expected one
	priorShare  = 0.5 // posts that a share starts from, so that no share is impossible
	priorSpread = 0.005
	typicalDays = 7 // that limits are computed for
)

// A Day is the 24 hours of a share's history: posts that count, out of all posts. A day without
// posts, or with a gap, has a Total of 0.
type Day struct {
	Part, Total float64
}

// A Share is the expected share of some posts, for example negative ones. It is immutable.
type Share struct {
	mean   float64
	spread float64   // correlation of two posts of a day, plus the error of mean
	totals []float64 // of typical days
}

// FitShare learns from consecutive days, oldest first, that end where the last window begins. Only
// the last [ShareDays] count. It returns a *[Learning] if fewer than 14 days had posts.
func FitShare(days []Day) (*Share, error) {
	days = days[max(0, len(days)-ShareDays):]
	s := &Share{}
	for _, d := range days {
		if d.Total > 0 {
			s.totals = append(s.totals, d.Total)
		}
	}
	if len(s.totals) < minDays {
		return nil, &Learning{Hours: 24 * len(s.totals)}
	}
	// Several times: at first every day counts, then unusual days of the past count less.
	s.spread = 1
	for range 3 {
		s.estimate(days)
	}
	slices.Sort(s.totals)
	for i := range typicalDays {
		s.totals[i] = s.totals[(2*i+1)*len(s.totals)/(2*typicalDays)]
	}
	s.totals = slices.Clip(s.totals[:typicalDays])
	return s, nil
}

// estimate estimates mean and spread, given the estimates of the round before.
func (s *Share) estimate(days []Day) {
	weight := func(d Day) float64 {
		variance := d.Total * s.mean * (1 - s.mean) * (1 + (d.Total-1)*s.spread)
		if variance <= 0 {
			return 1
		}
		if z := (d.Part - d.Total*s.mean) / math.Sqrt(variance); z*z > outlier*outlier {
			return outlier * outlier / (z * z)
		}
		return 1
	}
	// Days with many posts count more, but not in proportion: their posts are alike.
	var part, total, independent float64
	for _, d := range days {
		if d.Total > 0 {
			w := weight(d) / (1 + (d.Total-1)*s.spread)
			part += w * d.Part
			total += w * d.Total
			independent += w * d.Total
		}
	}
	mean := (part + priorShare) / (total + 2*priorShare)
	// E(part - total·mean)² = total·mean·(1-mean)·(1 + (total-1)·spread)
	var excess, pairs float64
	n := 0.0
	for _, d := range days {
		if d.Total > 0 {
			n++
		}
	}
	for _, d := range days {
		if d.Total > 1 {
			chi := weight(d) * (d.Part - d.Total*mean) * (d.Part - d.Total*mean) / (d.Total * mean * (1 - mean)) * n / (n - 1)
			g := 1 / (1 + (d.Total-1)*max(s.spread, priorSpread))
			excess += g * (chi - 1)
			pairs += g * (d.Total - 1)
		}
	}
	prior := 5 / (1 + 1/priorSpread) / priorSpread // five days that say priorSpread
	spread := max(0, (excess+prior*priorSpread)/(pairs+prior))
	s.mean = mean
	s.spread = min(spread+1/(independent+1), 0.5)
}

// Expect returns the distribution of the share among n posts.
func (s *Share) Expect(total float64) ShareExpectation {
	precision := 1/s.spread - 1
	return ShareExpectation{Mean: s.mean, Total: total, a: s.mean * precision, b: (1 - s.mean) * precision}
}

// A ShareExpectation is the distribution of a share: beta-binomial.
type ShareExpectation struct {
	Mean  float64 // from 0 to 1
	Total float64
	a, b  float64
}

// Chance returns the probability of n or more posts out of the total.
func (e ShareExpectation) Chance(part float64) float64 {
	return betaBinomialTail(part, e.Total, e.a, e.b)
}

// Interval returns the shares between which a part of all shares is, for example 0.99 of them.
func (e ShareExpectation) Interval(level float64) (low, high float64) {
	if e.Total < 1 {
		return 0, 1
	}
	return e.quantile((1-level)/2) / e.Total, e.quantile((1+level)/2) / e.Total
}

// quantile returns the smallest k with P(K <= k) >= p.
func (e ShareExpectation) quantile(p float64) float64 {
	low, high := -1.0, math.Floor(e.Total)
	for high-low > 1 {
		middle := math.Floor((low + high) / 2)
		if e.Chance(middle+1) > 1-p {
			low = middle
		} else {
			high = middle
		}
	}
	return high
}

// A ShareLimit says when a share is an alarm.
type ShareLimit struct {
	MinPosts float64 // that count, in the window
	Chance   float64
}

// Exceeded reports whether the number of posts that count is an alarm.
func (l ShareLimit) Exceeded(e ShareExpectation, part float64) bool {
	return part >= l.MinPosts && unusualOdds(part, e.Total, e.Mean) && e.Chance(part) < l.Chance
}

// unusualOdds is the guard of shares: from 10% it asks for 14%, from 50% for 60%, from 90% for 93%.
func unusualOdds(part, total, mean float64) bool {
	return part*(1-mean) >= MinOdds*mean*(total-part)
}

// Limit returns the limit at which alarms without a cause start perYear times a year, as
// [Model.Limit] does.
func (s *Share) Limit(perYear, minPosts float64) ShareLimit {
	l := ShareLimit{MinPosts: minPosts}
	if perYear > 0 {
		l.Chance = s.spectrum(minPosts).solve(perYear)
	}
	return l
}

// spectrum returns the chances of the numbers of posts that the guards let pass, on days like those
// of the history.
func (s *Share) spectrum(minPosts float64) spectrum {
	out := spectrum{window: len(Windows) - 1}
	odds := MinOdds * s.mean / (1 - s.mean)
	for _, total := range s.totals {
		e := s.Expect(total)
		k := math.Ceil(max(minPosts, total*odds/(1+odds), 1))
		if k <= total {
			chance, mass := e.Chance(k), betaBinomialMass(k, total, e.a, e.b)
			for ; k <= total && chance > minChance && mass > 0; k++ {
				out.chances = append(out.chances, chance)
				chance -= mass
				mass *= betaBinomialRatio(k, total, e.a, e.b)
			}
		}
		out.ends = append(out.ends, len(out.chances))
		out.clumps = append(out.clumps, clumpiness(out.window, total*s.mean, 1+(total-1)*s.spread))
	}
	return out
}
