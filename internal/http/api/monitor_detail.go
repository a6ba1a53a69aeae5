package api

import (
	"context"

	"earshot"
	"earshot/internal/geo"
	"earshot/internal/http/rest"
	"earshot/internal/jsonvalue"
	"earshot/internal/monitor"
)

// monitorInfo is a monitor as lists show it. Streams show everything but the range of its results.
type monitorInfo struct {
	monitorHead
	ResultsStart earshot.Timestamp `json:"resultsStart" doc:"start of the first day with results"`
	ResultsEnd   earshot.Timestamp `json:"resultsEnd" doc:"end of the last day with results, exclusive"`
	monitorTail
}

type monitorHead struct {
	ID          earshot.MonitorID `json:"id" doc:"id of the monitor or filter"`
	Name        string            `json:"name" doc:"name"`
	Description string            `json:"description" doc:"description; may be empty"`
	Type        string            `json:"type" doc:"type of the monitor" values:"BUZZ,OPINION,SOCIAL"`
	Enabled     bool              `json:"enabled" doc:"whether it collects new posts"`
}

type monitorTail struct {
	Keywords     string         `json:"keywords" doc:"boolean query"`
	Languages    choice         `json:"languages" doc:"languages that it selects"`
	Geolocations choice         `json:"geolocations" doc:"places that it selects"`
	Gender       earshot.Gender `json:"gender" doc:"gender of authors that it selects; empty for any" values:"M,F,"`
	Sources      []string       `json:"sources" doc:"names of the sources that it selects posts from"`
	Timezone     string         `json:"timezone" doc:"time zone that defines its days"`
	TeamName     string         `json:"teamName" doc:"name of the team it belongs to"`
	Tags         []string       `json:"tags" doc:"tags"`
	Subfilters   []subfilter    `json:"subfilters" doc:"the monitor's filters"`
}

type choice struct {
	Values []string `json:"values" doc:"selected values; empty for no restriction"`
	Type   string   `json:"type" doc:"whether the values are included or excluded" values:"include,exclude"`
}

type subfilter struct {
	ID         earshot.MonitorID `json:"id" doc:"id of the filter; accepted wherever a monitor id is"`
	Name       string            `json:"name" doc:"name of the filter"`
	Parameters string            `json:"parameters" doc:"criteria of the filter, as text"`
}

type category struct {
	Status       string             `json:"status" doc:"training status" values:"red,yellow,green"`
	ID           earshot.CategoryID `json:"id" doc:"id of the category"`
	Name         string             `json:"name" doc:"name of the category"`
	TrainingDocs int                `json:"trainingDocs" doc:"number of training posts"`
	Hidden       bool               `json:"hidden" doc:"whether its posts count as irrelevant"`
	SortOrder    int                `json:"sortOrder" doc:"position in lists"`
	Group        string             `json:"group,omitempty" doc:"name of its group"`
	GroupID      earshot.CategoryID `json:"groupId,omitempty" doc:"id of its group"`
}

type monitorDetailResponse struct {
	monitorInfo
	Categories      []category        `json:"categories" doc:"categories that posts are assigned to"`
	Emotions        []category        `json:"emotions" doc:"emotions that posts are assigned to"`
	ParentMonitorID earshot.MonitorID `json:"parentMonitorId,omitempty" doc:"for a filter: id of its monitor"`
	Status          rest.Success      `json:"status"`
}

// monitorDetail serves /api/monitor/detail.
func (a *API) monitorDetail(_ context.Context, m *earshot.Monitor, _ monitorID) (monitorDetailResponse, error) {
	return monitorDetailResponse{
		monitorInfo:     a.monitorInfo(m),
		Categories:      categories(m.Categories),
		Emotions:        categories(m.Emotions),
		ParentMonitorID: m.Parent,
	}, nil
}

type monitorListParams struct {
	Team earshot.TeamID `query:"team" doc:"id of a team; only its monitors are listed"`
}

type monitorListResponse struct {
	Monitors []monitorInfo `json:"monitors" doc:"monitors that the caller may see"`
	Status   *rest.Success `json:"status,omitempty" doc:"success; only with the setting compat = clients"`
}

// monitorList serves /api/monitor/list.
func (a *API) monitorList(_ context.Context, c *earshot.Caller, p monitorListParams) (monitorListResponse, error) {
	if p.Team != 0 {
		if _, err := a.Accounts.RequireTeam(c, p.Team); err != nil {
			return monitorListResponse{}, err
		}
	}
	return monitorListResponse{
		Monitors: jsonvalue.Map(a.Monitors.List(c, p.Team), a.monitorInfo),
		Status:   a.clientStatus(),
	}, nil
}

type auditEntry struct {
	Event     earshot.EventKind `json:"event" doc:"type of event" values:"ENABLED,DISABLED,RESET,PARTIAL_RESET,REMOVED,EDITED,TRAINED,UI_TWITTER_EXPORT"`
	User      string            `json:"user" doc:"user name"`
	EventDate earshot.Timestamp `json:"eventDate" doc:"when it happened, in the monitor's time zone"`
}

type auditResponse struct {
	AuditInfo []auditEntry `json:"auditInfo" doc:"events, newest first"`
	Status    rest.Success `json:"status"`
}

// audit serves /api/monitor/audit, even for deleted monitors.
func (a *API) audit(_ context.Context, c *earshot.Caller, p monitorID) (auditResponse, error) {
	m, events, err := a.Monitors.Audit(c, p.ID)
	if err != nil {
		return auditResponse{}, err
	}
	return auditResponse{AuditInfo: jsonvalue.Map(events, func(e earshot.Event) auditEntry {
		return auditEntry{Event: e.Kind, User: e.User, EventDate: localTime(e.Time, m)}
	})}, nil
}

func (a *API) monitorInfo(m *earshot.Monitor) monitorInfo {
	results := m.Results(a.Now())
	return monitorInfo{
		monitorHead: monitorHead{
			ID:          m.ID,
			Name:        m.Name,
			Description: m.Description,
			Type:        string(m.Type),
			Enabled:     m.Enabled,
		},
		ResultsStart: earshot.Midnight(results.Start),
		ResultsEnd:   earshot.Midnight(results.End),
		monitorTail:  a.monitorTail(m),
	}
}

func (a *API) monitorTail(m *earshot.Monitor) monitorTail {
	return monitorTail{
		Keywords:     m.Criteria.Keywords,
		Languages:    newChoice(m.Criteria.Languages),
		Geolocations: newChoice(geo.PlainChoice(m.Criteria.Places)),
		Gender:       m.Criteria.Gender,
		Sources:      a.Monitors.Sources(m),
		Timezone:     m.Timezone,
		TeamName:     a.Monitors.TeamName(m),
		Tags:         jsonvalue.OrEmpty(m.Tags),
		Subfilters: jsonvalue.Map(m.Filters, func(f earshot.Filter) subfilter {
			return subfilter{ID: f.ID, Name: f.Name, Parameters: monitor.Describe(&f)}
		}),
	}
}

func newChoice(c earshot.Choice) choice {
	kind := "include"
	if c.Exclude {
		kind = "exclude"
	}
	return choice{Values: jsonvalue.OrEmpty(c.Values), Type: kind}
}

func categories(list []earshot.Category) []category {
	shown := make([]category, len(list))
	for i, c := range list {
		shown[i] = category{
			Status: c.Status(), ID: c.ID, Name: c.Name, TrainingDocs: c.TrainingDocs, Hidden: c.Hidden,
			SortOrder: i, Group: c.Group, GroupID: c.GroupID,
		}
	}
	return shown
}
