package detect

import (
	"errors"
	"math"
	"math/rand/v2"
	"testing"
	"time"
)

var monday = time.Date(2026, 6, 1, 0, 0, 0, 0, time.UTC)

// series returns hours of a rate that depends on the local time, as exact expectations or random.
func series(start time.Time, zone *time.Location, hours int, rate func(local time.Time) float64, random *rand.Rand) Series {
	s := Series{Start: start, Zone: zone}
	for i := range hours {
		n := rate(start.Add(time.Duration(i) * time.Hour).In(zone))
		if random != nil {
			n = poisson(random, n)
		}
		s.Hours = append(s.Hours, Hour{Count: n})
	}
	return s
}

func poisson(random *rand.Rand, mean float64) float64 {
	if mean > 500 {
		return math.Round(mean + math.Sqrt(mean)*random.NormFloat64())
	}
	n, p := 0.0, random.Float64()
	for limit := math.Exp(-mean); p > limit; n++ {
		p *= random.Float64()
	}
	return n
}

func fitted(t *testing.T, s Series) (*Model, time.Time) {
	t.Helper()
	at := s.Start.Add(time.Duration(len(s.Hours)) * time.Hour)
	m, err := Fit(s, at)
	if err != nil {
		t.Fatal(err)
	}
	return m, at
}

func near(t *testing.T, what string, got, want, tolerance float64) {
	t.Helper()
	if !(math.Abs(got-want) <= tolerance*want) {
		t.Errorf("%s is %g, want %g within %.0f%%", what, got, want, 100*tolerance)
	}
}

// office is a brand people write about in the daytime, mostly on workdays.
func office(local time.Time) float64 {
	rate := 10 * (1 + 0.8*math.Sin(2*math.Pi*float64(local.Hour()-8)/24))
	if d := local.Weekday(); d == time.Saturday || d == time.Sunday {
		rate /= 2
	}
	return rate
}

func TestProfile(t *testing.T) {
	m, at := fitted(t, series(monday, time.UTC, 8*weekHours, office, rand.New(rand.NewPCG(1, 1))))
	for h := range weekHours {
		from := at.Add(time.Duration(h) * time.Hour)
		near(t, "expected at "+from.Format("Mon 15:04"), m.Expect(from, from.Add(time.Hour)).Mean, office(from), 0.35)
	}
	total := 0.0
	for h := range weekHours {
		total += office(monday.Add(time.Duration(h) * time.Hour))
	}
	near(t, "expected per week", m.Expect(at, at.AddDate(0, 0, 7)).Mean, total, 0.05)
	near(t, "expected in three weeks", m.Expect(at, at.AddDate(0, 0, 21)).Mean, 3*total, 0.05)
	// Windows across hours and the end of the week add up.
	a, b, c := at.Add(-90*time.Minute), at.Add(25*time.Minute), at.Add(26*time.Hour+time.Minute)
	near(t, "sum of two windows", m.Expect(a, b).Mean+m.Expect(b, c).Mean, m.Expect(a, c).Mean, 1e-9)
	for i, d := range m.dispersion {
		near(t, "dispersion of "+Windows[i].String(), d, 1, 0.3)
	}
}

// A peak that comes every week is expected, on that day only.
func TestWeeklyPeak(t *testing.T) {
	show := func(local time.Time) float64 {
		if local.Weekday() == time.Thursday && local.Hour() == 20 {
			return 100
		}
		return 10
	}
	for _, scale := range []float64{1, 50} {
		rate := func(local time.Time) float64 { return scale * show(local) }
		m, at := fitted(t, series(monday, time.UTC, 8*weekHours, rate, rand.New(rand.NewPCG(1, 2))))
		thursday := at.AddDate(0, 0, 3).Add(20 * time.Hour)
		near(t, "expected on Thursday at 8 pm", m.Expect(thursday, thursday.Add(time.Hour)).Mean, scale*100, 0.15)
		near(t, "expected on Wednesday at 8 pm", m.Expect(thursday.AddDate(0, 0, -1), thursday.AddDate(0, 0, -1).Add(time.Hour)).Mean, scale*10, 0.35)
	}
}

