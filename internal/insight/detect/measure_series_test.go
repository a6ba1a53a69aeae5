package detect_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"time"
)

// A signalSetting describes the series of a simulated monitor.
type signalSetting struct {
	Level      float64 // posts per hour
	Dispersion float64 // variance of a count, relative to its mean
	Weeks      int     // evaluated, after the history
	Correlated bool    // the level wanders by the hour, a stress that the model does not assume
	Spikes     bool
	Only       *spike // the length and factor of all spikes; nil means any
	Known      bool   // also run the detector that knows everything

	Shape    float64 // if not 0, the variance of an hour is mean + mean²/Shape instead
	Eventful bool    // about an event a week, also in the history, and probes
}

// A signalSeries is a simulated monitor: the number of posts in every five minutes.
type signalSeries struct {
	start   time.Time
	zone    *time.Location
	bins    []int32
	missing []bool // hours
	spikes  []spike
	rates   []float32 // true means of bins without spikes, if known
	first   int       // bin at which evaluation starts
	probes  []spike   // hours with three times as many posts as usual, at about 50 posts per hour
}

// A spike multiplies the posts of some bins.
type spike struct {
	from, to int // bins
	factor   float64
}

const (
	binsPerHour  = 12
	historyWeeks = 8
	weekBins     = 7 * 24 * binsPerHour
)

// spikeFactors and spikeHours are the sizes and lengths of injected spikes.
var (
	spikeFactors = []float64{1.5, 2, 3, 5, 10}
	spikeHours   = []int{1, 3, 12, 48}
)

var signalZones = []string{"UTC", "Europe/Berlin", "America/New_York", "Asia/Kolkata"}

// newSignalSeries simulates a monitor. Counts are negative binomial in every window, around a mean
// with a weekly profile, a trend and holidays. Some hours are missing.
func newSignalSeries(c signalSetting, random *rand.Rand) (*signalSeries, error) {
	zone, err := time.LoadLocation(signalZones[random.IntN(len(signalZones))])
	if err != nil {
		return nil, err
	}
	bins := (historyWeeks + c.Weeks) * weekBins
	s := &signalSeries{
		start:   time.Date(2026, 1, 1+random.IntN(365), 0, 0, 0, 0, zone),
		zone:    zone,
		bins:    make([]int32, bins),
		missing: make([]bool, bins/binsPerHour),
		first:   historyWeeks * weekBins,
	}
	profile := randomProfile(random)
	show, peak := -1, 1.0 // an hour that is busy every week
	if random.IntN(4) == 0 {
		show, peak = random.IntN(len(profile)), 3+7*random.Float64()
	}
	holidays := randomHolidays(random, bins/binsPerHour/24+2)
	// From a third to three times as many posts a year later, with a wave of some weeks.
	growth := (2*random.Float64() - 1) * math.Log(3) / float64(365*24)
	wave, period := 0.15*random.Float64(), float64(24*(30+random.IntN(90)))
	wander := newWander(c, random)
	if c.Spikes {
		s.addSpikes(c.Only, random)
	}
	if c.Eventful {
		s.addEvents(random)
	}
	if c.Known {
		s.rates = make([]float32, bins)
	}
	events := slices.Clone(s.spikes)
	next := 0
	for h := range s.missing {
		local := s.start.Add(time.Duration(h) * time.Hour).In(zone)
		day := int((local.Weekday() + 6) % 7)
		rate := c.Level * math.Exp(growth*float64(h-bins/binsPerHour/2)+wave*math.Sin(2*math.Pi*float64(h)/period))
		kind := holidays[min(h/24, len(holidays)-1)]
		switch kind {
		case likeSunday:
			day = 6
		case nearlyEmpty:
			rate *= 0.1
		}
		rate *= profile[day*24+local.Hour()] * wander()
		if kind == workday && day*24+local.Hour() == show {
			rate *= peak
		}
		if c.Eventful && s.probe(h, rate, events) {
			rate *= 3
		}
		for b := h * binsPerHour; b < (h+1)*binsPerHour; b++ {
			mean := rate / binsPerHour
			if c.Known {
				s.rates[b] = float32(mean)
			}
			for next < len(s.spikes) && s.spikes[next].to <= b {
				next++
			}
			if next < len(s.spikes) && s.spikes[next].from <= b {
				mean *= s.spikes[next].factor
			}
			if shape := c.Shape / binsPerHour; shape > 0 {
				mean *= gamma(random, shape) / shape
			}
			s.bins[b] = negativeBinomial(random, mean, c.Dispersion)
		}
	}
	s.addGaps(random)
	return s, nil
}

// randomProfile returns the relative rate of each hour of the week, 1 on average.
func randomProfile(random *rand.Rand) (profile [7 * 24]float64) {
	amplitude, phase := 0.2+0.7*random.Float64(), 24*random.Float64()
	weekend := 0.4 + 0.7*random.Float64()
	roughness := 0.1 * random.Float64()
	sum := 0.0
	for i := range profile {
		p := 1 + amplitude*math.Sin(2*math.Pi*(float64(i%24)-phase)/24)
		if i/24 >= 5 {
			p *= weekend
		}
		p *= math.Exp(roughness * random.NormFloat64())
		profile[i] = p
		sum += p
	}
	for i := range profile {
		profile[i] *= float64(len(profile)) / sum
	}
	return profile
}

