package detect_test

import (
	"time"

	"earshot/internal/insight/detect"
)

// A track collects the alarms of one detector at one threshold. An alarm starts with a count above
// the limit, and ends when there was none for three hours.
type track struct {
	last   int     // bin of the last count above the limit
	starts []int32 // bins at which alarms started
}

const calmBins = int(detect.Calm / detect.Step)

func newTracks(n int) []track {
	tracks := make([]track, n)
	for i := range tracks {
		tracks[i].last = -calmBins
	}
	return tracks
}

func (t *track) exceeded(bin int) {
	if bin-t.last >= calmBins {
		t.starts = append(t.starts, int32(bin))
	}
	t.last = bin
}

// cumulate returns the number of posts before each bin.
func (s *signalSeries) cumulate() []float64 {
	sums := make([]float64, len(s.bins)+1)
	for i, n := range s.bins {
		sums[i+1] = sums[i] + float64(n)
	}
	return sums
}

// history returns the hours of the series.
func (s *signalSeries) history(sums []float64) detect.Series {
	hours := make([]detect.Hour, len(s.missing))
	for h, missing := range s.missing {
		hours[h] = detect.Hour{Count: sums[(h+1)*binsPerHour] - sums[h*binsPerHour], Missing: missing}
	}
	return detect.Series{Start: s.start, Zone: s.zone, Hours: hours}
}

func (s *signalSeries) time(bin int) time.Time { return s.start.Add(time.Duration(bin) * detect.Step) }

// refit is how often models are fitted, in bins: every twelve hours.
const refit = 12 * binsPerHour

// watch runs the detector over a series as the service does, with several budgets, and returns the
// alarms of each, and whether the guards let the stated number of them pass at half of all times.
func (s *signalSeries) watch(sums []float64, budgets []float64) (tracks []track, able []bool, err error) {
	tracks, able = newTracks(len(budgets)), make([]bool, len(budgets))
	open, fits := make([]int, len(budgets)), 0
	limits := make([]detect.Limit, len(budgets))
	history := s.history(sums)
	var model *detect.Model
	for bin := s.first; bin < len(s.bins); bin++ {
		now := s.time(bin)
		if model == nil || bin%refit == 0 {
			if model, err = detect.Fit(history, now); err != nil {
				return nil, nil, err
			}
			model.Limits(limits, budgets, detect.MinPosts)
			if bin%(14*refit) == 0 { // every week is enough
				fits++
				for i := range limits {
					if model.FalseAlarms(limits[i]) > 0.7*budgets[i] {
						open[i]++
					}
				}
			}
		}
		var exceeded [64]bool
		for w, length := range detect.Windows {
			n := sums[bin] - sums[bin-int(length/detect.Step)]
			if n < detect.MinPosts {
				continue
			}
			e := model.Expect(now.Add(-length), now)
			if n < detect.MinRatio*e.Mean {
				continue
			}
			chance := e.Chance(n)
			for i := range limits {
				if chance < limits[i].Chance[w] {
					exceeded[i] = true
				}
			}
		}
		for i := range tracks {
			if exceeded[i] {
				tracks[i].exceeded(bin)
			}
		}
	}
	for i := range able {
		able[i] = 2*open[i] > fits
	}
	return tracks, able, nil
}
