package digest

import (
	"context"
	"time"

	"earshot"
	"earshot/internal/jsonvalue"
	"earshot/internal/workspace/card"
)

// A ReportInfo is a scheduled report as JSON.
type ReportInfo struct {
	ID         earshot.ReportID  `json:"id"`
	Team       earshot.TeamID    `json:"team"`
	Name       string            `json:"name"`
	Monitors   []ReportMonitor   `json:"monitors"`
	Dashboards []ReportPage      `json:"dashboards"`
	Cards      []card.Shown      `json:"cards"`
	Compare    []ReportMonitor   `json:"compare"`
	Filter     string            `json:"filter"`
	Client     earshot.ClientID  `json:"client"` // 0: none
	Cron       string            `json:"cron"`
	Timezone   string            `json:"timezone"`
	Schedule   string            `json:"schedule"` // in words
	Next       []time.Time       `json:"next"`     // the next three times; empty if the report is disabled
	Range      card.RollingRange `json:"range"`
	PDF        bool              `json:"pdf"`
	XLSX       bool              `json:"xlsx"`
	Channels   []ReportChannel   `json:"channels"`
	Disabled   bool              `json:"disabled"`
	LastRun    *RunInfo          `json:"lastRun"` // null: none
	CreatedBy  string            `json:"createdBy"`
	Created    time.Time         `json:"created"`
	EditedBy   string            `json:"editedBy"`
	Edited     time.Time         `json:"edited"`
	Revision   int64             `json:"revision"`
}

// A ReportMonitor is a monitor or filter of a report.
type ReportMonitor struct {
	ID      earshot.MonitorID `json:"id"`
	Name    string            `json:"name"`
	Removed bool              `json:"removed"` // it no longer exists
}

// A ReportPage is a dashboard of a report.
type ReportPage struct {
	ID      earshot.DashboardID `json:"id"`
	Name    string              `json:"name"`
	Removed bool                `json:"removed"` // it no longer exists
}

// A ReportChannel is where a report is sent.
type ReportChannel struct {
	ID       earshot.ChannelID   `json:"id"`
	Name     string              `json:"name"`
	Kind     earshot.ChannelKind `json:"kind"`
	Disabled bool                `json:"disabled"`
}

// Describe returns reports as JSON, each with its last run. It does not check who may see them.
func (s *Service) Describe(ctx context.Context, list ...*earshot.ScheduledReport) ([]ReportInfo, error) {
	last := s.lastRuns(ctx)
	shown := make([]ReportInfo, len(list))
	for i, r := range list {
		shown[i] = s.reportInfo(r)
		run, err := last(r.ID)
		if err != nil {
			return nil, err
		}
		if run != nil {
			info := s.DescribeRun(r, run)
			shown[i].LastRun = &info
		}
	}
	return shown, nil
}

func (s *Service) reportInfo(r *earshot.ScheduledReport) ReportInfo {
	shown := ReportInfo{
		ID: r.ID, Team: r.Team, Name: r.Name, Filter: r.Filter, Cron: r.Cron, Timezone: r.Timezone, Range: card.RollingRange(r.Range),
		PDF: r.PDF, XLSX: r.XLSX, Disabled: r.Disabled, Schedule: scheduleInWords(r), Next: []time.Time{},
		Monitors:   jsonvalue.Map(r.Monitors, func(id earshot.MonitorID) ReportMonitor { return s.reportMonitor(r.Team, id) }),
		Dashboards: jsonvalue.Map(r.Dashboards, func(id earshot.DashboardID) ReportPage { return s.reportPage(r.Team, id) }),
		Channels: jsonvalue.Map(s.Channels(r), func(ch *earshot.Channel) ReportChannel {
			return ReportChannel{ch.ID, ch.Name, ch.Kind, !ch.Disabled.IsZero()}
		}),
		Cards:     jsonvalue.Map(r.Cards, func(of earshot.Card) card.Shown { return card.Describe(s.Catalog, of) }),
		Compare:   jsonvalue.Map(r.Compare, func(id earshot.MonitorID) ReportMonitor { return s.reportMonitor(r.Team, id) }),
		CreatedBy: r.CreatedBy, Created: r.Created, EditedBy: r.EditedBy, Edited: r.Edited, Revision: r.Edits,
	}
	if cl, ok := s.Catalog.Clients.Find(r.Client); ok && cl.Team == r.Team {
		shown.Client = r.Client
	}
	if t, err := s.Timetable(r.Cron, r.Timezone); err == nil && t.Next != nil && !r.Disabled {
		shown.Next = t.Next
	}
	return shown
}

func (s *Service) reportMonitor(team earshot.TeamID, id earshot.MonitorID) ReportMonitor {
	m, ok := s.Catalog.FindMonitor(id)
	if !ok || m.Team != team {
		return ReportMonitor{ID: id, Removed: true}
	}
	if f, ok := m.Filter(id); ok {
		return ReportMonitor{ID: id, Name: f.Name}
	}
	return ReportMonitor{ID: id, Name: m.Name}
}

func (s *Service) reportPage(team earshot.TeamID, id earshot.DashboardID) ReportPage {
	d, ok := s.Catalog.Dashboards.Find(id)
	if !ok || d.Team != team {
		return ReportPage{ID: id, Removed: true}
	}
	return ReportPage{ID: id, Name: d.Name}
}
