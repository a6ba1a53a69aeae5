package detect

import (
	"math"
	"sort"
	"time"
)

// A Limit says when a count is an alarm.
type Limit struct {
	MinPosts float64
	// Chance is an upper bound of the chance of an alarm, for each of Windows. 0 means never.
	Chance [len(Windows)]float64
}

// Exceeded reports whether a count in the window with this index in [Windows] is an alarm.
func (l *Limit) Exceeded(window int, e Expectation, observed float64) bool {
	return observed >= l.MinPosts && observed >= MinRatio*e.Mean && e.Chance(observed) < l.Chance[window]
}

// Limit returns the limits at which alarms without a cause start perYear times a year, all windows
// together. It takes a fraction of a millisecond; keep it with the model.
//
// Chances are discrete, and guards prevent alarms, so the chance that is asked of a count is larger
// than the chance that is spent. Limit solves for the latter.
func (m *Model) Limit(perYear, minPosts float64) Limit {
	var limit [1]Limit
	m.Limits(limit[:], []float64{perYear}, minPosts)
	return limit[0]
}

// Limits is [Model.Limit] for several budgets at once, which is faster.
func (m *Model) Limits(limits []Limit, perYear []float64, minPosts float64) {
	var spectra [len(Windows)]spectrum
	for i := range Windows {
		spectra[i] = m.spectrum(i, minPosts)
	}
	for i, n := range perYear {
		limits[i] = Limit{MinPosts: minPosts}
		if n > 0 {
			limits[i].Chance = divide(&spectra, n)
		}
	}
}

// FalseAlarms returns how many alarms without a cause start in a year with these limits. It is less
// than the budget if guards prevent more.
func (m *Model) FalseAlarms(l Limit) float64 {
	sum := 0.0
	for i := range Windows {
		sum += m.spectrum(i, l.MinPosts).perYear(l.Chance[i])
	}
	return sum / overlap
}

// divide divides a budget among the windows and returns their chances.
func divide(spectra *[len(Windows)]spectrum, perYear float64) (chances [len(Windows)]float64) {
	var budget [len(Windows)]float64
	perYear *= overlap
	for i, part := range windowParts {
		budget[i] = perYear * part
	}
	// What a window cannot spend, because of the guards, goes to the others.
	for range len(Windows) {
		spare, open := 0.0, 0.0
		for i := range Windows {
			if most := spectra[i].perYear(MaxChance); most < budget[i] {
				spare += budget[i] - most
				budget[i] = most
			} else {
				open += windowParts[i]
			}
		}
		if open == 0 || spare < perYear/1000 {
			break
		}
		for i := range Windows {
			if spectra[i].perYear(MaxChance) > budget[i] {
				budget[i] += spare * windowParts[i] / open
			}
		}
	}
	for i := range Windows {
		chances[i] = spectra[i].solve(budget[i])
	}
	return chances
}

// overlap is how many more alarms the windows have one by one than together: an alarm in several
// windows at the same time is one alarm. It was fitted to simulated series.
const overlap = 1.22

// windowParts divides the budget among Windows.
var windowParts = [len(Windows)]float64{0.5, 0.3, 0.2}

// MaxChance is the largest chance that can raise an alarm. A limit has it where the guards alone prevent
// more alarms than its budget.
const MaxChance = 0.01

// A spectrum is the distribution of the chances of a window over a week: for each of several times,
// the chance of every count that the guards let pass, largest first.
type spectrum struct {
	window  int
	chances []float64 // of all times
	ends    []int     // of the chances of each time
	clumps  []float64 // of each time: clumpiness
}

// spectrumTimes is the number of times of a week that a spectrum samples. They fall on different
// hours of the day.
var spectrumTimes = [len(Windows)]int{35, 35, 7}

func (m *Model) spectrum(window int, minPosts float64) spectrum {
	times := spectrumTimes[window]
	s := spectrum{window: window, chances: make([]float64, 0, 32*times), ends: make([]int, 0, times), clumps: make([]float64, 0, times)}
	for i := range times {
		from := time.Unix(int64(i)*weekHours*3600/int64(times), 0)
		e := m.Expect(from, from.Add(Windows[window]))
		k := math.Ceil(max(minPosts, MinRatio*e.Mean, 1))
		chance, mass := e.Chance(k), negativeBinomialMass(k, e.Mean, e.Dispersion)
		for chance > minChance && mass > 0 {
			s.chances = append(s.chances, chance)
			chance -= mass
			// P(k+1)/P(k) of the negative binomial distribution with variance dispersion·mean.
			mass *= (k*(e.Dispersion-1) + e.Mean) / ((k + 1) * e.Dispersion)
			k++
		}
		s.ends = append(s.ends, len(s.chances))
		s.clumps = append(s.clumps, clumpiness(window, e.Mean, e.Dispersion))
	}
	return s
}

// minChance is the smallest chance that a limit asks for.
const minChance = 1e-9

// perYear returns the number of alarms per year that start if every count with at most this chance
// is one.
func (s spectrum) perYear(chance float64) float64 {
	sum, start := 0.0, 0
	for i, end := range s.ends {
		chances := s.chances[start:end]
		if k := sort.Search(len(chances), func(k int) bool { return chances[k] <= chance }); k < len(chances) {
			sum += chances[k] * s.clumps[i]
		}
		start = end
	}
	if sum == 0 {
		return 0
	}
	return 365.25 * 24 * sum / float64(len(s.ends)) * math.Pow(chance, -starts[s.window].chance)
}

// solve returns the chance that spends the budget. If the guards prevent that, they decide alone.
func (s spectrum) solve(perYear float64) float64 {
	if s.perYear(MaxChance) <= perYear {
		return MaxChance
	}
	low, high := math.Log(minChance), math.Log(MaxChance)
	for high-low > 0.01 {
		middle := (low + high) / 2
		if s.perYear(math.Exp(middle)) > perYear {
			high = middle
		} else {
			low = middle
		}
	}
	// The number is a step function of the chance. Take the side of the step that is closer.
	below, above := s.perYear(math.Exp(low)), s.perYear(math.Exp(high))
	if above > 0 && below*above > 0 && above/perYear < perYear/below {
		return math.Exp(high)
	}
	return math.Exp(low)
}

// starts says how many alarms start per hour, relative to the chance that a count is above the
// limit. Windows that slide on every five minutes overlap, so counts above the limit come in clumps,
// and a clump is one alarm. The number is
//
//	factor · chance^-chance · (1 + skewness)^-skewness
//
// The rarer the alarm, the shorter is its clump, and the more often it comes from an error of the
// model, which chances do not include. The more skewed the counts, the longer the clump. The
// constants were fitted to simulated series; docs/signals.md says how.
var starts = [len(Windows)]struct{ factor, chance, skewness float64 }{
	{1.70, 0.141, 0.359},
	{0.512, 0.179, 0.484},
	{0.0907, 0.290, 0.702},
}

// clumpiness returns the part of starts that does not depend on the chance.
func clumpiness(window int, mean, dispersion float64) float64 {
	skewness := (2*dispersion - 1) / math.Sqrt(dispersion*mean)
	return starts[window].factor * math.Pow(1+skewness, -starts[window].skewness)
}
