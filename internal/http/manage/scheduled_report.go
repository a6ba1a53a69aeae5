package manage

import (
	"context"
	"time"

	"earshot"
	"earshot/internal/card"
	"earshot/internal/digest"
	"earshot/internal/filter"
	"earshot/internal/http/rest"
	"earshot/internal/jsonvalue"
)

// A scheduledReport is sent to channels at the times of its schedule.
type scheduledReport struct {
	ID         earshot.ReportID  `json:"id"`
	Team       earshot.TeamID    `json:"team"`
	Name       string            `json:"name"`
	Monitors   []reportMonitor   `json:"monitors"`
	Dashboards []reportPage      `json:"dashboards"`
	Filter     string            `json:"filter"`
	Cron       string            `json:"cron"`
	Timezone   string            `json:"timezone"`
	Schedule   string            `json:"schedule"` // in words
	Next       []time.Time       `json:"next"`     // the next three times; empty if the report is disabled
	Range      card.RollingRange `json:"range"`
	PDF        bool              `json:"pdf"`
	XLSX       bool              `json:"xlsx"`
	Channels   []reportChannel   `json:"channels"`
	Disabled   bool              `json:"disabled"`
	LastRun    *digest.RunInfo   `json:"lastRun"` // null: none
	CreatedBy  string            `json:"createdBy"`
	Created    time.Time         `json:"created"`
	EditedBy   string            `json:"editedBy"`
	Edited     time.Time         `json:"edited"`
	Revision   int64             `json:"revision"`
}

// A reportMonitor is a monitor or filter of a report.
type reportMonitor struct {
	ID      earshot.MonitorID `json:"id"`
	Name    string            `json:"name"`
	Removed bool              `json:"removed"` // it no longer exists
}

// A reportPage is a dashboard of a report.
type reportPage struct {
	ID      earshot.DashboardID `json:"id"`
	Name    string              `json:"name"`
	Removed bool                `json:"removed"` // it no longer exists
}

// A reportChannel is where a report is sent.
type reportChannel struct {
	ID       earshot.ChannelID   `json:"id"`
	Name     string              `json:"name"`
	Kind     earshot.ChannelKind `json:"kind"`
	Disabled bool                `json:"disabled"`
}

func (a *API) newScheduledReport(r *earshot.ScheduledReport) scheduledReport {
	shown := scheduledReport{
		ID: r.ID, Team: r.Team, Name: r.Name, Filter: r.Filter, Cron: r.Cron, Timezone: r.Timezone, Range: card.RollingRange(r.Range),
		PDF: r.PDF, XLSX: r.XLSX, Disabled: r.Disabled,
		Monitors:   jsonvalue.Map(r.Monitors, func(id earshot.MonitorID) reportMonitor { return a.newReportMonitor(r.Team, id) }),
		Dashboards: jsonvalue.Map(r.Dashboards, func(id earshot.DashboardID) reportPage { return a.newReportPage(r.Team, id) }),
		Channels: jsonvalue.Map(a.Digest.Channels(r), func(ch *earshot.Channel) reportChannel {
			return reportChannel{ch.ID, ch.Name, ch.Kind, !ch.Disabled.IsZero()}
		}),
		CreatedBy: r.CreatedBy, Created: r.Created, EditedBy: r.EditedBy, Edited: r.Edited, Revision: r.Edits,
	}
	timetable, err := a.Digest.Timetable(r.Cron, r.Timezone)
	if shown.Schedule = timetable.Words; err != nil { // written by another version
		shown.Schedule = r.Cron + ", " + r.Timezone
	}
	if shown.Next = timetable.Next; shown.Next == nil || r.Disabled {
		shown.Next = []time.Time{}
	}
	return shown
}

func (a *API) newReportMonitor(team earshot.TeamID, id earshot.MonitorID) reportMonitor {
	m, err := a.Monitors.Find(earshot.TeamCaller(team), id)
	if err != nil {
		return reportMonitor{ID: id, Removed: true}
	}
	return reportMonitor{ID: id, Name: m.Name}
}

func (a *API) newReportPage(team earshot.TeamID, id earshot.DashboardID) reportPage {
	d, err := a.Dashboards.Find(earshot.TeamCaller(team), id)
	if err != nil {
		return reportPage{ID: id, Removed: true}
	}
	return reportPage{ID: id, Name: d.Name}
}

type reportPath struct {
	ID earshot.ReportID `path:"id"`
}

// listReports serves GET /manage/v1/reports.
func (a *API) listReports(ctx context.Context, c *earshot.Caller, p struct {
	pageParams
	Team earshot.TeamID `query:"team"`
}) (page[scheduledReport], error) {
	shown, err := paginate(p.pageParams, a.Digest.List(c, p.Team), func(r *earshot.ScheduledReport) int64 { return int64(r.ID) }, a.newScheduledReport)
	if err != nil {
		return shown, err
	}
	return shown, a.addLastRuns(ctx, shown.Items)
}

// addLastRuns adds the last run to each report.
func (a *API) addLastRuns(ctx context.Context, list []scheduledReport) error {
	last := a.Digest.LastRuns(ctx)
	for i := range list {
		run, err := last(list[i].ID)
		if err != nil {
			return err
		}
		if r, ok := a.Digest.Catalog.Reports.Find(list[i].ID); ok && run != nil {
			shown := a.Digest.DescribeRun(r, run)
			list[i].LastRun = &shown
		}
	}
	return nil
}

// reportResponse returns the response of a report, or err.
func (a *API) reportResponse(ctx context.Context, r *earshot.ScheduledReport, err error) (scheduledReport, error) {
	if err != nil {
		return scheduledReport{}, err
	}
	shown := []scheduledReport{a.newScheduledReport(r)}
	err = a.addLastRuns(ctx, shown)
	return shown[0], err
}

