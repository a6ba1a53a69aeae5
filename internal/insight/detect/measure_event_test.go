package detect_test

import (
	"context"
	"fmt"
	"math"
	"strings"
	"testing"

	"earshot/internal/test/testenv"
)

// TestMeasureEvents measures false alarms in quiet monitors and in monitors with an event every week,
// with variances proportional to the mean, and with variances that grow with its square. It also
// measures how many hours with three times as many posts as usual are found between these events.
func TestMeasureEvents(t *testing.T) {
	testenv.SkipUnlessLong(t)
	s := &simulation{years: *years, seed: *seed, logf: t.Logf}
	table, err := measureEvents(t.Context(), s)
	if err != nil {
		t.Fatal(err)
	}
	testenv.LogJSON(t, table)
	var b strings.Builder
	fmt.Fprintf(&b, "\nFalse alarms per monitor-year (95%%), stated %v; probes found at these rates\n", sensitivities)
	for _, r := range table {
		fmt.Fprintf(&b, "%-9s %-12s", r.Events, r.Variance)
		for _, x := range r.Rates {
			fmt.Fprintf(&b, " | %6.2f (%.2f–%.2f)", x.Able, x.Low, x.High)
		}
		fmt.Fprintf(&b, " | %.1f years, %d probes: %s\n", r.Years, r.Probes, percents(r.Found))
	}
	t.Log(b.String())
}

// An EventResult is the false alarms of monitors of one kind, and the probes that were found.
type EventResult struct {
	Events   string       `json:"events"`
	Variance string       `json:"variance"`
	Rates    []SignalRate `json:"rates"` // Low to High are the interval of Able
	Years    float64      `json:"monitorYears"`
	Probes   int          `json:"probes"`
	Found    []float64    `json:"found"` // by sensitivity, before they were over for an hour
}

// Monitors of TestMeasureEvents.
var (
	eventLevels      = []float64{5, 20, 50, 100} // posts per hour
	eventDispersions = []float64{1, 2, 4}
	eventShapes      = []float64{12, 36}
)

func measureEvents(ctx context.Context, s *simulation) (table []EventResult, err error) {
	var proportional, squared []signalSetting
	for i := range max(s.years/2, 1) {
		c := signalSetting{Level: eventLevels[i%4], Dispersion: eventDispersions[i/4%3], Weeks: 52}
		proportional = append(proportional, c)
		c.Dispersion, c.Shape = 1, eventShapes[i/4%2]
		squared = append(squared, c)
	}
	for i, eventful := range []bool{false, true} {
		for j, settings := range [][]signalSetting{proportional, squared} {
			for k := range settings {
				settings[k].Eventful = eventful
			}
			monitors, err := watchAll(ctx, s, uint64(20+2*i+j), settings, false)
			if err != nil {
				return nil, err
			}
			r := newEventResult(monitors)
			r.Events, r.Variance = []string{"quiet", "eventful"}[i], []string{"proportional", "mean squared"}[j]
			s.logf("%s %s done", r.Events, r.Variance)
			table = append(table, r)
		}
	}
	return table, nil
}

// afterEvent is how long after an event an alarm may still be about it: the longest window, and calm.
const afterEvent = 27 * binsPerHour

func newEventResult(monitors []watched) (r EventResult) {
	for i, stated := range sensitivities {
		var all, able []float64
		found := 0.0
		r.Probes, r.Years = 0, 0
		for _, w := range monitors {
			alarms, years := w.unaffected(&w.ours[i])
			r.Years += years
			all = append(all, alarms/years)
			if w.able[i] {
				able = append(able, alarms/years)
			}
			for _, k := range w.series.probes {
				r.Probes++
				if w.ours[i].delay(k) >= 0 {
					found++
				}
			}
		}
		rate := newSignalRate(stated, able, able, r.Years)
		rate.Rate, _ = meanAndDeviation(all)
		r.Rates = append(r.Rates, rate)
		r.Found = append(r.Found, found/math.Max(1, float64(r.Probes)))
	}
	return r
}

// unaffected counts the alarms that start neither during an event nor soon after one, and the years of
// that time.
func (w *watched) unaffected(t *track) (alarms, years float64) {
	affected := make([]bool, len(w.series.missing)*binsPerHour)
	for _, list := range [][]spike{w.series.spikes, w.series.probes} {
		for _, k := range list {
			for b := k.from; b < min(k.to+afterEvent, len(affected)); b++ {
				affected[b] = true
			}
		}
	}
	bins := 0
	for _, is := range affected[w.series.first:] {
		if !is {
			bins++
		}
	}
	for _, at := range t.starts {
		if !affected[at] {
			alarms++
		}
	}
	return alarms, float64(bins) / (365.25 * 24 * binsPerHour)
}
