package api

import (
	"context"

	"earshot"
	"earshot/internal/monitor"
	"earshot/internal/rest"
)

// monitorInfo is a monitor as lists show it.
type monitorInfo struct {
	ID           earshot.MonitorID `json:"id"`
	Name         string            `json:"name"`
	Description  string            `json:"description"`
	Type         string            `json:"type"`
	Enabled      bool              `json:"enabled"`
	ResultsStart earshot.Timestamp `json:"resultsStart"`
	ResultsEnd   earshot.Timestamp `json:"resultsEnd"`
	Keywords     string            `json:"keywords"`
	Languages    choice            `json:"languages"`
	Geolocations choice            `json:"geolocations"`
	Gender       earshot.Gender    `json:"gender"`
	Sources      []string          `json:"sources"`
	Timezone     string            `json:"timezone"`
	TeamName     string            `json:"teamName"`
	Tags         []string          `json:"tags"`
	Subfilters   []subfilter       `json:"subfilters"`
}

type choice struct {
	Values []string `json:"values"`
	Type   string   `json:"type"`
}

type subfilter struct {
	ID         earshot.MonitorID `json:"id"`
	Name       string            `json:"name"`
	Parameters string            `json:"parameters"`
}

type category struct {
	Status       string             `json:"status"`
	ID           earshot.CategoryID `json:"id"`
	Name         string             `json:"name"`
	TrainingDocs int                `json:"trainingDocs"`
	Hidden       bool               `json:"hidden"`
	SortOrder    int                `json:"sortOrder"`
	Group        string             `json:"group,omitempty"`
	GroupID      earshot.CategoryID `json:"groupId,omitempty"`
}

type monitorDetailResponse struct {
	monitorInfo
	Categories      []category        `json:"categories"`
	Emotions        []category        `json:"emotions"`
	ParentMonitorID earshot.MonitorID `json:"parentMonitorId,omitempty"`
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
	Team earshot.TeamID `query:"team"`
}

type monitorListResponse struct {
	Monitors []monitorInfo `json:"monitors"`
	Status   *rest.Success `json:"status,omitempty"`
}

// monitorList serves /api/monitor/list.
func (a *API) monitorList(_ context.Context, c *earshot.Caller, p monitorListParams) (monitorListResponse, error) {
	if p.Team != 0 {
		if _, err := a.Accounts.RequireTeam(c, p.Team); err != nil {
			return monitorListResponse{}, err
		}
	}
	return monitorListResponse{
		Monitors: mapSlice(a.Monitors.List(c, p.Team), a.monitorInfo),
		Status:   a.success(),
	}, nil
}

type auditEntry struct {
	Event     earshot.EventKind `json:"event"`
	User      string            `json:"user"`
	EventDate earshot.Timestamp `json:"eventDate"`
}

type auditResponse struct {
	AuditInfo []auditEntry `json:"auditInfo"`
	Status    rest.Success `json:"status"`
}

// audit serves /api/monitor/audit. It answers for removed monitors too.
func (a *API) audit(_ context.Context, c *earshot.Caller, p monitorID) (auditResponse, error) {
	m, events, err := a.Monitors.Audit(c, p.ID)
	if err != nil {
		return auditResponse{}, err
	}
	return auditResponse{AuditInfo: mapSlice(events, func(e earshot.Event) auditEntry {
		return auditEntry{Event: e.Kind, User: e.User, EventDate: local(e.Time, m)}
	})}, nil
}

func (a *API) monitorInfo(m *earshot.Monitor) monitorInfo {
	results := m.Results(a.Now())
	return monitorInfo{
		ID:           m.ID,
		Name:         m.Name,
		Description:  m.Description,
		Type:         string(m.Type),
		Enabled:      m.Enabled,
		ResultsStart: earshot.Midnight(results.Start),
		ResultsEnd:   earshot.Midnight(results.End),
		Keywords:     m.Criteria.Keywords,
		Languages:    newChoice(m.Criteria.Languages),
		Geolocations: newChoice(m.Criteria.Places),
		Gender:       m.Criteria.Gender,
		Sources:      a.Monitors.Sources(m),
		Timezone:     m.Timezone,
		TeamName:     a.Monitors.TeamName(m),
		Tags:         orEmpty(m.Tags),
		Subfilters: mapSlice(m.Filters, func(f earshot.Filter) subfilter {
			return subfilter{ID: f.ID, Name: f.Name, Parameters: monitor.Describe(&f)}
		}),
	}
}

func newChoice(c earshot.Choice) choice {
	kind := "include"
	if c.Exclude {
		kind = "exclude"
	}
	return choice{Values: orEmpty(c.Values), Type: kind}
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
