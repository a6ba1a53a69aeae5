package detect_test

import (
	"context"
	"flag"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"

	"earshot/internal/insight/detect"
	"earshot/internal/parallel"
	"earshot/internal/test/testenv"
)

// TestMeasure measures the false alarms and detected spikes of signals in simulated monitors, beside
// other methods, and the alarms in real posts. docs/signals.md quotes its figures.
func TestMeasure(t *testing.T) {
	testenv.SkipUnlessLong(t)
	s := &simulation{years: *years, seed: *seed, logf: t.Logf}
	var r SignalsResult
	steps := []struct {
		name string
		run  func() error
	}{
		{"false alarms and spikes of volume", func() error { return r.measureVolume(t.Context(), s) }},
		{"spikes of three times at 5 posts per hour", func() error { return r.measureTarget(t.Context(), s) }},
		{"shares", func() error { return r.measureShares(t.Context(), s) }},
		{"newcomers", func() error { return r.measureNewcomers(t.Context(), s) }},
		{"real posts", func() error { return r.measureReal(t.Context(), s) }},
	}
	for _, step := range steps {
		t.Log(step.name)
		if err := step.run(); err != nil {
			t.Fatal(err)
		}
	}
	testenv.LogJSON(t, r)
	t.Log(r.table())
}

var (
	years = flag.Int("years", 88, "`number` of years of monitors without spikes to simulate")
	seed  = flag.Uint64("seed", 1, "random seed: each `number` simulates other monitors")
)

// A simulation is one run of TestMeasure, or a small part of it.
type simulation struct {
	years int // of monitors without spikes; there are about as many with spikes
	seed  uint64
	logf  func(format string, args ...any)
}

// sensitivities are the stated rates of false alarms per monitor and year.
var sensitivities = []float64{1, 12, 52}

// The strata of simulated monitors.
var (
	signalLevels      = []float64{0.2, 0.5, 1, 2, 5, 10, 20, 50, 100, 200, 500} // posts per hour
	signalDispersions = []float64{1, 2, 4, 8}
)

// A SignalsResult says how often signals are wrong, and what they find.
type SignalsResult struct {
	Volume     []SignalRate  `json:"volume"`     // false alarms about the number of posts, over all strata
	Correlated []SignalRate  `json:"correlated"` // the same when levels wander, which the model does not assume
	Shares     []SignalRate  `json:"shares"`
	Newcomers  []SignalRate  `json:"newcomers"`
	Strata     []SignalLevel `json:"strata"`
	Spikes     []SpikeResult `json:"spikes"`
	Target     []SpikeTarget `json:"target"`
	Rivals     []RivalResult `json:"rivals"`
	Real       []RealResult  `json:"real"`
}

// A SignalRate compares the stated rate of false alarms with the simulated one.
type SignalRate struct {
	Stated float64 `json:"stated"`   // per year
	Rate   float64 `json:"measured"` // per year
	Low    float64 `json:"low"`      // 95% interval, by varying the monitors
	High   float64 `json:"high"`
	// Able is the rate of the monitors whose guards let the stated number pass.
	Able  float64 `json:"able"`
	Years float64 `json:"monitorYears"`
}

// A SignalLevel is the false alarms per year of one stratum, by sensitivity.
type SignalLevel struct {
	Level      float64   `json:"postsPerHour"`
	Dispersion float64   `json:"dispersion"`
	Rates      []float64 `json:"rates"`
	Able       []bool    `json:"able"` // whether guards let the stated number pass
}

// A watched series is what all detectors made of a simulated monitor.
type watched struct {
	setting signalSetting
	series  *signalSeries
	years   float64
	able    []bool // whether guards let the stated number of false alarms pass
	ours    []track
	rivals  [][]track // by rival and threshold
	known   []track   // of the detector that knows everything
}

// watchAll simulates monitors on all cores. The seed decides the series, in whatever order they are
// simulated.
func watchAll(ctx context.Context, s *simulation, kind uint64, settings []signalSetting, rivals bool) ([]watched, error) {
	out := make([]watched, len(settings))
	err := parallel.For(ctx, len(settings), 0, func(_ context.Context, i int) error {
		random := rand.New(rand.NewPCG(s.seed<<8|kind, uint64(i)))
		series, err := newSignalSeries(settings[i], random)
		if err != nil {
			return err
		}
		sums := series.cumulate()
		w := watched{setting: settings[i], series: series, years: float64(settings[i].Weeks) * 7 / 365.25}
		if w.ours, w.able, err = series.watch(sums, sensitivities); err != nil {
			return err
		}
		if rivals {
			for _, rival := range signalRivals {
				w.rivals = append(w.rivals, rival.watch(series, sums))
			}
		}
		if settings[i].Known {
			w.known = series.watchKnown(settings[i].Dispersion, 3)
		}
		series.bins, series.rates = nil, nil
		out[i] = w
		return nil
	})
	return out, err
}

