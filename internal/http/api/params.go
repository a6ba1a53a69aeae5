package api

import (
	"strconv"
	"strings"
	"time"

	"earshot"
	"earshot/internal/http/rest"
)

// monitorParams are the parameters of an endpoint for one monitor.
type monitorParams interface {
	monitor() earshot.MonitorID
	check() error
}

// monitorID identifies a monitor or a filter.
type monitorID struct {
	ID earshot.MonitorID `query:"id|monitorid,required" doc:"id of a monitor or filter" example:"2147483652"`
}

func (p monitorID) monitor() earshot.MonitorID { return p.ID }
func (p monitorID) check() error               { return nil }

// monitorRange is a monitor and a range of days in its time zone.
type monitorRange struct {
	monitorID
	Start boundary `query:"start,required" doc:"first day in the monitor's time zone, for example 2026-03-01" example:"2026-03-01"`
	End   boundary `query:"end,required" doc:"day after the last day" example:"2026-03-08"`
}

func (p monitorRange) check() error {
	if p.Start.at.IsZero() && p.End.at.IsZero() && !p.Start.Before(p.End.Date) {
		return earshot.InvalidParameter("end", p.End.text, "a date after start")
	}
	return nil
}

// resolve sets days that depend on the time zone of m.
func (p *monitorRange) resolve(m *earshot.Monitor) error {
	if err := p.Start.resolve("start", m); err != nil {
		return err
	}
	if err := p.End.resolve("end", m); err != nil {
		return err
	}
	return p.check()
}

// A boundary is the start or end of a range: a date or the moment at which the day starts in the
// monitor's time zone. T00:00:00Z is the date, because programs append it to dates.
type boundary struct {
	earshot.Date
	text string
	at   time.Time // the moment, until resolve sets the date
}

// JSONShape implements [rest.JSONShaper].
func (boundary) JSONShape() any { return earshot.Date{} }

// UnmarshalText implements [encoding.TextUnmarshaler].
func (b *boundary) UnmarshalText(text []byte) (err error) {
	b.text = strings.TrimSpace(string(text))
	if b.Date, err = earshot.ParseDate(b.text); err == nil && (!strings.HasSuffix(b.text, "Z") || strings.HasSuffix(b.text, "T00:00:00Z")) {
		return nil
	}
	moment := strings.Replace(b.text, " ", "+", 1) // a plus sign that is not escaped arrives as a space
	for _, layout := range []string{time.RFC3339, "2006-01-02T15:04:05Z0700"} {
		if at, wrong := time.Parse(layout, moment); wrong == nil && at.Year() > 0 {
			b.at, b.Date = at, earshot.DateOf(at)
			return nil
		}
	}
	return err
}

func (b *boundary) resolve(name string, m *earshot.Monitor) error {
	if b.at.IsZero() {
		return nil
	}
	b.Date = earshot.DateOf(b.at.In(m.Location()))
	if !b.Start(m.Location()).Equal(b.at) {
		return earshot.InvalidParameter(name, b.text, "a date like 2024-01-31; a time with an offset must be midnight in "+m.Timezone)
	}
	b.at = time.Time{}
	return nil
}

// ResponseMemory implements [rest.Weighted].
func (p monitorRange) ResponseMemory() int64 { return rest.DayMemory(p.days().Len()) }

func (p monitorRange) days() earshot.Days { return earshot.Days{Start: p.Start.Date, End: p.End.Date} }

// parseInt32 parses an integer parameter.
func parseInt32(text []byte) (int32, error) {
	n, err := strconv.ParseInt(string(text), 10, 32)
	return int32(n), err
}
