package signal

import (
	"context"
	"math"
	"time"

	"earshot"
	"earshot/internal/insight/detect"
	"earshot/internal/jsonvalue"
	"earshot/internal/period"
)

// An Outlook is the expected activity of a monitor or filter that the service watches.
type Outlook struct {
	LearningUntil time.Time // zero: it has learned enough
	Windows       []WindowOutlook
	Limit         float64 // that a new rule about the posts of 24 hours begins with
}

// A WindowOutlook compares a window until now with the expectation.
type WindowOutlook struct {
	Hours    int                `json:"hours"`
	Posts    float64            `json:"posts"`
	Expected jsonvalue.Decimal1 `json:"expected"`
	Low      jsonvalue.Decimal1 `json:"low"` // 99% interval
	High     jsonvalue.Decimal1 `json:"high"`
}

// An ExpectedHour is the expected number of posts in an hour, with its 99% interval.
type ExpectedHour struct {
	Start               time.Time
	Expected, Low, High jsonvalue.Decimal1
}

// Outlook returns what is expected of m, which may be a filter.
func (s *Service) Outlook(ctx context.Context, m *earshot.Monitor) (Outlook, error) {
	t := s.newTarget(m, s.detection(m))
	now := s.Now()
	model, learning, err := s.currentModel(ctx, &t, now)
	if err != nil {
		return Outlook{}, err
	}
	if learning != nil {
		limit, err := s.observedLimit(ctx, &t, now)
		return Outlook{LearningUntil: learning.Until.UTC(), Limit: limit}, err
	}
	counts, err := s.countWindows(ctx, &t, now)
	if err != nil {
		return Outlook{}, err
	}
	o := Outlook{Limit: expectedLimit(model, now)}
	for i, window := range detect.Windows {
		e := model.Expect(now.Add(-window), now)
		low, high := e.Interval(interval)
		o.Windows = append(o.Windows, WindowOutlook{
			int(window.Hours()), counts[i], jsonvalue.Decimal1(e.Mean), jsonvalue.Decimal1(low), jsonvalue.Decimal1(high),
		})
	}
	return o, nil
}

// A rule about the number of posts begins with a limit of several times the highest normal day.
const normalDays = 2

// expectedLimit returns a limit that no normal day exceeds.
func expectedLimit(model *detect.Model, now time.Time) float64 {
	highest := 0.0
	for hour := range 7 * 24 {
		from := now.Add(time.Duration(hour) * time.Hour)
		highest = max(highest, model.Expect(from, from.Add(24*time.Hour)).Mean)
	}
	return roundLimit(normalDays * highest)
}

// observedLimit is expectedLimit while it is not known which days are normal: it goes by the highest one.
func (s *Service) observedLimit(ctx context.Context, t *target, now time.Time) (float64, error) {
	series, err := s.series(ctx, t, now, detect.LearningHours*time.Hour)
	highest, day := 0.0, 0.0
	for i, h := range series.Hours {
		if day += h.Count; i >= 24 {
			day -= series.Hours[i-24].Count
		}
		highest = max(highest, day)
	}
	return roundLimit(normalDays * highest), err
}

// roundLimit rounds a number of posts up to two digits, and to the minimum of posts of signals.
func roundLimit(posts float64) float64 {
	posts = max(posts, detect.MinPosts)
	unit := math.Pow(10, math.Floor(math.Log10(posts))-1)
	return math.Ceil(posts/unit-1e-9) * unit
}

// currentModel returns the model that evaluations use or, if there is none yet, a new one.
func (s *Service) currentModel(ctx context.Context, t *target, now time.Time) (*detect.Model, *detect.Learning, error) {
	if w := s.watches.find(t.ID); w.model != nil && w.basis == basisOf(t) {
		return w.model, nil, nil
	}
	return s.fitAt(ctx, t, now)
}

// maxExpectedHours bounds the work of a request.
const maxExpectedHours = 400 * 24

// ExpectHours returns the number of posts of m, which may be a filter, that was expected at a time for
// each full hour of [from, to). It returns nothing while it is learning.
func (s *Service) ExpectHours(ctx context.Context, m *earshot.Monitor, at, from, to time.Time) ([]ExpectedHour, error) {
	t := s.newTarget(m, s.detection(m))
	model, learning, err := s.fitAt(ctx, &t, at)
	if err != nil || learning != nil {
		return nil, err
	}
	var list []ExpectedHour
	start := period.Hour(from.In(t.Location()))
	if start.Before(from) {
		start = start.Add(time.Hour)
	}
	for ; !start.Add(time.Hour).After(to) && len(list) < maxExpectedHours; start = start.Add(time.Hour) {
		e := model.Expect(start, start.Add(time.Hour))
		low, high := e.Interval(interval)
		list = append(list, ExpectedHour{start, jsonvalue.Decimal1(e.Mean), jsonvalue.Decimal1(low), jsonvalue.Decimal1(high)})
	}
	return list, nil
}

// A DetectionInfo says how a monitor or filter is watched for unusual activity, and what is expected
// of it now. Rule has no ID if the defaults apply.
type DetectionInfo struct {
	Rule          RuleInfo        `json:"rule"`
	LearningUntil *time.Time      `json:"learningUntil"` // null: it has learned enough
	Expected      []WindowOutlook `json:"expected"`      // empty while it is learning
	Limit         float64         `json:"limit"`         // that a new rule about the posts of 24 hours begins with
	Firing        int             `json:"firing"`        // signals of any kind
}

// DescribeDetection describes how a monitor or filter is watched for unusual activity.
func (s *Service) DescribeDetection(ctx context.Context, c *earshot.Caller, id earshot.MonitorID) (info DetectionInfo, err error) {
	m, err := s.Monitors.Find(c, id)
	if err != nil {
		return info, err
	}
	r, err := s.Detection(c, id)
	if err != nil {
		return info, err
	}
	outlook, err := s.Outlook(ctx, m)
	if err != nil {
		return info, err
	}
	firing, err := s.List(c, Query{Monitor: id, State: earshot.Firing})
	if err != nil {
		return info, err
	}
	unusual, err := s.List(c, Query{Monitor: id, Kind: earshot.UnusualKinds})
	if err != nil {
		return info, err
	}
	var last *earshot.Signal
	if len(unusual) > 0 {
		last = unusual[0]
	}
	return DetectionInfo{
		Rule: s.describeRule(r, last, s.Feedback()(r)), LearningUntil: jsonvalue.Optional(outlook.LearningUntil),
		Expected: outlook.Windows, Limit: outlook.Limit, Firing: len(firing),
	}, nil
}
