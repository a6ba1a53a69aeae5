package signal

import (
	"context"
	"time"

	"earshot"
	"earshot/internal/insight"
	"earshot/internal/jsonvalue"
)

// Hours before and after a signal that its chart shows.
const (
	hoursBefore = 48 * time.Hour
	hoursAfter  = 12 * time.Hour
	maxShown    = 14 * 24 * time.Hour
)

// ChartHours are the posts of a signal by hour, in the time zone of its monitor.
type ChartHours struct {
	Timezone string      `json:"timezone"`
	Hours    []ChartHour `json:"hours"`
}

// A ChartHour is an hour around a signal. Expected, low and high are null if they are unknown.
type ChartHour struct {
	Start    time.Time           `json:"start"`
	Posts    int64               `json:"posts"`
	Expected *jsonvalue.Decimal1 `json:"expected"`
	Low      *jsonvalue.Decimal1 `json:"low"`
	High     *jsonvalue.Decimal1 `json:"high"`
}

// Hours returns the posts that a signal is about, in the hours before, during and after it.
func (s *Service) Hours(ctx context.Context, c *earshot.Caller, id earshot.SignalID) (response ChartHours, err error) {
	sig, err := s.Find(c, id)
	if err != nil {
		return response, err
	}
	m, err := s.Monitors.Find(c, sig.Monitor)
	if err != nil {
		return response, err
	}
	zone := m.Location()
	from, to := chartPeriod(sig, s.Now())
	days := earshot.Days{Start: earshot.DateOf(from.In(zone)), End: earshot.DateOf(to.In(zone)).AddDays(1)}
	refinement := s.Filters.Refinement(c, m, sig.Filter)
	found, err := s.Insight.Overview(ctx, m, insight.OverviewRequest{
		Days: days, Parts: []insight.Part{insight.HoursPart}, Filter: refinement.Key(), Refine: refinement.Selection,
	})
	if err != nil {
		return response, err
	}
	expected := map[int64]ExpectedHour{}
	if sig.Kind == earshot.VolumeSignal {
		list, err := s.ExpectHours(ctx, m, sig.Raised, from, to)
		if err != nil {
			return response, err
		}
		for _, e := range list {
			expected[e.Start.Unix()] = e
		}
	}
	response = ChartHours{Timezone: m.Timezone}
	for _, h := range found.Hours {
		if h.Start.Before(from) || !h.Start.Before(to) {
			continue
		}
		shown := ChartHour{Start: h.Start, Posts: h.Posts}
		if e, ok := expected[h.Start.Unix()]; ok {
			shown.Expected, shown.Low, shown.High = &e.Expected, &e.Low, &e.High
		}
		response.Hours = append(response.Hours, shown)
	}
	return response, nil
}

// chartPeriod returns the hours that the chart of a signal shows: all of it, with some hours before
// and after. A long signal shows its beginning.
func chartPeriod(sig *earshot.Signal, now time.Time) (from, to time.Time) {
	from, to = sig.From.Add(-hoursBefore).Truncate(time.Hour), sig.To.Add(hoursAfter)
	if to.After(now) {
		to = now
	}
	if to.Sub(from) > maxShown {
		to = from.Add(maxShown)
	}
	return from, to
}
