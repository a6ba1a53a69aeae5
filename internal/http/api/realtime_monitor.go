package api

import (
	"context"
	"net/http"

	"earshot"
	"earshot/internal/jsonvalue"
)

// realtimeMonitor is a monitor as realtime endpoints show it.
type realtimeMonitor struct {
	ID       earshot.MonitorID `json:"id" doc:"id of the monitor or filter"`
	Name     string            `json:"name" doc:"name"`
	Type     string            `json:"type" doc:"type of the monitor" values:"BUZZ,OPINION,SOCIAL"`
	Enabled  bool              `json:"enabled" doc:"whether it collects new posts"`
	Realtime bool              `json:"realtime" doc:"whether it is enabled for realtime data"`
	Timezone string            `json:"timezone" doc:"time zone of the times in responses"`
	TeamName string            `json:"teamName" doc:"name of the team it belongs to"`
	Sources  []string          `json:"sources" doc:"names of the sources that it selects posts from"`
}

func (a *API) realtimeMonitor(m *earshot.Monitor) realtimeMonitor {
	return realtimeMonitor{
		ID: m.ID, Name: m.Name, Type: string(m.Type), Enabled: m.Enabled, Realtime: m.Realtime,
		Timezone: m.Timezone, TeamName: a.Monitors.TeamName(m), Sources: a.Monitors.Sources(m),
	}
}

type realtimeList struct {
	Monitors []realtimeMonitor `json:"monitors" doc:"monitors that the caller may see and that are enabled for realtime data"`
}

// realtimeMonitors serves /api/realtime/monitor/list.
func (a *API) realtimeMonitors(_ context.Context, c *earshot.Caller, p monitorListParams) (realtimeResponse[realtimeList], error) {
	response := realtimeResponse[realtimeList]{RealtimeData: realtimeList{Monitors: []realtimeMonitor{}}}
	if p.Team != 0 {
		if _, err := a.Accounts.RequireTeam(c, p.Team); err != nil {
			return response, err
		}
	}
	for _, m := range a.Monitors.List(c, p.Team) {
		if m.Realtime {
			response.RealtimeData.Monitors = append(response.RealtimeData.Monitors, a.realtimeMonitor(m))
		}
	}
	return response, nil
}

type configureParams struct {
	MonitorID earshot.MonitorID `query:"id|monitorid" doc:"id of a monitor; may also be in the body"`
	Body      struct {
		ID        earshot.MonitorID `json:"id" doc:"id of a monitor" example:"2147483652"`
		MonitorID earshot.MonitorID `json:"monitorid" doc:"alias of id"`
	} `body:"json,optional"`
}

// configureRealtime serves POST /api/realtime/monitor/configure. Realtime monitors have no
// settings, so it enables the monitor and returns it.
func (a *API) configureRealtime(ctx context.Context, c *earshot.Caller, p configureParams) (response realtimeResponse[realtimeMonitor], err error) {
	id, err := uniqueID("id", p.MonitorID, p.Body.ID, p.Body.MonitorID)
	if err != nil {
		return response, err
	}
	m, err := a.Monitors.SetRealtime(ctx, c, id, true)
	if err != nil {
		return response, err
	}
	response.RealtimeData = a.realtimeMonitor(m)
	return response, nil
}

type switchParams struct {
	monitorID
	Method string `request:"method"`
}

// enableRealtime serves /api/realtime/monitor/enable.
func (a *API) enableRealtime(ctx context.Context, c *earshot.Caller, p switchParams) (statusResponse, error) {
	return a.switchRealtime(ctx, c, p, true)
}

// disableRealtime serves /api/realtime/monitor/disable.
func (a *API) disableRealtime(ctx context.Context, c *earshot.Caller, p switchParams) (statusResponse, error) {
	return a.switchRealtime(ctx, c, p, false)
}

// switchRealtime enables or disables realtime data. HEAD requests change nothing.
func (a *API) switchRealtime(ctx context.Context, c *earshot.Caller, p switchParams, on bool) (statusResponse, error) {
	if p.Method == http.MethodHead {
		_, err := a.Monitors.Find(c, p.ID)
		return statusResponse{}, err
	}
	_, err := a.Monitors.SetRealtime(ctx, c, p.ID, on)
	return statusResponse{}, err
}

// realtimeDetail serves /api/realtime/monitor/detail.
func (a *API) realtimeDetail(_ context.Context, m *earshot.Monitor, _ monitorID) (realtimeResponse[realtimeMonitor], error) {
	return realtimeResponse[realtimeMonitor]{RealtimeData: a.realtimeMonitor(m)}, nil
}

type realtimeDetails struct {
	realtimeMonitor
	Categories []namedCategory   `json:"categories" doc:"categories that posts are counted by"`
	Emotions   []namedCategory   `json:"emotions" doc:"emotions that posts are counted by"`
	StartDate  earshot.Timestamp `json:"startDate" doc:"24 hours before the response, in the monitor's time zone"`
	EndDate    earshot.Timestamp `json:"endDate" doc:"time of the response"`
	Volume     int64             `json:"totalVolume" doc:"number of posts between startDate and endDate"`
	BySource   counts            `json:"volumeBySource" doc:"the same posts by source, largest first"`
}

type namedCategory struct {
	ID   earshot.CategoryID `json:"id" doc:"id of the category or emotion"`
	Name string             `json:"name" doc:"name"`
}

// realtimeDetails serves /api/realtime/monitor/details.
func (a *API) realtimeDetails(ctx context.Context, m *earshot.Monitor, p monitorID) (response realtimeResponse[realtimeDetails], err error) {
	r, err := a.recent(realtimeStart{monitorID: p})
	if err != nil {
		return response, err
	}
	v, err := a.Insight.RecentVolume(ctx, m, r)
	if err != nil {
		return response, err
	}
	name := func(c earshot.Category) namedCategory { return namedCategory{c.ID, c.Name} }
	response.RealtimeData = realtimeDetails{
		realtimeMonitor: a.realtimeMonitor(m),
		Categories:      jsonvalue.Map(m.Categories, name),
		Emotions:        jsonvalue.Map(m.Emotions, name),
		StartDate:       localTime(r.Start, m),
		EndDate:         localTime(r.End, m),
		Volume:          v.Posts,
		BySource:        v.Sources,
	}
	return response, nil
}