// The profile follows the clock of the zone over a change of the clock.
func TestClockChange(t *testing.T) {
	berlin, err := time.LoadLocation("Europe/Berlin")
	if err != nil {
		t.Fatal(err)
	}
	nine := func(local time.Time) float64 {
		if local.Hour() == 9 {
			return 200
		}
		return 5
	}
	start := time.Date(2026, 8, 31, 0, 0, 0, 0, berlin) // the clock goes back on Oct 25
	m, _ := fitted(t, series(start, berlin, 8*weekHours, nine, nil))
	for _, day := range []int{24, 25, 26} {
		from := time.Date(2026, 10, day, 9, 0, 0, 0, berlin)
		near(t, "expected at 9 on "+from.Format("Jan 2"), m.Expect(from, from.Add(time.Hour)).Mean, 200, 0.1)
	}
	midnight := time.Date(2026, 10, 25, 0, 0, 0, 0, berlin)
	near(t, "expected on the day of 25 hours", m.Expect(midnight, midnight.AddDate(0, 0, 1)).Mean, 200+24*5, 0.1)
	for _, minutes := range []time.Duration{0, 30, 60, 90} {
		to := time.Date(2026, 10, 25, 0, 0, 0, 0, time.UTC).Add(minutes * time.Minute)
		near(t, "expected around the repeated hour", m.Expect(to.Add(-time.Hour), to).Mean, 5, 0.1)
	}
	m, _ = fitted(t, series(time.Date(2027, 2, 1, 0, 0, 0, 0, berlin), berlin, 8*weekHours, nine, nil))
	midnight = time.Date(2027, 3, 28, 0, 0, 0, 0, berlin)
	near(t, "expected on the day of 23 hours", m.Expect(midnight, midnight.AddDate(0, 0, 1)).Mean, 200+22*5, 0.1)
	nineOClock := time.Date(2027, 3, 29, 9, 0, 0, 0, berlin)
	near(t, "expected at 9 after the change", m.Expect(nineOClock, nineOClock.Add(time.Hour)).Mean, 200, 0.1)
}

// Hours of a zone that is half an hour off start at half past.
func TestHalfHourZone(t *testing.T) {
	kolkata := time.FixedZone("IST", 5*3600+1800)
	s := series(time.Date(2026, 6, 1, 0, 0, 0, 0, kolkata), kolkata, 6*weekHours, office, nil)
	m, at := fitted(t, s)
	from := at.Add(14 * time.Hour)
	near(t, "expected at 2 pm", m.Expect(from, from.Add(time.Hour)).Mean, office(from.In(kolkata)), 0.1)
}

func TestLearning(t *testing.T) {
	flat := func(time.Time) float64 { return 5 }
	s := series(monday, time.UTC, 20*24, flat, nil)
	f := func(hours, wantHours int, wantUntil time.Duration) {
		t.Helper()
		at := monday.Add(time.Duration(hours) * time.Hour)
		_, err := Fit(s, at)
		var learning *Learning
		if wantHours < 0 {
			if err != nil {
				t.Errorf("after %d hours: %v", hours, err)
			}
			return
		}
		if !errors.As(err, &learning) {
			t.Fatalf("after %d hours: %v, want learning", hours, err)
		}
		if learning.Hours != wantHours || !learning.Until.Equal(at.Add(wantUntil)) {
			t.Errorf("after %d hours: %d observed, until %v", hours, learning.Hours, learning.Until)
		}
	}
	f(0, 0, 336*time.Hour)
	f(-100, 0, 336*time.Hour)
	f(335, 335, time.Hour)
	f(336, -1, 0)
	for i := 100; i < 110; i++ {
		s.Hours[i].Missing = true // they do not count
	}
	f(336, 326, 10*time.Hour)
	f(346, -1, 0)
	if _, err := Fit(Series{}, monday); err == nil {
		t.Error("an empty series has a model")
	}
}