// addReport serves POST /manage/v1/reports.
func (a *API) addReport(ctx context.Context, c *earshot.Caller, p struct {
	Body struct {
		Team       earshot.TeamID        `json:"team"`
		Name       string                `json:"name"`
		Monitors   []earshot.MonitorID   `json:"monitors"`
		Dashboards []earshot.DashboardID `json:"dashboards"`
		Filter     string                `json:"filter"`
		Cron       string                `json:"cron"`
		Timezone   string                `json:"timezone"`
		Range      card.RollingRange     `json:"range"`
		PDF        bool                  `json:"pdf"`
		XLSX       bool                  `json:"xlsx"`
		Channels   []earshot.ChannelID   `json:"channels"`
		Disabled   bool                  `json:"disabled"`
	} `body:"json"`
}) (response rest.Created[scheduledReport], err error) {
	b := p.Body
	if b.Team == 0 {
		return response, earshot.InvalidBody("team is missing")
	}
	if err := a.checkReportFilter(ctx, c, b.Filter, b.Monitors); err != nil {
		return response, err
	}
	return toCreated(a.newScheduledReport)(a.Digest.Add(ctx, c, earshot.ScheduledReport{
		Team: b.Team, Name: b.Name, Monitors: b.Monitors, Dashboards: b.Dashboards, Filter: b.Filter, Cron: b.Cron, Timezone: b.Timezone,
		Range: string(b.Range), PDF: b.PDF, XLSX: b.XLSX, Channels: b.Channels, Disabled: b.Disabled,
	}))
}

// checkReportFilter returns an error unless the filter is valid for every monitor that exists.
func (a *API) checkReportFilter(ctx context.Context, c *earshot.Caller, text string, monitors []earshot.MonitorID) error {
	if text == "" {
		return nil
	}
	if err := filter.Check(text); err != nil {
		return earshot.InvalidBody("filter: %v", err)
	}
	for _, id := range monitors[:min(len(monitors), earshot.MaxReportParts)] {
		if a.Cards.IsRemoved(id) {
			continue
		}
		if err := a.checkQuery(ctx, c, postsQuery{monitorPath: monitorPath{ID: id}, Filter: text}); err != nil {
			return err
		}
	}
	return nil
}

// showReport serves GET /manage/v1/reports/{id}.
func (a *API) showReport(ctx context.Context, c *earshot.Caller, p reportPath) (scheduledReport, error) {
	r, err := a.Digest.Find(c, p.ID)
	return a.reportResponse(ctx, r, err)
}

// editReport serves PATCH /manage/v1/reports/{id}.
func (a *API) editReport(ctx context.Context, c *earshot.Caller, p struct {
	reportPath
	Body struct {
		Team       *earshot.TeamID        `json:"team"`
		Name       *string                `json:"name"`
		Monitors   *[]earshot.MonitorID   `json:"monitors"`
		Dashboards *[]earshot.DashboardID `json:"dashboards"`
		Filter     *string                `json:"filter"`
		Cron       *string                `json:"cron"`
		Timezone   *string                `json:"timezone"`
		Range      *card.RollingRange     `json:"range"`
		PDF        *bool                  `json:"pdf"`
		XLSX       *bool                  `json:"xlsx"`
		Channels   *[]earshot.ChannelID   `json:"channels"`
		Disabled   *bool                  `json:"disabled"`
		Revision   *int64                 `json:"revision"`
	} `body:"json"`
}) (response scheduledReport, err error) {
	r, err := a.Digest.Find(c, p.ID)
	if err != nil {
		return response, err
	}
	b := p.Body
	if b.Team != nil && *b.Team != r.Team {
		return response, earshot.InvalidBody("team cannot be changed; create a new report instead")
	}
	if b.Filter != nil || b.Monitors != nil {
		filter, monitors := r.Filter, r.Monitors
		if b.Filter != nil {
			filter = *b.Filter
		}
		if b.Monitors != nil {
			monitors = *b.Monitors
		}
		if err := a.checkReportFilter(ctx, c, filter, monitors); err != nil {
			return response, err
		}
	}
	r, err = a.Digest.Edit(ctx, c, p.ID, digest.Changes{
		Name: b.Name, Monitors: b.Monitors, Dashboards: b.Dashboards, Filter: b.Filter, Cron: b.Cron, Timezone: b.Timezone, Range: (*string)(b.Range),
		PDF: b.PDF, XLSX: b.XLSX, Channels: b.Channels, Disabled: b.Disabled, Edits: b.Revision,
	})
	return a.reportResponse(ctx, r, err)
}

// removeReport serves DELETE /manage/v1/reports/{id}.
func (a *API) removeReport(ctx context.Context, c *earshot.Caller, p reportPath) (rest.NoContent, error) {
	return rest.NoContent{}, a.Digest.Remove(ctx, c, p.ID)
}

// A timetable describes a schedule.
type timetable struct {
	Cron     string      `json:"cron"`
	Schedule string      `json:"schedule"` // in words
	Next     []time.Time `json:"next"`
}

// showSchedule serves POST /manage/v1/reports/schedule: what a cron expression means. It changes
// nothing.
func (a *API) showSchedule(_ context.Context, _ *earshot.Caller, p struct {
	Body struct {
		Cron     string `json:"cron"`
		Timezone string `json:"timezone"`
	} `body:"json"`
}) (timetable, error) {
	t, err := a.Digest.Timetable(p.Body.Cron, p.Body.Timezone)
	return timetable{p.Body.Cron, t.Words, t.Next}, err
}
