package manage

import (
	"context"
	"time"

	"earshot"
	"earshot/internal/insight"
	"earshot/internal/jsonvalue"
	"earshot/internal/notify/signal"
)

// Hours before and after a signal that its chart shows.
const (
	hoursBefore = 48 * time.Hour
	hoursAfter  = 12 * time.Hour
	maxShown    = 14 * 24 * time.Hour
)

// signalHours are the posts of a signal by hour, in the time zone of its monitor.
type signalHours struct {
	Timezone string       `json:"timezone"`
	Hours    []signalHour `json:"hours"`
}

// A signalHour is an hour around a signal. Expected, low and high are null if they are unknown.
type signalHour struct {
	Start    time.Time           `json:"start"`
	Posts    int64               `json:"posts"`
	Expected *jsonvalue.Decimal1 `json:"expected"`
	Low      *jsonvalue.Decimal1 `json:"low"`
	High     *jsonvalue.Decimal1 `json:"high"`
}

// listSignalHours serves GET /manage/v1/signals/{id}/hours: the posts that the signal is about, in the
// hours before, during and after it.
func (a *API) listSignalHours(ctx context.Context, c *earshot.Caller, p signalPath) (response signalHours, err error) {
	sig, err := a.Signals.Find(c, p.ID)
	if err != nil {
		return response, err
	}
	m, err := a.Monitors.Find(c, sig.Monitor)
	if err != nil {
		return response, err
	}
	zone := m.Location()
	from, to := chartPeriod(sig, a.Now())
	days := earshot.Days{Start: earshot.DateOf(from.In(zone)), End: earshot.DateOf(to.In(zone)).AddDays(1)}
	refinement := a.Filters.Refinement(c, m, sig.Filter)
	found, err := a.Insight.Overview(ctx, m, insight.OverviewRequest{
		Days: days, Parts: []insight.Part{insight.HoursPart}, Filter: refinement.Key(), Refine: refinement.Selection,
	})
	if err != nil {
		return response, err
	}
	expected := map[int64]signal.ExpectedHour{}
	if sig.Kind == earshot.VolumeSignal {
		list, err := a.Signals.ExpectHours(ctx, m, sig.Raised, from, to)
		if err != nil {
			return response, err
		}
		for _, e := range list {
			expected[e.Start.Unix()] = e
		}
	}
	response = signalHours{Timezone: m.Timezone}
	for _, h := range found.Hours {
		if h.Start.Before(from) || !h.Start.Before(to) {
			continue
		}
		shown := signalHour{Start: h.Start, Posts: h.Posts}
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
