package detect

import (
	"math"
	"math/rand/v2"
	"testing"
	"time"
)

// Where everything is a little more or less in every hour, busy hours vary far more than quiet ones.
func TestVariationGrowsWithTheMean(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 9))
	busy := func(local time.Time) float64 {
		return 5 * office(local) * math.Exp(0.3*random.NormFloat64()-0.045) // a variance of 9.4%
	}
	m, at := fitted(t, series(monday, time.UTC, 8*weekHours, busy, random))
	for _, hour := range []int{2, 8, 14} { // 10, 50, and 90 posts
		from := at.Add(time.Duration(hour) * time.Hour)
		e := m.Expect(from, from.Add(time.Hour))
		near(t, "dispersion at "+from.Format("15:04"), e.Dispersion, 1+0.094*e.Mean, 0.35)
	}
}

func TestVariationInProportionToTheMean(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 10))
	clusters := func(local time.Time) float64 { return 4 * poisson(random, 5*office(local)/4) }
	s := series(monday, time.UTC, 8*weekHours, clusters, nil)
	m, at := fitted(t, s)
	for _, hour := range []int{2, 8, 14} {
		from := at.Add(time.Duration(hour) * time.Hour)
		near(t, "dispersion at "+from.Format("15:04"), m.Expect(from, from.Add(time.Hour)).Dispersion, 4, 0.35)
	}
}

// With an event every week, the model expects the same counts, and finds the same spikes, as without.
func TestPastEventsSayNothingAboutChance(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 11))
	flat := func(time.Time) float64 { return 50 }
	s := series(monday, time.UTC, 8*weekHours, flat, random)
	calm, at := fitted(t, s)
	for week := range 8 {
		length, factor := []int{1, 3, 12, 48}[week%4], []float64{5, 2, 10, 3}[week%3]
		for i := range length {
			s.Hours[week*weekHours+30+i].Count *= factor
		}
	}
	m, _ := fitted(t, s)
	e := m.Expect(at, at.Add(time.Hour))
	near(t, "expected", e.Mean, 50, 0.05)
	for i, w := range Windows {
		near(t, "dispersion of "+w.String(), m.dispersion[i], calm.dispersion[i], 0.35)
	}
	limit := m.Limit(12, MinPosts)
	if !limit.Exceeded(0, e, 100) {
		t.Errorf("twice the usual posts in an hour are not unusual: %+v", e)
	}
}