// measureVolume measures the false alarms and the detection of spikes, ours and those of rivals, on
// the same series.
func (r *SignalsResult) measureVolume(ctx context.Context, s *simulation) error {
	var calm, spiked, wandering []signalSetting
	strata := len(signalLevels) * len(signalDispersions)
	for i := range max(s.years, strata) {
		c := signalSetting{
			Level:      signalLevels[i%strata/len(signalDispersions)],
			Dispersion: signalDispersions[i%strata%len(signalDispersions)],
			Weeks:      52,
		}
		calm = append(calm, c)
		c.Spikes = true
		if i/strata%2 == 0 {
			spiked = append(spiked, c)
		}
		c.Spikes, c.Correlated = false, true
		if i/strata%4 == 0 {
			wandering = append(wandering, c)
		}
	}
	quiet, err := watchAll(ctx, s, 1, calm, true)
	if err != nil {
		return err
	}
	r.Volume = rates(quiet)
	r.Strata = strataOf(quiet)
	events, err := watchAll(ctx, s, 2, spiked, true)
	if err != nil {
		return err
	}
	r.Spikes = spikeResults(events)
	r.Rivals = compareRivals(quiet, events)
	stress, err := watchAll(ctx, s, 3, wandering, false)
	if err != nil {
		return err
	}
	r.Correlated = rates(stress)
	return nil
}

// rates returns the false alarms over all monitors.
func rates(monitors []watched) []SignalRate {
	var out []SignalRate
	for i, stated := range sensitivities {
		var alarms, able []float64
		years := monitors[0].years
		for _, w := range monitors {
			n := float64(len(w.ours[i].starts)) / w.years
			alarms = append(alarms, n)
			if w.able[i] {
				able = append(able, n)
			}
		}
		out = append(out, newSignalRate(stated, alarms, able, years))
	}
	return out
}

// newSignalRate summarizes the rates of monitors.
func newSignalRate(stated float64, alarms, able []float64, years float64) SignalRate {
	mean, deviation := meanAndDeviation(alarms)
	margin := 1.96 * deviation / math.Sqrt(float64(len(alarms)))
	r := SignalRate{Stated: stated, Rate: mean, Low: max(0, mean-margin), High: mean + margin, Years: years * float64(len(alarms))}
	r.Able, _ = meanAndDeviation(able)
	return r
}

func meanAndDeviation(x []float64) (mean, deviation float64) {
	if len(x) == 0 {
		return 0, 0
	}
	for _, v := range x {
		mean += v
	}
	mean /= float64(len(x))
	for _, v := range x {
		deviation += (v - mean) * (v - mean)
	}
	return mean, math.Sqrt(deviation / float64(max(len(x)-1, 1)))
}

// strataOf returns the false alarms by level and dispersion.
func strataOf(monitors []watched) []SignalLevel {
	var out []SignalLevel
	for _, level := range signalLevels {
		for _, dispersion := range signalDispersions {
			l := SignalLevel{Level: level, Dispersion: dispersion, Rates: make([]float64, len(sensitivities)), Able: make([]bool, len(sensitivities))}
			n, able := 0.0, make([]int, len(sensitivities))
			for _, w := range monitors {
				if w.setting.Level == level && w.setting.Dispersion == dispersion {
					n += w.years
					for i := range l.Rates {
						l.Rates[i] += float64(len(w.ours[i].starts))
						if w.able[i] {
							able[i]++
						} else {
							able[i]--
						}
					}
				}
			}
			for i := range l.Rates {
				l.Rates[i] /= n
				l.Able[i] = able[i] > 0
			}
			out = append(out, l)
		}
	}
	return out
}

