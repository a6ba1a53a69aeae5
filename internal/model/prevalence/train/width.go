package train

import (
	"math"
	"slices"

	"earshot/internal/model/prevalence"
	"earshot/internal/model/sentiment"
)

// Share of intervals that should contain the truth: of samples with the mix of their source, and with
// drawn mixes, which are far more extreme.
const (
	naturalCoverage = 0.95
	drawnCoverage   = 0.90
)

// elsewhere are errors of sentiment shares that were measured on texts of sources that the sentiment
// model does not know.
var elsewhere = []prevalence.Elsewhere{
	{Language: "en", Domain: sentiment.Social, Error: 0.16}, // tweets
	{Language: "hi", Domain: sentiment.Social, Error: 0.16}, // the dev texts of UMSAB
}

// emotionsElsewhere is how much larger the errors of emotion shares are on texts of other sources than on
// those of the table, which has few sources with neutral texts. leastEmotionFactor is the least factor of a
// class: rare emotions are not rare everywhere.
const (
	emotionsElsewhere  = 1.5
	leastEmotionFactor = 0.6
)

// fitWidths sets the widths of intervals: the narrowest that contain the truth as often as they should.
func fitWidths(t *prevalence.Task, all []trial) {
	s := &t.Settings
	s.ClassFactors, s.Spreads = spreads(t, all)
	best, least := *s, math.Inf(1)
	for _, s.Stretch = range []float64{0, 0.25, 0.5, 0.75, 1, 1.25} {
		for _, known := range []bool{true, false} {
			width := &s.Unknown
			if known {
				width = &s.Known
			}
			subset := slices.DeleteFunc(slices.Clone(all), func(t trial) bool { return t.known != known })
			low, high := 0.0, 0.4
			for range 9 {
				*width = (low + high) / 2
				if isCovered(subset, *s) {
					high = *width
				} else {
					low = *width
				}
			}
			*width = high
		}
		if width := meanWidth(all, *s); width < least {
			best, least = *s, width
		}
	}
	*s = best
	s.Unknown = max(s.Unknown, s.Known)
}

// minSpread is the number of sources that a language and domain needs to have errors of its own. Errors
// elsewhere count as much as those of usualSpread sources.
const minSpread, usualSpread = 3, 4

// spreads returns how much larger the errors of each class, and of some languages and domains, are than
// the others.
func spreads(t *prevalence.Task, all []trial) (classes []float64, groups []prevalence.Spread) {
	byClass, bySource := make([]float64, t.Classes), make([]float64, len(t.Profiles))
	total, trials := 0.0, make([]float64, len(t.Profiles))
	for i, shares := range estimate(all, t.Settings) {
		x := &all[i]
		if !x.Natural || !x.unseen || x.set >= len(t.Profiles) {
			continue
		}
		trials[x.set]++
		for k, share := range shares {
			square := (share.Share - x.Truth[k]) * (share.Share - x.Truth[k])
			byClass[k] += square
			bySource[x.set] += square
			total += square
		}
	}
	for _, square := range byClass {
		classes = append(classes, math.Sqrt(square*float64(t.Classes)/total))
	}
	ratios := map[group][]float64{} // squared errors of sources, relative to the mean
	var order []group
	mean := total / sum(trials)
	for i, p := range t.Profiles {
		if g := groupOf(&p); trials[i] > 0 {
			if ratios[g] == nil {
				order = append(order, g)
			}
			ratios[g] = append(ratios[g], bySource[i]/trials[i]/mean)
		}
	}
	for _, g := range order {
		if list := ratios[g]; len(list) >= minSpread {
			factor := math.Sqrt((sum(list) + usualSpread) / float64(len(list)+usualSpread))
			groups = append(groups, prevalence.Spread{Language: g.language, Domain: g.domain, Factor: factor})
		}
	}
	return classes, groups
}

// isCovered reports whether intervals contain the truth as often as they should.
func isCovered(all []trial, s prevalence.Settings) bool {
	var in, of [2]float64
	for i, shares := range estimate(all, s) {
		for k, share := range shares {
			group := 0
			if !all[i].Natural {
				group = 1
			}
			of[group]++
			if share.Low <= all[i].Truth[k] && all[i].Truth[k] <= share.High {
				in[group]++
			}
		}
	}
	return in[0] >= naturalCoverage*of[0] && in[1] >= drawnCoverage*of[1]
}

func meanWidth(all []trial, s prevalence.Settings) (width float64) {
	for _, shares := range estimate(all, s) {
		for _, share := range shares {
			width += share.High - share.Low
		}
	}
	return width
}
