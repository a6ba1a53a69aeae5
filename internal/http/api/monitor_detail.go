package api

import (
	"context"

	"earshot"
	"earshot/internal/http/rest"
	"earshot/internal/monitor"
)

// monitorInfo is a monitor as lists show it. Streams show everything but the range of its results.
type monitorInfo struct {
	monitorHead
	ResultsStart earshot.Timestamp `json:"resultsStart" doc:"beginning of the days with results"`
	ResultsEnd   earshot.Timestamp `json:"resultsEnd" doc:"end of the days with results, exclusive"`
	monitorTail
}

type monitorHead struct {
	ID          earshot.MonitorID `json:"id" doc:"id of the monitor or the filter"`
	Name        string            `json:"name" doc:"name"`
	Description string            `json:"description" doc:"what it is for; may be empty"`
	Type        string            `json:"type" doc:"kind of monitor" values:"BUZZ,OPINION,SOCIAL"`
	Enabled     bool              `json:"enabled" doc:"whether it takes new posts"`
}

type monitorTail struct {
	Keywords     string         `json:"keywords" doc:"the boolean query"`
	Languages    choice         `json:"languages" doc:"languages it is limited to"`
	Geolocations choice         `json:"geolocations" doc:"places it is limited to"`
	Gender       earshot.Gender `json:"gender" doc:"gender of the authors it is limited to; empty for none" values:"M,F,"`
	Sources      []string       `json:"sources" doc:"names of the sources it takes posts of"`
	Timezone     string         `json:"timezone" doc:"time zone in which its days begin"`
	TeamName     string         `json:"teamName" doc:"name of the team it belongs to"`
	Tags         []string       `json:"tags" doc:"labels"`
	Subfilters   []subfilter    `json:"subfilters" doc:"its filters"`
}

type choice struct {
	Values []string `json:"values" doc:"what is chosen; empty for no limit"`
	Type   string   `json:"type" doc:"whether these are wanted or unwanted" values:"include,exclude"`
}

type subfilter struct {
	ID         earshot.MonitorID `json:"id" doc:"id of the filter; may be given wherever a monitor id is"`
	Name       string            `json:"name" doc:"name of the filter"`
	Parameters string            `json:"parameters" doc:"what the filter selects, in words"`
}

type category struct {
	Status       string             `json:"status" doc:"how well it is trained" values:"red,yellow,green"`
	ID           earshot.CategoryID `json:"id" doc:"id of the category"`
	Name         string             `json:"name" doc:"name of the category"`
	TrainingDocs int                `json:"trainingDocs" doc:"training documents it has"`
	Hidden       bool               `json:"hidden" doc:"whether its posts count as irrelevant"`
	SortOrder    int                `json:"sortOrder" doc:"its place in lists"`
	Group        string             `json:"group,omitempty" doc:"name of its group"`
	GroupID      earshot.CategoryID `json:"groupId,omitempty" doc:"id of its group"`
}

type monitorDetailResponse struct {
	monitorInfo
	Categories      []category        `json:"categories" doc:"categories posts are assigned to"`
	Emotions        []category        `json:"emotions" doc:"emotions posts are assigned to"`
	ParentMonitorID earshot.MonitorID `json:"parentMonitorId,omitempty" doc:"of a filter: the monitor it belongs to"`
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
	Team earshot.TeamID `query:"team" doc:"id of a team: only its monitors"`
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
		Monitors: rest.Map(a.Monitors.List(c, p.Team), a.monitorInfo),
		Status:   a.clientStatus(),
	}, nil
}

type auditEntry struct {
	Event     earshot.EventKind `json:"event" doc:"what happened" values:"ENABLED,DISABLED,RESET,PARTIAL_RESET,REMOVED,EDITED,TRAINED,UI_TWITTER_EXPORT"`
	User      string            `json:"user" doc:"who did it"`
	EventDate earshot.Timestamp `json:"eventDate" doc:"when, on the clock of the monitor's time zone"`
}

type auditResponse struct {
	AuditInfo []auditEntry `json:"auditInfo" doc:"what happened, newest first"`
	Status    rest.Success `json:"status"`
}

// audit serves /api/monitor/audit, even for deleted monitors.
func (a *API) audit(_ context.Context, c *earshot.Caller, p monitorID) (auditResponse, error) {
	m, events, err := a.Monitors.Audit(c, p.ID)
	if err != nil {
		return auditResponse{}, err
	}
	return auditResponse{AuditInfo: rest.Map(events, func(e earshot.Event) auditEntry {
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
		Geolocations: newChoice(m.Criteria.Places),
		Gender:       m.Criteria.Gender,
		Sources:      a.Monitors.Sources(m),
		Timezone:     m.Timezone,
		TeamName:     a.Monitors.TeamName(m),
		Tags:         rest.OrEmpty(m.Tags),
		Subfilters: rest.Map(m.Filters, func(f earshot.Filter) subfilter {
			return subfilter{ID: f.ID, Name: f.Name, Parameters: monitor.Describe(&f)}
		}),
	}
}

func newChoice(c earshot.Choice) choice {
	kind := "include"
	if c.Exclude {
		kind = "exclude"
	}
	return choice{Values: rest.OrEmpty(c.Values), Type: kind}
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
