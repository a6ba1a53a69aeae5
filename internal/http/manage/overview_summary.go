package manage

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strconv"
	"strings"

	"earshot"
	"earshot/internal/ingest/rematch"
	"earshot/internal/insight"
	"earshot/internal/jsonvalue"
	"earshot/internal/patch"
	"earshot/internal/workspace/card"
)

type summaryParams struct {
	Days *int           `query:"days"`
	Team earshot.TeamID `query:"team"`
}

type summaryResponse struct {
	Days  int           `json:"days"`
	Items []summaryItem `json:"items"`
}

// A summaryItem summarizes one monitor. Start and End are empty if none of the days has results.
// Spark contains the number of posts on each day, beginning with Start.
type summaryItem struct {
	ID            earshot.MonitorID   `json:"id"`
	Name          string              `json:"name"`
	Type          earshot.MonitorType `json:"type"`
	Team          earshot.TeamID      `json:"team"`
	Enabled       bool                `json:"enabled"`
	Timezone      string              `json:"timezone"`
	Tags          []string            `json:"tags"`
	Start         earshot.Date        `json:"start"`
	End           earshot.Date        `json:"end"`
	Posts         int64               `json:"posts"`
	Previous      *int64              `json:"previous"`
	Spark         []int64             `json:"spark"`
	Spikes        []card.UnusualDay   `json:"spikes"`
	Firing        int                 `json:"firing"` // signals of the monitor and its filters
	Categories    []summaryCategory   `json:"categories"`
	Progress      *progress           `json:"progress"`
	Labels        int                 `json:"labels"` // of these posts, that calibrate the shares of sentiments
	NeedsTraining string              `json:"needsTraining" old:"untaught"`
	Error         string              `json:"error,omitempty"` // why there are no metrics
}

type summaryCategory struct {
	ID     earshot.CategoryID `json:"id"`
	Name   string             `json:"name"`
	Hidden bool               `json:"hidden"`
	Posts  int64              `json:"posts"`
	card.Estimate
}

// Default and maximum number of days in a summary.
const (
	defaultSummaryDays = 30
	maxSummaryDays     = 400
)

// showSummary serves /manage/v1/summary: the monitors that the caller may see, sorted by name.
func (a *API) showSummary(ctx context.Context, c *earshot.Caller, p summaryParams) (summaryResponse, error) {
	response := summaryResponse{Days: defaultSummaryDays, Items: []summaryItem{}}
	patch.Set(&response.Days, p.Days)
	if response.Days < 1 || response.Days > maxSummaryDays {
		return response, earshot.InvalidParameter("days", strconv.Itoa(response.Days), "a whole number from 1 to 400")
	}
	if p.Team != 0 {
		if _, err := a.Accounts.FindTeam(c, p.Team); err != nil {
			return response, err
		}
	}
	firing := a.Signals.Firing(c)
	for _, m := range a.Monitors.List(c, p.Team) {
		item, err := a.summary(ctx, m, response.Days)
		if err != nil {
			return response, err
		}
		item.Firing = firing[m.ID]
		response.Items = append(response.Items, item)
	}
	slices.SortFunc(response.Items, func(x, y summaryItem) int {
		return cmp.Or(strings.Compare(strings.ToLower(x.Name), strings.ToLower(y.Name)), cmp.Compare(x.ID, y.ID))
	})
	return response, nil
}

// summary summarizes the last days of a monitor, through today. If its posts cannot be counted, the
// item contains the error, so that the other monitors are still shown.
func (a *API) summary(ctx context.Context, m *earshot.Monitor, days int) (summaryItem, error) {
	tomorrow := earshot.DateOf(a.Now().In(m.Location())).AddDays(1)
	found, err := a.Insight.Summary(ctx, m, earshot.Days{Start: tomorrow.AddDays(-days), End: tomorrow})
	if ctx.Err() != nil {
		return summaryItem{}, ctx.Err()
	}
	why := ""
	if err != nil {
		found, why = &insight.Summary{}, a.summaryError(m, err)
	}
	item := summaryItem{
		ID: m.ID, Name: m.Name, Type: m.Type, Team: m.Team, Enabled: m.Enabled, Timezone: m.Timezone, Tags: jsonvalue.OrEmpty(m.Tags),
		Start: found.Days.Start, End: found.Days.End, Posts: found.Posts, Spark: jsonvalue.OrEmpty(found.ByDay), Spikes: jsonvalue.Map(found.Spikes, card.NewUnusualDay),
		Categories: jsonvalue.Map(found.Categories, newSummaryCategory), Labels: found.Labels, NeedsTraining: found.NeedsTraining, Error: why,
	}
	if found.Previous != nil {
		item.Previous = &found.Previous.Posts
	}
	if p := a.Rematch.Progress(m.ID); p.State != rematch.Idle && p.State != rematch.Done {
		shown := newProgress(p)
		item.Progress = &shown
	}
	return item, nil
}

// summaryError returns the message for a monitor whose posts cannot be counted. It logs errors that
// the caller must not see.
func (a *API) summaryError(m *earshot.Monitor, err error) string {
	var visible *earshot.Error
	if errors.As(err, &visible) {
		return visible.Message
	}
	a.Log.Error("cannot summarize monitor", "monitor", m.ID, "error", err)
	return "Internal error"
}

func newSummaryCategory(t insight.CategoryTotal) summaryCategory {
	return summaryCategory{t.Category.ID, t.Category.Name, t.Category.Hidden, t.Posts, card.NewEstimate(t)}
}
