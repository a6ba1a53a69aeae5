package detect

// estimateProfile estimates how posts are spread over the week, given level and weights.
//
// It does so in three layers, from coarse to fine: hours of the day and kinds of day (workday,
// Saturday, Sunday) on their own; the hours of each kind of day; the hours of each day of the week.
// Each layer moves away from the coarser one only as far as its deviations exceed what chance
// explains. So a quiet monitor gets a smooth profile, and a busy one the peak every Thursday at 8 pm.
func (f *fit) estimateProfile() {
	var c cells
	for i := range f.blocks {
		level := f.levels[i]
		for _, h := range f.block(i) {
			if h.weight > 0 {
				c.count[h.slot] += h.weight * h.count
				c.exposure[h.slot] += h.weight * level
				c.observed[h.slot] += level
			}
		}
	}
	coarse := c.separable()
	middle, _ := c.refine(&coarse, f.variation[0].average, func(slot int) int { return kindOfDay(slot)*24 + slot%24 })
	f.profile, f.shrunk = c.refine(&middle, f.variation[0].average, func(slot int) int { return slot })
	normalize(&f.profile)
}

// cells are the sums of the hours of the week.
type cells struct {
	count, exposure [weekHours]float64 // weighted: their ratio is the profile
	// observed is the exposure without weights, which says how reliable the ratio is. A peak that
	// comes every week is an outlier every week at first, and yet can be relied on.
	observed [weekHours]float64
}

// kindOfDay returns 0 for workdays, 1 for Saturday, 2 for Sunday.
func kindOfDay(slot int) int { return max(0, slot/24-4) }

// separable returns the profile whose hours of the day have the same proportions on every kind of
// day. Neighboring hours are averaged a little.
func (c *cells) separable() [weekHours]float64 {
	var hour, hourExposure, smooth [24]float64
	for i := range c.count {
		hour[i%24] += c.count[i]
		hourExposure[i%24] += c.exposure[i]
	}
	for h := range hour {
		before, after := (h+23)%24, (h+1)%24
		n := hour[before]/2 + hour[h] + hour[after]/2
		e := hourExposure[before]/2 + hourExposure[h] + hourExposure[after]/2
		smooth[h] = (n + 0.5) / (e + 0.5)
	}
	var kind, kindExpected [3]float64
	for i := range c.count {
		kind[kindOfDay(i)] += c.count[i]
		kindExpected[kindOfDay(i)] += c.exposure[i] * smooth[i%24]
	}
	var profile [weekHours]float64
	for i := range profile {
		k := kindOfDay(i)
		profile[i] = smooth[i%24] * (kind[k] + 1) / (kindExpected[k] + 1)
	}
	return profile
}

// refine moves a profile toward the ratio of count to expectation in each of the cells that slots
// are grouped into. How far is estimated from all cells: if their ratios vary by more than chance
// explains, the excess is real. It also returns the mean of how far, from 0 to 1.
func (c *cells) refine(profile *[weekHours]float64, dispersion float64, cellOf func(slot int) int) (refined [weekHours]float64, shrunk float64) {
	var count, exposure, expected [weekHours]float64
	for i, p := range profile {
		k := cellOf(i)
		count[k] += c.count[i]
		exposure[k] += c.exposure[i] * p
		expected[k] += c.observed[i] * p
	}
	// With variance v of the true ratios, E(ratio-1)² = dispersion/expected + v.
	var ratio [weekHours]float64
	var excess, weights float64
	for i, e := range expected {
		if e > 0 {
			ratio[i] = count[i] / exposure[i]
			// Busy hours do not decide alone.
			w := e / (e + dispersion)
			excess += w * ((ratio[i]-1)*(ratio[i]-1)*e - dispersion)
			weights += w * e
		}
	}
	variance := 0.0
	if weights > 0 {
		variance = max(0, excess/weights)
	}
	sum := 0.0
	for i, p := range profile {
		k := cellOf(i)
		refined[i] = p
		if e := expected[k]; e > 0 {
			trust := variance * e / (variance*e + dispersion)
			// A single hour that is far off is believed on its own.
			if z2 := (ratio[k] - 1) * (ratio[k] - 1) * e / dispersion; z2 > standout*standout {
				trust = max(trust, 1-1/z2)
			}
			refined[i] *= 1 + trust*(ratio[k]-1)
			shrunk += trust * e
			sum += e
		}
	}
	if sum > 0 {
		shrunk /= sum
	}
	return refined, shrunk
}

// standout is the deviation of an hour of the week, in standard deviations, that does not need other
// hours to be as far off.
const standout = 4

// normalize makes the mean of a profile 1.
func normalize(profile *[weekHours]float64) {
	sum := 0.0
	for _, p := range profile {
		sum += p
	}
	for i := range profile {
		if sum > 0 {
			profile[i] *= weekHours / sum
		} else {
			profile[i] = 1
		}
	}
}
