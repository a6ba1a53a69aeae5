package manage

import (
	"context"

	"earshot"
	"earshot/internal/jsonvalue"
	"earshot/internal/monitor"
)

// maxCosts is the number of monitors in a list of costs.
const maxCosts = 10

// A monitorCosts response lists the most expensive monitors. Limit is the highest cost of a team's
// monitors; 0 means no limit.
type monitorCosts struct {
	Limit    int           `json:"limit"`
	Monitors []monitorCost `json:"monitors"`
}

// A monitorCost is the cost of matching posts with a monitor: an estimate that depends only on the
// monitor, and the time that this node has spent since it was started or the monitor was changed.
type monitorCost struct {
	ID       earshot.MonitorID `json:"id"`
	Name     string            `json:"name"`
	Team     earshot.TeamID    `json:"team"`
	TeamName string            `json:"teamName"`
	Cost     int               `json:"cost"`
	TeamCost int               `json:"teamCost"`
	Seconds  float64           `json:"seconds"`
}

// listCosts serves GET /manage/v1/monitor-costs.
func (a *API) listCosts(context.Context, *earshot.Caller, struct{}) (monitorCosts, error) {
	return monitorCosts{
		Limit: a.Monitors.CostLimit,
		Monitors: jsonvalue.Map(a.Monitors.MostExpensive(maxCosts), func(c monitor.Cost) monitorCost {
			return monitorCost{
				ID: c.Monitor.ID, Name: c.Monitor.Name, Team: c.Monitor.Team, TeamName: a.Monitors.TeamName(c.Monitor),
				Cost: c.Cost, TeamCost: a.Monitors.TeamCost(c.Monitor.Team), Seconds: c.Time.Seconds(),
			}
		}),
	}, nil
}
