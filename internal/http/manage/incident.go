package manage

import (
	"context"
	"strconv"

	"earshot"
	"earshot/internal/patch"
	"earshot/internal/workspace/incident"
)

// listIncidents serves /manage/v1/incidents: what happened to the monitors that the caller may see.
func (a *API) listIncidents(ctx context.Context, c *earshot.Caller, p summaryParams) (incident.List, error) {
	days := defaultSummaryDays
	patch.Set(&days, p.Days)
	if days < 1 || days > maxSummaryDays {
		return incident.List{}, earshot.InvalidParameter("days", strconv.Itoa(days), "a whole number from 1 to 400")
	}
	if p.Team != 0 {
		if _, err := a.Accounts.FindTeam(c, p.Team); err != nil {
			return incident.List{}, err
		}
	}
	return a.Incidents.Team(ctx, c, p.Team, days)
}

// listMonitorIncidents serves /manage/v1/monitors/{id}/incidents, for monitors and filters.
func (a *API) listMonitorIncidents(ctx context.Context, c *earshot.Caller, p postsQuery) (incident.List, error) {
	m, days, err := a.Cards.Find(c, p.query())
	if err != nil {
		return incident.List{}, err
	}
	return a.Incidents.Find(ctx, incident.Query{Caller: c, Monitor: m, Days: days, Filter: p.query().Filter})
}

// summarize serves /manage/v1/monitors/{id}/summary, for monitors and filters.
func (a *API) summarize(ctx context.Context, c *earshot.Caller, p explanationParams) (incident.Summary, error) {
	m, err := a.Monitors.Find(c, p.ID)
	if err != nil {
		return incident.Summary{}, err
	}
	from, to, err := p.period(m, a.Now())
	if err != nil {
		return incident.Summary{}, err
	}
	return a.Incidents.Summary(ctx, incident.Query{Caller: c, Monitor: m, Filter: p.Filter}, from, to)
}
