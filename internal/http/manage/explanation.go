package manage

import (
	"context"
	"errors"
	"time"

	"earshot"
	"earshot/internal/http/rest"
	"earshot/internal/workspace/card"
)

type explanationParams struct {
	monitorPath
	Start  localTime         `query:"start"`
	End    localTime         `query:"end"` // exclusive
	Range  card.RollingRange `query:"range"`
	Filter string            `query:"filter"`
}

// ResponseMemory implements [rest.Weighted].
func (explanationParams) ResponseMemory() int64 { return rest.LongResponse }

// A localTime is a day or a time of day in the time zone of a monitor, such as 2026-03-10 or
// 2026-03-10T14:00:00.
type localTime struct {
	day   earshot.Date
	clock time.Duration // since midnight, as clocks show
	isDay bool
}

// UnmarshalText implements [encoding.TextUnmarshaler].
func (t *localTime) UnmarshalText(text []byte) error {
	at, err := time.Parse("2006-01-02T15:04:05", string(text))
	if t.isDay = err != nil; t.isDay {
		at, err = time.Parse(time.DateOnly, string(text))
	}
	if err != nil {
		return errors.New("a day like 2026-03-10 or a time like 2026-03-10T14:00:00")
	}
	t.day = earshot.DateOf(at)
	t.clock = at.Sub(at.Truncate(24 * time.Hour))
	return nil
}

// in returns the time in a time zone.
func (t localTime) in(loc *time.Location) time.Time {
	if t.isDay {
		return t.day.Start(loc)
	}
	return time.Date(t.day.Year, t.day.Month, t.day.Day, 0, 0, int(t.clock.Seconds()), 0, loc)
}

// period returns the period of the request. It has one day or one hour by default.
func (p explanationParams) period(m *earshot.Monitor, now time.Time) (from, to time.Time, err error) {
	loc := m.Location()
	if p.Range != "" {
		if p.Start != (localTime{}) || p.End != (localTime{}) {
			return from, to, earshot.InvalidParameter("range", string(p.Range), "must be omitted if start or end is set")
		}
		days := p.Range.Days(earshot.DateOf(now.In(loc)))
		return days.Start.Start(loc), days.End.Start(loc), nil
	}
	if p.Start == (localTime{}) {
		return from, to, earshot.Errorf(earshot.Invalid, "Required String parameter 'start' is not present")
	}
	from, to = p.Start.in(loc), p.End.in(loc)
	switch {
	case !p.End.day.IsZero():
	case p.Start.isDay:
		to = p.Start.day.AddDays(1).Start(loc)
	default:
		to = from.Add(time.Hour)
	}
	if !from.Before(to) {
		return from, to, earshot.InvalidParameter("end", to.Format("2006-01-02T15:04:05"), "a time after start")
	}
	return from, to, nil
}

// showExplanation serves GET /manage/v1/monitors/{id}/explanation, for monitors and filters.
func (a *API) showExplanation(ctx context.Context, c *earshot.Caller, p explanationParams) (card.Explanation, error) {
	m, from, to, err := a.explained(c, p)
	if err != nil {
		return card.Explanation{}, err
	}
	return a.Cards.Explain(ctx, c, m, from, to, p.Filter)
}

// showVoices serves GET /manage/v1/monitors/{id}/voices, for monitors and filters.
func (a *API) showVoices(ctx context.Context, c *earshot.Caller, p explanationParams) (card.Voices, error) {
	m, from, to, err := a.explained(c, p)
	if err != nil {
		return card.Voices{}, err
	}
	return a.Cards.Voices(ctx, c, m, from, to, p.Filter)
}

// explained returns the monitor or filter and the period.
func (a *API) explained(c *earshot.Caller, p explanationParams) (m *earshot.Monitor, from, to time.Time, err error) {
	if m, err = a.Monitors.Find(c, p.ID); err != nil {
		return nil, from, to, err
	}
	from, to, err = p.period(m, a.Now())
	return m, from, to, err
}
