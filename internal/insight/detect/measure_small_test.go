package detect_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"earshot/internal/test/testenv"
)

// TestSignals is a small version of TestMeasure: a few monitor-years of the levels that
// decide, with limits that leave room for chance but not for a broken detector.
func TestSignals(t *testing.T) {
	testenv.SkipUnderRace(t)
	s := &simulation{seed: 7}
	var calm, spiked []signalSetting
	for _, level := range []float64{1, 5, 20, 50} {
		for _, dispersion := range []float64{1, 4} {
			c := signalSetting{Level: level, Dispersion: dispersion, Weeks: 26}
			calm = append(calm, c)
			c.Spikes = true
			spiked = append(spiked, c)
		}
	}
	quiet, err := watchAll(t.Context(), s, 1, calm, true)
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range rates(quiet) {
		t.Logf("stated %v, measured %.1f", r.Stated, r.Rate)
		// 4 monitor-years: the number of alarms has a standard deviation of about its root.
		if margin := 0.3*r.Stated + 3*math.Sqrt(r.Stated/4); math.Abs(r.Rate-r.Stated) > margin {
			t.Errorf("%v false alarms a year are stated, %.1f measured", r.Stated, r.Rate)
		}
	}
	events, err := watchAll(t.Context(), s, 2, spiked, true)
	if err != nil {
		t.Fatal(err)
	}
	large, found := 0, 0
	for _, w := range events {
		for _, k := range w.series.spikes {
			if k.factor >= 5 && k.to-k.from >= 3*binsPerHour && w.setting.Level >= 5 {
				large++
				if w.ours[1].delay(k) >= 0 {
					found++
				}
			}
		}
	}
	if large == 0 || float64(found) < 0.9*float64(large) {
		t.Errorf("%d of %d spikes of five times and more were found", found, large)
	}
	for _, r := range compareRivals(quiet, events) {
		t.Logf("%s: %.0f%% found at %.1f false alarms, ours %.0f%%", r.Name, 100*r.FoundAtRate, r.OurRate, 100*r.OurFound)
		if r.FoundAtRate >= r.OurFound {
			t.Errorf("%s finds %.2f of spikes at our %.1f false alarms, we find %.2f", r.Name, r.FoundAtRate, r.OurRate, r.OurFound)
		}
		if r.RateAtFound >= 0 && r.RateAtFound <= r.OurRate {
			t.Errorf("%s has %.1f false alarms when it finds as many spikes, we have %.1f", r.Name, r.RateAtFound, r.OurRate)
		}
	}
}

// The same seed simulates the same series, another one a different series.
func TestSignalSeriesBySeed(t *testing.T) {
	total := func(seed uint64) (sum int64) {
		s, err := newSignalSeries(signalSetting{Level: 3, Dispersion: 2, Weeks: 2, Spikes: true}, rand.New(rand.NewPCG(seed, 1)))
		if err != nil {
			t.Fatal(err)
		}
		for i, n := range s.bins {
			sum += int64(n) * int64(i)
		}
		return sum
	}
	if a, again, b := total(1), total(1), total(2); a != again || a == b {
		t.Error("a series does not depend on its seed alone")
	}
}

func TestNegativeBinomialDraws(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 1))
	for _, mean := range []float64{0.3, 4, 60} {
		for _, dispersion := range []float64{1, 3} {
			const n = 20_000
			var sum, squares float64
			for range n {
				x := float64(negativeBinomial(random, mean, dispersion))
				sum += x
				squares += (x - mean) * (x - mean)
			}
			if got := sum / n; math.Abs(got-mean) > 5*math.Sqrt(dispersion*mean/n) {
				t.Errorf("mean %v is %v", mean, got)
			}
			if got := squares / n / mean; math.Abs(got-dispersion) > 0.15*dispersion {
				t.Errorf("mean %v: dispersion %v is %v", mean, dispersion, got)
			}
		}
	}
}

// An alarm is one until it was calm for three hours, and is found with the spike that it started in.
func TestTrack(t *testing.T) {
	track := &newTracks(1)[0]
	for _, bin := range []int{100, 101, 130, 166, 202, 400} {
		track.exceeded(bin)
	}
	if len(track.starts) != 4 || track.starts[1] != 166 || track.starts[3] != 400 {
		t.Errorf("alarms start at %v", track.starts)
	}
	f := func(k spike, want float64) {
		t.Helper()
		if got := track.delay(k); got != want {
			t.Errorf("delay of %v is %v, want %v", k, got, want)
		}
	}
	f(spike{from: 388, to: 412}, 1)
	f(spike{from: 160, to: 172}, 0.5)
	f(spike{from: 100, to: 112}, -1) // it started with the alarm, not before it
	f(spike{from: 300, to: 312}, -1)
}