func TestFitIgnoresTheFutureAndTheLastDay(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 3))
	s := series(monday, time.UTC, 6*weekHours, office, random)
	at := monday.Add(5 * weekHours * time.Hour)
	before, err := Fit(s, at)
	if err != nil {
		t.Fatal(err)
	}
	for i := 5*weekHours - 24; i < len(s.Hours); i++ {
		s.Hours[i].Count = 1000
	}
	after, err := Fit(s, at)
	if err != nil {
		t.Fatal(err)
	}
	if *before != *after {
		t.Error("a model depends on the last day or on what came after it")
	}
}

func TestConstantAndZeroSeries(t *testing.T) {
	m, at := fitted(t, series(monday, time.UTC, 8*weekHours, func(time.Time) float64 { return 5 }, nil))
	e := m.Expect(at.Add(-time.Hour), at)
	near(t, "expected of a constant", e.Mean, 5, 0.01)
	if e.Dispersion < 1 {
		t.Errorf("dispersion %v is below 1", e.Dispersion)
	}
	m, at = fitted(t, series(monday, time.UTC, 8*weekHours, func(time.Time) float64 { return 0 }, nil))
	e = m.Expect(at.Add(-time.Hour), at)
	if !(e.Mean > 0 && e.Mean < 0.01) {
		t.Errorf("%v posts are expected where there were none", e.Mean)
	}
	l := m.Limit(12, MinPosts)
	if l.Exceeded(0, e, MinPosts-1) || !l.Exceeded(0, e, MinPosts) {
		t.Errorf("where there were no posts, %d are an alarm and fewer are not", MinPosts)
	}
	if low, high := e.Interval(0.99); low != 0 || high > 1 {
		t.Errorf("interval from %v to %v where there were no posts", low, high)
	}
}

// Missing hours are neither zeros nor posts.
func TestMissingHours(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 4))
	s := series(monday, time.UTC, 8*weekHours, office, random)
	for i := range s.Hours {
		if i/100%3 == 1 {
			s.Hours[i] = Hour{Count: 500 * random.Float64(), Missing: true}
		}
	}
	m, at := fitted(t, s)
	from := at.Add(12 * time.Hour)
	near(t, "expected at noon", m.Expect(from, from.Add(time.Hour)).Mean, office(from), 0.25)
	// A slot that was always missing takes its expectation from other days.
	for i := range s.Hours {
		if i%weekHours/24 == 2 {
			s.Hours[i].Missing = true
		}
	}
	m, _ = fitted(t, s)
	wednesday := at.AddDate(0, 0, 2).Add(12 * time.Hour)
	near(t, "expected on Wednesday at noon", m.Expect(wednesday, wednesday.Add(time.Hour)).Mean, office(wednesday), 0.25)
}

// The past spike is not expected again, and does not make the model blind.
func TestPastSpike(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 5))
	s := series(monday, time.UTC, 8*weekHours, office, random)
	calm, at := fitted(t, s)
	for i := 8*weekHours - 7*24; i < 8*weekHours-5*24; i++ {
		s.Hours[i].Count *= 8
	}
	m, _ := fitted(t, s)
	day := func(m *Model) float64 { return m.Expect(at, at.AddDate(0, 0, 1)).Mean }
	near(t, "expected after a spike", day(m), day(calm), 0.1)
	for i := range Windows {
		near(t, "dispersion after a spike", m.dispersion[i], calm.dispersion[i], 0.6)
	}
}

