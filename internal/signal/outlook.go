package signal

import (
	"context"
	"time"

	"earshot"
	"earshot/internal/period"
	"earshot/internal/signal/detect"
)

// An Outlook is what the service expects of a monitor or filter that it watches for unusual activity.
type Outlook struct {
	LearningUntil time.Time // zero: it has learned enough
	Windows       []WindowOutlook
}

// A WindowOutlook compares a window until now with the expectation.
type WindowOutlook struct {
	Window   time.Duration
	Posts    float64
	Expected float64
	Low      float64 // 99% interval
	High     float64
}

// An ExpectedHour is the expected number of posts in an hour, with its 99% interval.
type ExpectedHour struct {
	Start               time.Time
	Expected, Low, High float64
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
		return Outlook{LearningUntil: learning.Until.UTC()}, nil
	}
	counts, err := s.countWindows(ctx, &t, now)
	if err != nil {
		return Outlook{}, err
	}
	var o Outlook
	for i, window := range detect.Windows {
		e := model.Expect(now.Add(-window), now)
		low, high := e.Interval(interval)
		o.Windows = append(o.Windows, WindowOutlook{window, counts[i], e.Mean, low, high})
	}
	return o, nil
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
		list = append(list, ExpectedHour{start, e.Mean, low, high})
	}
	return list, nil
}
