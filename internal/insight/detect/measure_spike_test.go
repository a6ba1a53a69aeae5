package detect_test

import (
	"context"
	"slices"
)

// A SpikeResult says how many injected spikes of one kind were found.
type SpikeResult struct {
	Levels string  `json:"postsPerHour"` // a range
	Factor float64 `json:"factor"`
	Hours  int     `json:"hours"`
	Count  int     `json:"count"`
	// By sensitivity: the share that was found before it was over for an hour, the share that was
	// found within an hour of its start, and the median delay of those found, in hours.
	Found []float64 `json:"found"`
	Hour  []float64 `json:"withinOneHour"`
	Delay []float64 `json:"medianDelayHours"`
}

// delay returns the hours from the start of a spike to the first alarm, or -1 if there is none until
// an hour after its end.
func (t *track) delay(k spike) float64 {
	i, _ := slices.BinarySearch(t.starts, int32(k.from+1))
	if i < len(t.starts) && int(t.starts[i]) <= k.to+binsPerHour {
		return float64(int(t.starts[i])-k.from) / binsPerHour
	}
	return -1
}

// levelRanges group the strata in tables of spikes.
var levelRanges = []struct {
	name     string
	from, to float64
}{{"0.2–1", 0, 1}, {"2–10", 2, 10}, {"20–500", 20, 500}}

func spikeResults(monitors []watched) []SpikeResult {
	var out []SpikeResult
	for _, levels := range levelRanges {
		for _, factor := range spikeFactors {
			for _, hours := range spikeHours {
				r := SpikeResult{Levels: levels.name, Factor: factor, Hours: hours}
				delays := make([][]float64, len(sensitivities))
				for _, w := range monitors {
					if w.setting.Level < levels.from || w.setting.Level > levels.to {
						continue
					}
					for _, k := range w.series.spikes {
						if k.factor != factor || k.to-k.from != hours*binsPerHour {
							continue
						}
						r.Count++
						for i := range sensitivities {
							delays[i] = append(delays[i], w.ours[i].delay(k))
						}
					}
				}
				for i := range sensitivities {
					found, within, median := summarizeDelays(delays[i])
					r.Found, r.Hour, r.Delay = append(r.Found, found), append(r.Hour, within[0]), append(r.Delay, median)
				}
				out = append(out, r)
			}
		}
	}
	return out
}

// summarizeDelays returns the share that was found, the shares found within 1, 2 and 3 hours, and
// the median delay.
func summarizeDelays(delays []float64) (found float64, within [3]float64, median float64) {
	var positive []float64
	for _, d := range delays {
		if d >= 0 {
			positive = append(positive, d)
			for h := range within {
				if d <= float64(h+1) {
					within[h]++
				}
			}
		}
	}
	n := float64(max(len(delays), 1))
	for h := range within {
		within[h] /= n
	}
	if len(positive) > 0 {
		slices.Sort(positive)
		median = positive[len(positive)/2]
	}
	return float64(len(positive)) / n, within, median
}

// A SpikeTarget is the detection of spikes of three times at 5 posts per hour, beside that of a
// detector that knows the true mean of every minute and the size of the spike, and has as many
// false alarms.
type SpikeTarget struct {
	Dispersion float64   `json:"dispersion"`
	Stated     float64   `json:"stated"`   // false alarms per year
	Rate       float64   `json:"measured"` // ours
	Count      int       `json:"count"`
	Found      []float64 `json:"found"` // within 1, 2 and 3 hours
	Known      []float64 `json:"known"`
}

func (r *SignalsResult) measureTarget(ctx context.Context, s *simulation) error {
	for d, dispersion := range []float64{1, 2} {
		var calm, spiked []signalSetting
		for range max(4, s.years/20) {
			c := signalSetting{Level: 5, Dispersion: dispersion, Weeks: 52, Known: true}
			calm = append(calm, c)
			c.Spikes, c.Only = true, &spike{to: 6 * binsPerHour, factor: 3}
			spiked = append(spiked, c)
		}
		quiet, err := watchAll(ctx, s, uint64(10+2*d), calm, false)
		if err != nil {
			return err
		}
		events, err := watchAll(ctx, s, uint64(11+2*d), spiked, false)
		if err != nil {
			return err
		}
		measured := rates(quiet)
		for i, stated := range sensitivities {
			var ours, known []float64
			limit := knownAt(quiet, measured[i].Rate)
			for _, w := range events {
				for _, k := range w.series.spikes {
					ours = append(ours, w.ours[i].delay(k))
					known = append(known, w.known[limit].delay(k))
				}
			}
			_, found, _ := summarizeDelays(ours)
			_, bound, _ := summarizeDelays(known)
			r.Target = append(r.Target, SpikeTarget{
				Dispersion: dispersion, Stated: stated, Rate: measured[i].Rate, Count: len(ours), Found: found[:], Known: bound[:],
			})
		}
	}
	return nil
}

// knownAt returns the index of the limit at which the detector that knows everything has at most so
// many false alarms.
func knownAt(monitors []watched, perYear float64) int {
	for i := range knownLimits {
		n, years := 0.0, 0.0
		for _, w := range monitors {
			n += float64(len(w.known[i].starts))
			years += w.years
		}
		if n/years <= perYear {
			return i
		}
	}
	return len(knownLimits) - 1
}
