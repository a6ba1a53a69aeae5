package api

import (
	"strconv"

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
	Start earshot.Date `query:"start,required" doc:"first day in the monitor's time zone, for example 2026-03-01" example:"2026-03-01"`
	End   earshot.Date `query:"end,required" doc:"day after the last day" example:"2026-03-08"`
}

func (p monitorRange) check() error {
	if !p.Start.Before(p.End) {
		return earshot.InvalidParameter("end", p.End.String(), "a date after start")
	}
	return nil
}

// ResponseMemory implements [rest.Weighted].
func (p monitorRange) ResponseMemory() int64 { return rest.DayMemory(p.days().Len()) }

func (p monitorRange) days() earshot.Days { return earshot.Days{Start: p.Start, End: p.End} }

// parseInt32 parses an integer parameter.
func parseInt32(text []byte) (int32, error) {
	n, err := strconv.ParseInt(string(text), 10, 32)
	return int32(n), err
}