// table renders the result for people.
func (r *SignalsResult) table() string {
	var b strings.Builder
	line := func(format string, args ...any) { fmt.Fprintf(&b, format+"\n", args...) }
	line("\nFalse alarms per monitor-year")
	line("%-38s %8s %8s %8s %16s %8s", "", "stated", "all", "able", "95%", "years")
	for _, g := range []struct {
		name  string
		rates []SignalRate
	}{{"volume", r.Volume}, {"volume, wandering level (stress)", r.Correlated}, {"shares", r.Shares}, {"newcomers", r.Newcomers}} {
		for _, x := range g.rates {
			line("%-38s %8.0f %8.2f %8.2f %8.2f–%-7.2f %8.0f", g.name, x.Stated, x.Rate, x.Able, x.Low, x.High, x.Years)
		}
	}
	line("\nVolume by level and dispersion, at %v a year; * guards allow fewer", sensitivities)
	for i, l := range r.Strata {
		if i%len(signalDispersions) == 0 {
			fmt.Fprintf(&b, "%6.1f/h", l.Level)
		}
		fmt.Fprintf(&b, "  | %.0f:", l.Dispersion)
		for k, x := range l.Rates {
			mark := " "
			if !l.Able[k] {
				mark = "*"
			}
			fmt.Fprintf(&b, "%6.1f%s", x, mark)
		}
		if i%len(signalDispersions) == len(signalDispersions)-1 {
			b.WriteString("\n")
		}
	}
	line("\nSpikes found at 12 a year: share, share within an hour, median delay in hours")
	for _, x := range r.Spikes {
		line("%-14s %5.1f× %3d h  n=%-4d %4.0f%% %4.0f%% %6.1f", x.Levels, x.Factor, x.Hours, x.Count, 100*x.Found[1], 100*x.Hour[1], x.Delay[1])
	}
	line("\nThree times at 5 posts per hour, found within 1, 2, 3 hours; a detector that knows everything")
	for _, x := range r.Target {
		line("dispersion %.0f, %3.0f a year (%5.1f measured): %s | known: %s", x.Dispersion, x.Stated, x.Rate, percents(x.Found), percents(x.Known))
	}
	line("\nRivals on the same series")
	for _, x := range r.Rivals {
		line("%-26s as sold: %6.1f false alarms, %3.0f%% found | at our %5.1f: %3.0f%% found, ours %3.0f%% | for our %3.0f%%: %s false alarms",
			x.Name, x.DefaultRate, 100*x.DefaultFound, x.OurRate, 100*x.FoundAtRate, 100*x.OurFound, 100*x.OurFound, orNone(x.RateAtFound))
	}
	line("\nReal posts")
	for _, x := range r.Real {
		line("%-12s %-10s %5.2f/h %4.1f years: alarms per year %s", x.Name, x.Times, x.Level, x.Years, fmt.Sprint(roundAll(x.Rates)))
	}
	return b.String()
}

// orNone formats a rate that may not exist.
func orNone(rate float64) string {
	if rate < 0 {
		return "no threshold, any number of"
	}
	return fmt.Sprintf("%.1f", rate)
}

func percents(x []float64) string {
	var parts []string
	for _, v := range x {
		parts = append(parts, fmt.Sprintf("%3.0f%%", 100*v))
	}
	return strings.Join(parts, " ")
}

func roundAll(x []float64) []float64 {
	x = slices.Clone(x)
	for i := range x {
		x[i] = math.Round(10*x[i]) / 10
	}
	return x
}

// An accumulator is safe for the goroutines of a simulation.
type accumulator struct {
	mu    sync.Mutex
	rates [][]float64 // by sensitivity: the rates of monitors
	able  [][]float64 // of those that can have as many as stated
}

func newAccumulator() *accumulator {
	return &accumulator{rates: make([][]float64, len(sensitivities)), able: make([][]float64, len(sensitivities))}
}

func (a *accumulator) add(sensitivity int, rate float64, able bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.rates[sensitivity] = append(a.rates[sensitivity], rate)
	if able {
		a.able[sensitivity] = append(a.able[sensitivity], rate)
	}
}

func (a *accumulator) result(years float64) []SignalRate {
	var out []SignalRate
	for i, stated := range sensitivities {
		slices.Sort(a.rates[i]) // sums do not depend on the order of goroutines
		slices.Sort(a.able[i])
		out = append(out, newSignalRate(stated, a.rates[i], a.able[i], years))
	}
	return out
}

// minPosts is the guard that rivals get, too.
const minPosts = detect.MinPosts