type holiday int

const (
	workday holiday = iota
	likeSunday
	nearlyEmpty
)

// randomHolidays returns ten holidays a year.
func randomHolidays(random *rand.Rand, days int) []holiday {
	out := make([]holiday, days)
	for i := range out {
		if random.Float64() < 10.0/365 {
			out[i] = likeSunday + holiday(random.IntN(2))
		}
	}
	return out
}

// newWander returns a function of the factor by which the level of the next hour is off. Without
// correlation, it is 1.
func newWander(c signalSetting, random *rand.Rand) func() float64 {
	if !c.Correlated {
		return func() float64 { return 1 }
	}
	size, hours := 0.1+0.2*random.Float64(), math.Exp2(1+4*random.Float64()) // 2 to 32 hours
	keep := math.Exp(-1 / hours)
	x := size * random.NormFloat64()
	return func() float64 {
		x = keep*x + math.Sqrt(1-keep*keep)*size*random.NormFloat64()
		return math.Exp(x)
	}
}

// addSpikes adds a spike about every two weeks of the evaluated time.
func (s *signalSeries) addSpikes(only *spike, random *rand.Rand) {
	for at := s.first; at+weekBins < len(s.bins); at += 2 * weekBins {
		from := at + random.IntN(weekBins)
		length := spikeHours[random.IntN(len(spikeHours))] * binsPerHour
		factor := spikeFactors[random.IntN(len(spikeFactors))]
		if only != nil {
			length, factor = only.to-only.from, only.factor
		}
		s.spikes = append(s.spikes, spike{from: from, to: from + length, factor: factor})
	}
}

// addEvents adds an event about every week, also to the history.
func (s *signalSeries) addEvents(random *rand.Rand) {
	for at := 0; at+2*weekBins < len(s.bins); at += weekBins {
		from := at + random.IntN(weekBins-60*binsPerHour)
		length := spikeHours[random.IntN(len(spikeHours))] * binsPerHour
		s.spikes = append(s.spikes, spike{from: from, to: from + length, factor: spikeFactors[random.IntN(len(spikeFactors))]})
	}
}

// probe makes an hour a probe if there was none for a week, about 50 posts are usual, and no event is
// within two days.
func (s *signalSeries) probe(hour int, rate float64, events []spike) bool {
	k := spike{from: hour * binsPerHour, to: (hour + 1) * binsPerHour, factor: 3}
	since := s.first
	if n := len(s.probes); n > 0 {
		since = s.probes[n-1].to + weekBins
	}
	near := func(e spike) bool { return e.from < k.to+weekBins*2/7 && k.from < e.to+weekBins*2/7 }
	if k.from < since || rate < 45 || rate > 60 || slices.ContainsFunc(events, near) {
		return false
	}
	s.probes = append(s.probes, k)
	return true
}

// addGaps makes six outages a year, of an hour to two days. Whole hours are missing.
func (s *signalSeries) addGaps(random *rand.Rand) {
	for range len(s.missing) * 6 / (365 * 24) {
		from := random.IntN(len(s.missing))
		for h := from; h < min(from+1+random.IntN(48), len(s.missing)); h++ {
			s.missing[h] = true
			clear(s.bins[h*binsPerHour : (h+1)*binsPerHour])
		}
	}
}

// negativeBinomial draws a count with this mean and a variance of dispersion·mean: clusters arrive
// at random, and their sizes have a logarithmic distribution. Sums of such counts have the same
// dispersion, so a window of any length and offset is negative binomial.
func negativeBinomial(random *rand.Rand, mean, dispersion float64) int32 {
	if dispersion <= 1 {
		return poissonCount(random, mean)
	}
	q := 1 - 1/dispersion
	n := int32(0)
	for range poissonCount(random, mean*math.Log(dispersion)/(dispersion-1)) {
		// Kemp's method
		n += 1 + int32(math.Log(1-random.Float64())/math.Log(1-math.Pow(1-q, random.Float64())))
	}
	return n
}

// gamma draws from a gamma distribution with a shape of at least 1 and a mean of shape, by the method of
// Marsaglia and Tsang.
func gamma(random *rand.Rand, shape float64) float64 {
	d := shape - 1.0/3
	for c := 1 / math.Sqrt(9*d); ; {
		x := random.NormFloat64()
		v := math.Pow(1+c*x, 3)
		if v > 0 && math.Log(1-random.Float64()) < x*x/2+d-d*v+d*math.Log(v) {
			return d * v
		}
	}
}

// poissonCount draws a Poisson count.
func poissonCount(random *rand.Rand, mean float64) int32 {
	n := int32(0)
	for ; mean > 20; mean -= 20 {
		n += poissonCount(random, 20)
	}
	u, mass := random.Float64(), math.Exp(-mean)
	for k := int32(1); u > mass && k < 200; k++ {
		u -= mass
		mass *= mean / float64(k)
		n++
	}
	return n
}