// A brand that has doubled for good is expected at the new level within two weeks.
func TestNewLevel(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 6))
	s := series(monday, time.UTC, 8*weekHours, office, random)
	for i := 8*weekHours - 15*24; i < len(s.Hours); i++ {
		s.Hours[i].Count *= 3
	}
	m, at := fitted(t, s)
	near(t, "expected at the new level", m.Expect(at, at.AddDate(0, 0, 7)).Mean, 3*8.57*weekHours, 0.15)
}

func TestInterval(t *testing.T) {
	e := Expectation{Mean: 5, Dispersion: 1}
	// P(X <= 0) = .0067 >= .005, P(X <= 11) = .9945 < .995 <= P(X <= 12)
	if low, high := e.Interval(0.99); low != 0 || high != 12 {
		t.Errorf("interval from %v to %v, want 0 to 12", low, high)
	}
}

func TestLimit(t *testing.T) {
	m, at := fitted(t, series(monday, time.UTC, 8*weekHours, office, rand.New(rand.NewPCG(1, 7))))
	rare, often := m.Limit(1, MinPosts), m.Limit(52, MinPosts)
	for i := range Windows {
		if !(0 < rare.Chance[i] && rare.Chance[i] <= often.Chance[i] && often.Chance[i] <= MaxChance) {
			t.Errorf("%v: chance %g at 1 a year, %g at 52", Windows[i], rare.Chance[i], often.Chance[i])
		}
	}
	e := m.Expect(at.Add(-time.Hour), at)
	if often.Exceeded(0, e, MinRatio*e.Mean-1) || !often.Exceeded(0, e, 10*e.Mean+MinPosts) {
		t.Error("a limit ignores its guards, or ten times as many posts")
	}
	if none := m.Limit(0, MinPosts); none.Exceeded(0, e, 1e6) {
		t.Error("a budget of 0 raises alarms")
	}
}

func TestDivide(t *testing.T) {
	if got, want := Divide(12, Volume, Shares, Newcomer), [Kinds]float64{6, 3, 3}; got != want {
		t.Errorf("all kinds: %v, want %v", got, want)
	}
	if got, want := Divide(12, Newcomer, Volume, Volume), [Kinds]float64{8, 0, 4}; got != want {
		t.Errorf("volume and newcomers: %v, want %v", got, want)
	}
	if got := Divide(12); got != [Kinds]float64{} {
		t.Errorf("nothing: %v", got)
	}
}

func TestEvaluationDoesNotAllocate(t *testing.T) {
	m, at := fitted(t, series(monday, time.UTC, 8*weekHours, office, nil))
	l := m.Limit(12, MinPosts)
	if n := testing.AllocsPerRun(100, func() {
		for i, w := range Windows {
			l.Exceeded(i, m.Expect(at.Add(-w), at), 400)
		}
	}); n != 0 {
		t.Errorf("an evaluation allocates %v times", n)
	}
}

func BenchmarkFit(b *testing.B) {
	s := series(monday, time.UTC, 8*weekHours, office, rand.New(rand.NewPCG(1, 8)))
	at := monday.Add(8 * weekHours * time.Hour)
	b.ReportAllocs()
	for b.Loop() {
		if _, err := Fit(s, at); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkLimit(b *testing.B) {
	s := series(monday, time.UTC, 8*weekHours, office, rand.New(rand.NewPCG(1, 8)))
	m, err := Fit(s, monday.Add(8*weekHours*time.Hour))
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		m.Limit(12, MinPosts)
	}
}

func BenchmarkEvaluate(b *testing.B) {
	s := series(monday, time.UTC, 8*weekHours, office, rand.New(rand.NewPCG(1, 8)))
	at := monday.Add(8 * weekHours * time.Hour)
	m, err := Fit(s, at)
	if err != nil {
		b.Fatal(err)
	}
	l := m.Limit(12, MinPosts)
	b.ReportAllocs()
	for b.Loop() {
		for i, w := range Windows {
			e := m.Expect(at.Add(-w), at)
			l.Exceeded(i, e, 1.6*e.Mean) // past the guards
		}
	}
}
