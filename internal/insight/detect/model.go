package detect

import (
	"math"
	"time"
)

// A Model expects counts: a level, how it is spread over the hours of a week of local time, and how
// much counts vary around it. It never changes and takes less than 2 KB.
type Model struct {
	zone *time.Location
	// before is the expected number of posts from the start of a week to the start of each of its
	// hours, so that a window is a difference.
	before [weekHours + 1]float64
	// dispersion is the dispersion of typical counts, and slope its growth per additional post.
	dispersion, typical, slope [len(Windows)]float64
}

const weekHours = 7 * 24

// Fit learns from the hours of the series from at-[History] to at-[Exclude]. It returns a *[Learning]
// if fewer than [LearningHours] were observed before at. Hours after at are ignored, so that the
// past can be evaluated again as it was.
func Fit(s Series, at time.Time) (*Model, error) {
	zone := s.Zone
	if zone == nil {
		zone = time.UTC
	}
	known := min(len(s.Hours), int(max(0, at.Sub(s.Start))/time.Hour))
	first := max(0, known-int(History/time.Hour))
	observed := 0
	for _, h := range s.Hours[first:known] {
		if !h.Missing {
			observed++
		}
	}
	if observed < LearningHours {
		return nil, &Learning{Hours: observed, Until: at.Add(time.Duration(LearningHours-observed) * time.Hour)}
	}
	end := min(known, int(max(0, at.Add(-Exclude).Sub(s.Start))/time.Hour))
	f := newFit(s.Start.Add(time.Duration(first)*time.Hour), zone, s.Hours[min(first, end):end])
	f.run()
	m := &Model{zone: zone}
	for i, v := range f.predictive() {
		m.dispersion[i], m.typical[i], m.slope[i] = v.average, v.mean, (v.average-1)*v.squared/v.mean
	}
	level := f.level()
	for i, p := range f.profile {
		m.before[i+1] = m.before[i] + level*p
	}
	return m, nil
}

// An Expectation is the distribution of a count: negative binomial with this mean, and a variance of
// Dispersion times the mean.
type Expectation struct {
	Mean       float64
	Dispersion float64 // at least 1
}

// Expect returns how many posts are expected in [from, to). It takes a fraction of a microsecond and
// does not allocate.
func (m *Model) Expect(from, to time.Time) Expectation {
	length := to.Sub(from)
	if length <= 0 {
		return Expectation{Dispersion: 1}
	}
	mean := m.mean(from, to)
	mean = max(mean, minMean*length.Hours())
	return Expectation{Mean: mean, Dispersion: m.dispersionOf(length, mean)}
}

// mean returns the expected posts in a window. A change of the clock splits it.
func (m *Model) mean(from, to time.Time) float64 {
	sum := 0.0
	offset := offsetAt(from, m.zone)
	if offset != offsetAt(to, m.zone) {
		_, change := from.In(m.zone).ZoneBounds()
		if change.After(from) && change.Before(to) {
			sum = m.mean(from, change.Add(-1))
			from, offset = change, offsetAt(change, m.zone)
		}
	}
	a, b := weekPosition(from, offset), weekPosition(to, offset)
	weeks := math.Round((to.Sub(from).Hours() - (b - a)) / weekHours)
	return sum + m.at(b) - m.at(a) + weeks*m.before[weekHours]
}

// minMean is the fewest posts per hour that are expected, about one in a year.
const minMean = 1e-4

// at returns the expected posts from the start of the week to a position within it, in hours.
func (m *Model) at(position float64) float64 {
	i := int(position)
	return m.before[i] + (position-float64(i))*(m.before[i+1]-m.before[i])
}

// dispersionOf interpolates between the dispersions of the windows, which grow with their length
// when counts are correlated in time.
func (m *Model) dispersionOf(length time.Duration, mean float64) float64 {
	perWindow := func(i int) float64 {
		return max(1, m.dispersion[i]+m.slope[i]*(mean*float64(Windows[i])/float64(length)-m.typical[i]))
	}
	i := 0
	for i < len(Windows)-1 && length >= Windows[i+1] {
		i++
	}
	if length <= Windows[0] || i == len(Windows)-1 || length == Windows[i] {
		return perWindow(i)
	}
	part := math.Log(float64(length)/float64(Windows[i])) / math.Log(float64(Windows[i+1])/float64(Windows[i]))
	return perWindow(i) + part*(perWindow(i+1)-perWindow(i))
}

// Chance returns the probability of n or more posts.
func (e Expectation) Chance(observed float64) float64 {
	return negativeBinomialTail(observed, e.Mean, e.Dispersion)
}

// Interval returns the counts between which a part of all counts is, for example 0.99 of them.
func (e Expectation) Interval(level float64) (low, high float64) {
	return negativeBinomialQuantile((1-level)/2, e.Mean, e.Dispersion), negativeBinomialQuantile((1+level)/2, e.Mean, e.Dispersion)
}

func offsetAt(t time.Time, zone *time.Location) int {
	_, offset := t.In(zone).Zone()
	return offset
}

// weekPosition returns the hours since Monday 00:00 on a clock with an offset from UTC in seconds.
func weekPosition(t time.Time, offset int) float64 {
	const week, monday = weekHours * 3600, 4 * 24 * 3600 // Jan 5, 1970 was a Monday
	seconds := (t.Unix() + int64(offset) - monday) % week
	if seconds < 0 {
		seconds += week
	}
	return (float64(seconds) + float64(t.Nanosecond())*1e-9) / 3600
}
