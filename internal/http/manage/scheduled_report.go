package manage

import (
	"context"
	"slices"

	"earshot"
	"earshot/internal/http/rest"
	"earshot/internal/notify/digest"
	"earshot/internal/query/filter"
)

type reportPath = idPath[earshot.ReportID]

// listReports serves GET /manage/v1/reports.
func (a *API) listReports(ctx context.Context, c *earshot.Caller, p teamPage) (response page[digest.ReportInfo], err error) {
	shown, err := paginate(p.pageParams, a.Digest.List(c, p.Team), func(r *earshot.ScheduledReport) int64 { return int64(r.ID) },
		func(r *earshot.ScheduledReport) *earshot.ScheduledReport { return r })
	if err != nil {
		return response, err
	}
	items, err := a.Digest.Describe(ctx, shown.Items...)
	return page[digest.ReportInfo]{Items: items, Next: shown.Next}, err
}

// reportResponse returns the response of a report, or err.
func (a *API) reportResponse(ctx context.Context, r *earshot.ScheduledReport, err error) (digest.ReportInfo, error) {
	if err != nil {
		return digest.ReportInfo{}, err
	}
	shown, err := a.Digest.Describe(ctx, r)
	if err != nil {
		return digest.ReportInfo{}, err
	}
	return shown[0], nil
}

// addReport serves POST /manage/v1/reports.
func (a *API) addReport(ctx context.Context, c *earshot.Caller, p struct {
	Body struct {
		Team earshot.TeamID `json:"team"`
		digest.Changes
	} `body:"json"`
}) (response rest.Created[digest.ReportInfo], err error) {
	b := p.Body
	if b.Team == 0 {
		return response, earshot.InvalidBody("team is missing")
	}
	r := earshot.ScheduledReport{Team: b.Team}
	if b.Client == nil {
		r.Client = a.Digest.DefaultClient(b.Team)
	}
	if err := b.Apply(&r); err != nil {
		return response, err
	}
	if err := a.checkReport(ctx, c, &r, nil); err != nil {
		return response, err
	}
	added, err := a.Digest.Add(ctx, c, r)
	response.Value, err = a.reportResponse(ctx, added, err)
	return response, err
}

// checkReport returns an error unless the cards are valid, and the filter for every monitor that exists.
func (a *API) checkReport(ctx context.Context, c *earshot.Caller, r *earshot.ScheduledReport, before []earshot.Card) error {
	if err := a.Dashboards.CheckCards(r.Team, r.Cards, before); err != nil || r.Filter == "" {
		return err
	}
	if err := filter.Check(r.Filter); err != nil {
		return earshot.InvalidBody("filter: %v", err)
	}
	monitors := slices.Concat(r.Monitors, r.Compare)
	for _, id := range monitors[:min(len(monitors), earshot.MaxReportParts)] {
		if a.Cards.IsRemoved(id) {
			continue
		}
		if err := a.checkQuery(ctx, c, postsQuery{monitorPath: monitorPath{ID: id}, Filter: r.Filter}); err != nil {
			return err
		}
	}
	return nil
}

// showReport serves GET /manage/v1/reports/{id}.
func (a *API) showReport(ctx context.Context, c *earshot.Caller, p reportPath) (digest.ReportInfo, error) {
	r, err := a.Digest.Find(c, p.ID)
	return a.reportResponse(ctx, r, err)
}

// editReport serves PATCH /manage/v1/reports/{id}.
func (a *API) editReport(ctx context.Context, c *earshot.Caller, p struct {
	reportPath
	Body struct {
		Team *earshot.TeamID `json:"team"`
		digest.Changes
		Revision *int64 `json:"revision"`
	} `body:"json"`
}) (response digest.ReportInfo, err error) {
	r, err := a.Digest.Find(c, p.ID)
	if err != nil {
		return response, err
	}
	b := p.Body
	if b.Team != nil && *b.Team != r.Team {
		return response, earshot.InvalidBody("team cannot be changed; create a new report instead")
	}
	if b.Filter != nil || b.Monitors != nil || b.Compare != nil || b.Cards != nil {
		after := *r
		if err := b.Apply(&after); err != nil {
			return response, err
		}
		if err := a.checkReport(ctx, c, &after, r.Cards); err != nil {
			return response, err
		}
	}
	b.Edits = b.Revision
	r, err = a.Digest.Edit(ctx, c, p.ID, b.Changes)
	return a.reportResponse(ctx, r, err)
}

// showSchedule serves POST /manage/v1/reports/schedule: what a cron expression means. It changes
// nothing.
func (a *API) showSchedule(_ context.Context, _ *earshot.Caller, p struct {
	Body struct {
		Cron     string `json:"cron"`
		Timezone string `json:"timezone"`
	} `body:"json"`
}) (digest.Timetable, error) {
	return a.Digest.Timetable(p.Body.Cron, p.Body.Timezone)
}
