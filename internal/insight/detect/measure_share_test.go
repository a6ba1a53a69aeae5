package detect_test

import (
	"context"
	"math"
	"math/rand/v2"

	"earshot/internal/insight/detect"
	"earshot/internal/parallel"
)

const dayBins = 24 * binsPerHour

// Shares of simulated monitors, and how much they vary from day to day: the correlation of two posts
// of a day.
var (
	shareLevels  = []float64{1, 5, 20, 100} // posts per hour
	shareMeans   = []float64{0.02, 0.1, 0.3, 0.6}
	shareSpreads = []float64{0, 0.005, 0.02}
)

// measureShares measures the false alarms of shares that have no cause.
func (r *SignalsResult) measureShares(ctx context.Context, s *simulation) error {
	strata := len(shareLevels) * len(shareMeans) * len(shareSpreads)
	all := newAccumulator()
	weeks := 52
	years := float64(weeks) * 7 / 365.25
	err := parallel.For(ctx, max(5*s.years, strata), 0, func(_ context.Context, i int) error {
		random := rand.New(rand.NewPCG(s.seed<<8|4, uint64(i)))
		k := i % strata
		level := shareLevels[k%len(shareLevels)]
		mean := shareMeans[k/len(shareLevels)%len(shareMeans)]
		spread := shareSpreads[k/len(shareLevels)/len(shareMeans)]
		series, err := newSignalSeries(signalSetting{Level: level, Dispersion: 2, Weeks: weeks}, random)
		if err != nil {
			return err
		}
		parts := shareParts(series, mean, spread, random)
		tracks, able, err := watchShare(series, parts)
		if err != nil {
			return err
		}
		for b := range sensitivities {
			all.add(b, float64(len(tracks[b].starts))/years, able[b])
		}
		return nil
	})
	r.Shares = all.result(years)
	return err
}

// shareParts draws which posts count. The share changes slowly, over about a day.
func shareParts(s *signalSeries, mean, spread float64, random *rand.Rand) []float64 {
	sums := make([]float64, len(s.bins)+1)
	keep := math.Exp(-1.0 / dayBins)
	// The variance of a share is spread·mean·(1-mean); of its logit, about spread/(mean·(1-mean)).
	size := math.Sqrt(spread / (mean * (1 - mean)))
	x := size * random.NormFloat64()
	logit := math.Log(mean / (1 - mean))
	for b, n := range s.bins {
		x = keep*x + math.Sqrt(1-keep*keep)*size*random.NormFloat64()
		p := 1 / (1 + math.Exp(-logit-x))
		k := 0.0
		for range n {
			if random.Float64() < p {
				k++
			}
		}
		sums[b+1] = sums[b] + k
	}
	return sums
}

// watchShare runs the detector of shares over a series.
func watchShare(s *signalSeries, parts []float64) (tracks []track, able []bool, err error) {
	sums := s.cumulate()
	tracks, able = newTracks(len(sensitivities)), make([]bool, len(sensitivities))
	limits := make([]detect.ShareLimit, len(sensitivities))
	open, fits := make([]int, len(sensitivities)), 0
	var share *detect.Share
	for bin := s.first; bin < len(s.bins); bin += binsPerHour { // shares are evaluated once an hour
		if share == nil || bin%refit == 0 {
			var days []detect.Day
			for d := detect.ShareDays; d >= 1; d-- {
				from := bin - (d+1)*dayBins
				days = append(days, detect.Day{Part: parts[from+dayBins] - parts[from], Total: sums[from+dayBins] - sums[from]})
			}
			next, err := detect.FitShare(days)
			if err != nil {
				if share == nil {
					return nil, nil, err
				}
				continue
			}
			share = next
			fits++
			for i, budget := range sensitivities {
				limits[i] = share.Limit(budget, minPosts)
				if limits[i].Chance < detect.MaxChance {
					open[i]++
				}
			}
		}
		part, total := parts[bin]-parts[bin-dayBins], sums[bin]-sums[bin-dayBins]
		if part < minPosts {
			continue
		}
		e := share.Expect(total)
		for i, l := range limits {
			if l.Exceeded(e, part) {
				tracks[i].exceeded(bin)
			}
		}
	}
	for i := range able {
		able[i] = 2*open[i] > fits
	}
	return tracks, able, nil
}

// Newcomers of simulated monitors: how many appear per day with at least three authors, and how fast
// their sizes fall.
var (
	newcomersPerDay   = []float64{0.1, 0.5, 2, 10}
	newcomerExponents = []float64{1.2, 2, 3, 0} // of a power law; 0: exponential with a mean of 5
)

// measureNewcomers measures how many newcomers are alarms in monitors where they keep appearing.
func (r *SignalsResult) measureNewcomers(ctx context.Context, s *simulation) error {
	const history, year = 28, 364
	strata := len(newcomersPerDay) * len(newcomerExponents)
	all := newAccumulator()
	err := parallel.For(ctx, max(4*s.years, strata), 0, func(_ context.Context, i int) error {
		random := rand.New(rand.NewPCG(s.seed<<8|5, uint64(i)))
		rate := newcomersPerDay[i%strata%len(newcomersPerDay)]
		exponent := newcomerExponents[i%strata/len(newcomersPerDay)]
		days := make([][]float64, history+1+year)
		for d := range days {
			for range poissonCount(random, rate) {
				days[d] = append(days[d], newcomerSize(random, exponent))
			}
		}
		alarms := make([]float64, len(sensitivities))
		able := make([]int, len(sensitivities))
		for d := history + 1; d < len(days); d++ {
			var sizes []float64
			for _, past := range days[d-history-1 : d-1] {
				sizes = append(sizes, past...)
			}
			n := detect.FitNewcomers(sizes, detect.NewcomerAuthors, history)
			for b, budget := range sensitivities {
				if n.PerYear(detect.NewcomerAuthors) > budget {
					able[b]++
				}
				for _, size := range days[d] {
					if n.PerYear(size) <= budget {
						alarms[b]++
					}
				}
			}
		}
		for b := range sensitivities {
			all.add(b, alarms[b]*365.25/year, 2*able[b] > year)
		}
		return nil
	})
	r.Newcomers = all.result(year / 365.25)
	return err
}

func newcomerSize(random *rand.Rand, exponent float64) float64 {
	u := 1 - random.Float64()
	if exponent == 0 {
		return math.Floor(detect.NewcomerAuthors - 5*math.Log(u))
	}
	return math.Floor(detect.NewcomerAuthors * math.Pow(u, -1/exponent))
}
