package signal

import (
	"context"
	"errors"
	"math"
	"time"

	"earshot"
	"earshot/internal/insight"
	"earshot/internal/insight/detect"
	"earshot/internal/jsonvalue"
	"earshot/internal/period"
	"earshot/internal/poststore"
)

// previewDays is the number of days that a preview covers.
const previewDays = 30

// A Preview says which signals a rule would have raised in the past.
type Preview struct {
	From    time.Time       `json:"from"`
	To      time.Time       `json:"to"`
	Signals []PreviewSignal `json:"signals"` // in chronological order
	Capped  bool            `json:"capped"`  // there were more

	// AlmostAlways reports whether a signal would have been on almost all the time, so that the rule says
	// nothing.
	AlmostAlways bool `json:"almostAlways"`
}

// almostAlways is the part of the time from which on a rule says nothing.
const almostAlways = 0.8

// A PreviewSignal is a signal that a rule would have raised. Observed and expected are the values when it
// would have been raised.
type PreviewSignal struct {
	Kind     earshot.SignalKind `json:"kind"`
	Label    string             `json:"label"` // what it is about
	From     time.Time          `json:"from"`
	To       time.Time          `json:"to"`
	Raised   time.Time          `json:"raised"`
	Observed jsonvalue.Decimal4 `json:"observed"`
	Expected jsonvalue.Decimal4 `json:"expected"`
	Peak     jsonvalue.Decimal4 `json:"peak"`
	PeakTime time.Time          `json:"peakTime"`
}

const (
	maxPreviewed  = 100 // signals of a preview
	maxGuards     = 100 // candidates whose posts are read
	authorPreview = 6   // hours between evaluations of the number of authors, which cannot be added up
)

// Preview evaluates a rule, which need not be saved, over the last 30 days, once for each hour. Of a
// rule about unusual activity, it evaluates the number of posts.
func (s *Service) Preview(ctx context.Context, c *earshot.Caller, r earshot.Rule) (*Preview, error) {
	if err := s.CheckRule(ctx, c, &r); err != nil {
		return nil, err
	}
	m, ok := s.findMonitor(r.Monitor)
	if !ok {
		return nil, earshot.NoMonitor(r.Monitor)
	}
	now := s.now()
	x := &previewer{Service: s, of: &target{Monitor: m, unusual: &r}, rule: &r, result: &Preview{From: now.AddDate(0, 0, -previewDays), To: now}}
	end := period.Hour(now.In(m.Location()))
	for i := range previewDays*24 + 1 {
		x.hours = append(x.hours, end.Add(time.Duration(i-previewDays*24)*time.Hour))
	}
	var err error
	switch r.Kind {
	case earshot.UnusualRule:
		err = x.unusual(ctx)
	case earshot.ThresholdRule:
		err = x.threshold(ctx)
	default:
		err = x.posts(ctx)
	}
	x.result.AlmostAlways = x.evaluated > 0 && float64(x.held) >= almostAlways*float64(x.evaluated)
	x.result.Capped = len(x.result.Signals) > maxPreviewed
	x.result.Signals = x.result.Signals[:min(len(x.result.Signals), maxPreviewed)]
	return x.result, err
}

// A previewer evaluates a rule at past hours.
type previewer struct {
	*Service
	of     *target
	rule   *earshot.Rule
	hours  []time.Time // at which the rule is evaluated, ascending
	result *Preview
	last   time.Time // when the condition of the last signal last held
	window time.Duration

	evaluated, held int // times at which the condition was evaluated, and at which it held
}

// add adds a finding that holds, to the last signal if that was not over.
func (x *previewer) add(f finding, calm time.Duration) {
	x.held++
	n := len(x.result.Signals)
	over := n == 0 || f.to.Sub(x.last) > calm
	if over && (!inHours(x.rule.Active, f.to.In(x.of.Location()), true) || n > 0 && f.to.Before(x.last.Add(calm+x.rule.CoolDown))) {
		return
	}
	x.last = f.to
	if over {
		x.window = f.window
		x.result.Signals = append(x.result.Signals, PreviewSignal{
			Kind: f.kind, Label: earshot.OneLine(f.label, maxLabel), From: f.from.UTC(), To: f.to.UTC(), Raised: f.to.UTC(),
			Observed: jsonvalue.Decimal4(f.observed), Expected: jsonvalue.Decimal4(f.expected), Peak: jsonvalue.Decimal4(f.observed), PeakTime: f.to.UTC(),
		})
		return
	}
	signal := &x.result.Signals[n-1]
	signal.To = f.to.UTC()
	worse := f.observed > float64(signal.Peak)
	if x.rule.Threshold.Below {
		worse = f.observed < float64(signal.Peak)
	}
	if f.window == x.window && worse {
		signal.Peak, signal.PeakTime = jsonvalue.Decimal4(f.observed), f.to.UTC()
	}
}

