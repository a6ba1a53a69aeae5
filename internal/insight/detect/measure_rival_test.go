package detect_test

import (
	"math"
)

// A signalRival is how others detect spikes: a score of the last hour, and a threshold. All get the
// guard of ten posts.
type signalRival struct {
	name       string
	standard   float64 // threshold as sold
	thresholds []float64
	// scorer returns the score of the last hour before a bin. It is called for every bin in order.
	scorer func(s *signalSeries, sums []float64) func(bin int) float64
}

var signalRivals = []signalRival{
	{"EWMA of a day, 3 sd", 3, geometric(1, 60, 40), ewmaScore},
	{"7-day mean, 2 sd", 2, geometric(1, 60, 40), weekScore},
	{"1 hour vs. 12 hours, ×2", 2, geometric(1.2, 60, 40), ratioScore},
}

// geometric returns n numbers from low to high at equal ratios.
func geometric(low, high float64, n int) []float64 {
	out := make([]float64, n)
	for i := range out {
		out[i] = low * math.Pow(high/low, float64(i)/float64(n-1))
	}
	return out
}

// watch returns the alarms at each threshold, and last those at the standard one.
func (r signalRival) watch(s *signalSeries, sums []float64) []track {
	tracks := newTracks(len(r.thresholds) + 1)
	score := r.scorer(s, sums)
	for bin := s.first; bin < len(s.bins); bin++ {
		x := score(bin)
		if sums[bin]-sums[bin-binsPerHour] < minPosts {
			continue
		}
		for i, limit := range r.thresholds {
			if x <= limit {
				break
			}
			tracks[i].exceeded(bin)
		}
		if x > r.standard {
			tracks[len(r.thresholds)].exceeded(bin)
		}
	}
	return tracks
}

// ewmaScore is the distance from an exponentially weighted mean of hours with a half-life of a day,
// in standard deviations.
func ewmaScore(_ *signalSeries, sums []float64) func(bin int) float64 {
	keep := math.Exp2(-1.0 / 24)
	mean, square, hour := 0.0, 0.0, 0
	return func(bin int) float64 {
		// The last hour itself is not part of the mean.
		for ; (hour+2)*binsPerHour <= bin; hour++ {
			x := sums[(hour+1)*binsPerHour] - sums[hour*binsPerHour]
			mean = keep*mean + (1-keep)*x
			square = keep*square + (1-keep)*x*x
		}
		return distance(sums[bin]-sums[bin-binsPerHour], mean, square)
	}
}

// weekScore is the distance from the mean of the hours of the last seven days.
func weekScore(_ *signalSeries, sums []float64) func(bin int) float64 {
	const hours = 7 * 24
	return func(bin int) float64 {
		var mean, square float64
		end := bin - binsPerHour
		if last := sums[bin] - sums[end]; last < minPosts {
			return 0
		}
		for h := range hours {
			x := sums[end-h*binsPerHour] - sums[end-(h+1)*binsPerHour]
			mean += x / hours
			square += x * x / hours
		}
		return distance(sums[bin]-sums[end], mean, square)
	}
}

// distance returns how many standard deviations x is above the mean.
func distance(x, mean, square float64) float64 {
	return (x - mean) / math.Sqrt(max(square-mean*mean, 1e-3))
}

// ratioScore is the last hour, relative to the mean of the twelve hours before it.
func ratioScore(_ *signalSeries, sums []float64) func(bin int) float64 {
	return func(bin int) float64 {
		end := bin - binsPerHour
		return (sums[bin] - sums[end]) / max((sums[end]-sums[end-12*binsPerHour])/12, 0.01)
	}
}

// A RivalResult compares a rival with our default sensitivity on the same series.
type RivalResult struct {
	Name         string  `json:"name"`
	DefaultRate  float64 `json:"asSoldFalseAlarms"` // per monitor-year, with the threshold as sold
	DefaultFound float64 `json:"asSoldFound"`
	OurRate      float64 `json:"ourFalseAlarms"`
	OurFound     float64 `json:"ourFound"`
	FoundAtRate  float64 `json:"foundAtOurFalseAlarms"`
	RateAtFound  float64 `json:"falseAlarmsAtOurFound"` // -1 if no threshold finds as many
}

func compareRivals(quiet, events []watched) []RivalResult {
	rate := func(of func(w *watched) *track) float64 {
		n, years := 0.0, 0.0
		for i := range quiet {
			n += float64(len(of(&quiet[i]).starts))
			years += quiet[i].years
		}
		return n / years
	}
	found := func(of func(w *watched) *track) float64 {
		n, all := 0.0, 0.0
		for i := range events {
			for _, k := range events[i].series.spikes {
				all++
				if of(&events[i]).delay(k) >= 0 {
					n++
				}
			}
		}
		return n / max(all, 1)
	}
	ours := func(w *watched) *track { return &w.ours[1] }
	var out []RivalResult
	for r, rival := range signalRivals {
		x := RivalResult{Name: rival.name, OurRate: rate(ours), OurFound: found(ours), RateAtFound: -1}
		for i := range rival.thresholds {
			of := func(w *watched) *track { return &w.rivals[r][i] }
			far, hit := rate(of), found(of)
			if far <= x.OurRate && hit > x.FoundAtRate {
				x.FoundAtRate = hit
			}
			if hit >= x.OurFound && (x.RateAtFound < 0 || far < x.RateAtFound) {
				x.RateAtFound = far
			}
		}
		standard := func(w *watched) *track { return &w.rivals[r][len(rival.thresholds)] }
		x.DefaultRate, x.DefaultFound = rate(standard), found(standard)
		out = append(out, x)
	}
	return out
}

// knownLimits are limits of the detector that knows everything, lowest first.
var knownLimits = geometric(2, 25, 60)

// watchKnown runs the best detector that is possible: Page's cumulative sum of log-likelihood ratios,
// with the true mean of every five minutes, the true dispersion, and the size of the spikes.
func (s *signalSeries) watchKnown(dispersion, factor float64) []track {
	tracks := newTracks(len(knownLimits))
	sum := 0.0
	for bin := s.first; bin < len(s.bins); bin++ {
		x, mean := float64(s.bins[bin]), float64(s.rates[bin])
		if dispersion <= 1 {
			sum += x*math.Log(factor) - (factor-1)*mean
		} else {
			r := mean / (dispersion - 1)
			sum += logGamma(x+factor*r) - logGamma(factor*r) - logGamma(x+r) + logGamma(r) - (factor-1)*r*math.Log(dispersion)
		}
		sum = max(sum, 0)
		for i, limit := range knownLimits {
			if sum <= limit {
				break
			}
			tracks[i].exceeded(bin + 1) // known at the end of the bin
		}
		// After an alarm, a sum that is far above the limit would take long to come down.
		sum = min(sum, knownLimits[len(knownLimits)-1]+1)
	}
	return tracks
}

func logGamma(x float64) float64 {
	y, _ := math.Lgamma(x)
	return y
}