// unusual evaluates the number of posts with the model of each day.
func (x *previewer) unusual(ctx context.Context) error {
	if !x.of.watches(earshot.VolumeSignal) {
		return nil
	}
	end := x.hours[len(x.hours)-1]
	series, err := x.series(ctx, x.of, end, detect.History+previewDays*24*time.Hour)
	if err != nil {
		return err
	}
	before := make([]float64, len(series.Hours)+1) // posts before each hour
	for i, h := range series.Hours {
		before[i+1] = before[i] + h.Count
	}
	var model *detect.Model
	var limit detect.Limit
	guards := 0
	for i, at := range x.hours {
		if i%24 == 0 {
			if model, err = detect.Fit(series, at); err != nil {
				var learning *detect.Learning
				if !errors.As(err, &learning) {
					return err
				}
				model = nil
				continue
			}
			limit = model.Limit(x.of.budget()[detect.Volume], x.of.minPosts())
		}
		if model == nil {
			continue
		}
		x.evaluated++
		hour := int(at.Sub(series.Start) / time.Hour)
		for w, window := range detect.Windows {
			posts := before[hour] - before[hour-int(window/time.Hour)]
			e := model.Expect(at.Add(-window), at)
			if !limit.Exceeded(w, e, posts) {
				continue
			}
			f := finding{kind: earshot.VolumeSignal, from: at.Add(-window), to: at, window: window, observed: posts, expected: e.Mean}
			if guards++; guards <= maxGuards {
				once, err := insight.CountOnce(ctx, x.Posts, x.of.posts(f.from, f.to), posts)
				if err != nil {
					return err
				}
				if f.observed = once.Posts; !limit.Exceeded(w, e, f.observed) || once.Several < max(limit.MinPosts, detect.MinRatio*e.Mean) {
					continue
				}
			}
			hours := jsonvalue.Map(series.Hours[hour-int(window/time.Hour):hour], func(h detect.Hour) float64 { return h.Count })
			first, _, _ := model.Segment(f.from, hours)
			f.from = f.from.Add(time.Duration(first) * time.Hour)
			x.add(f, detect.Calm)
			break
		}
	}
	return nil
}

// threshold evaluates a metric.
func (x *previewer) threshold(ctx context.Context) error {
	window := x.rule.Threshold.Window
	values, totals, err := x.metrics(ctx)
	if err != nil {
		return err
	}
	for i, at := range x.hours {
		if math.IsNaN(values[i]) {
			continue
		}
		x.evaluated++
		f := finding{kind: earshot.ThresholdSignal, from: at.Add(-window), to: at, window: window, observed: values[i], total: totals[i], expected: x.rule.Threshold.Value}
		if f.exceeds(x.rule) && !(x.rule.Threshold.Below && x.isUnknown(x.of, f.from, f.to)) {
			calm := detect.Calm
			if x.rule.Threshold.Metric == earshot.AuthorsMetric {
				calm = authorPreview * time.Hour // it is not known at every hour
			}
			x.add(f, calm)
		}
	}
	return nil
}

// metrics returns the values of the rule's metric at each hour, or NaN where it is not known, and the
// numbers of posts.
func (x *previewer) metrics(ctx context.Context) (values, totals []float64, err error) {
	metric := x.rule.Threshold.Metric
	values, totals = make([]float64, len(x.hours)), make([]float64, len(x.hours))
	if metric == earshot.AuthorsMetric {
		for i, at := range x.hours {
			if values[i] = math.NaN(); i%authorPreview == 0 {
				if values[i], totals[i], err = x.metric(ctx, x.of, x.rule, at.Add(-x.rule.Threshold.Window), at); err != nil {
					return nil, nil, err
				}
			}
		}
		return values, totals, nil
	}
	hours := int(x.rule.Threshold.Window / time.Hour)
	var starts []time.Time
	for i := range hours {
		starts = append(starts, x.hours[0].Add(time.Duration(i-hours)*time.Hour))
	}
	starts = append(starts, x.hours...)
	parts, all, err := x.hourly(ctx, starts)
	if err != nil {
		return nil, nil, err
	}
	for i := range x.hours { // hour i of the preview ends with interval i+hours-1
		for h := i; h < i+hours; h++ {
			values[i] += parts[h]
			totals[i] += all[h]
		}
		if metric.IsShare() {
			values[i] /= max(totals[i], 1)
		}
	}
	return values, totals, nil
}

// hourly returns what the metric adds up in each interval, and the posts.
func (x *previewer) hourly(ctx context.Context, starts []time.Time) (parts, posts []float64, err error) {
	count := func(to *[]float64) func(poststore.Selection) error {
		return func(of poststore.Selection) error {
			counts, err := x.Posts.Histogram(ctx, of, starts)
			*to = (*to)[:0]
			for _, n := range counts {
				*to = append(*to, float64(n))
			}
			return err
		}
	}
	if err = x.selectPosts(ctx, x.of.Monitor, x.rule.Filter, count(&posts)); err != nil {
		return nil, nil, err
	}
	sums := metricSums[x.rule.Threshold.Metric]
	switch {
	case x.rule.Threshold.Metric.IsShare():
		err = x.selectMetric(ctx, x.of, x.rule, count(&parts))
	case len(sums) == 0:
		parts = posts
	default:
		err = x.selectPosts(ctx, x.of.Monitor, x.rule.Filter, func(of poststore.Selection) error {
			of.From, of.To = starts[0], starts[len(starts)-1]
			rows, err := poststore.TallyOne(ctx, x.Posts, of, poststore.Tally{By: []poststore.Dim{poststore.ByHour}, Zone: x.of.Location(), Sum: sums})
			parts = make([]float64, len(starts)-1)
			for _, row := range rows {
				at, _ := time.Parse(time.RFC3339, row.Key[0])
				if i := int(at.Sub(starts[0]) / time.Hour); i >= 0 && i < len(parts) {
					for _, sum := range row.Sums {
						parts[i] += float64(sum)
					}
				}
			}
			return err
		})
	}
	return parts, posts, err
}

// posts finds the hours with posts that the rule is about. A signal is over after an hour without any.
func (x *previewer) posts(ctx context.Context) error {
	_, counts, err := x.hourly(ctx, x.hours)
	if err != nil {
		return err
	}
	sum := 0.0 // of the hours of a signal
	x.evaluated = len(counts)
	for i, n := range counts {
		if n == 0 {
			sum = 0
			continue
		}
		sum += n
		x.add(finding{kind: earshot.PostSignal, from: x.hours[i], to: x.hours[i+1], observed: sum}, collectPause)
	}
	return nil
}
