package demo

import (
	"context"

	"earshot"
)

// DashboardName is the name of the dashboard of the demo.
const DashboardName = Brand + " weekly"

// addDashboard adds the dashboard unless it exists.
func (w World) addDashboard(ctx context.Context, c *earshot.Caller, team *earshot.Team) error {
	if len(w.Dashboards.List(c, team.ID)) > 0 {
		return nil
	}
	ids := map[string]earshot.MonitorID{}
	for _, m := range w.Monitors.List(c, team.ID) {
		ids[m.Name] = m.ID
	}
	brand := ids[Brand]
	_, err := w.Dashboards.Add(ctx, c, earshot.Dashboard{Team: team.ID, Name: DashboardName, Range: "lastweek", Cards: []earshot.Card{
		{Kind: earshot.FiguresCard, Monitor: brand, Width: 4},
		{Kind: earshot.VolumeCard, Monitor: brand, Width: 2},
		{Kind: earshot.ComparisonCard, Title: Brand + " and its competitors", Width: 2, Earlier: "previous", Rows: []earshot.CardRow{
			{Label: Brand, Monitor: brand}, {Label: FirstRival, Monitor: ids[FirstRival]}, {Label: SecondRival, Monitor: ids[SecondRival]},
		}},
		{Kind: earshot.SentimentCard, Monitor: brand, Width: 2},
		{Kind: earshot.PostsCard, Monitor: brand, Filter: "sentiment:negative", Sort: "engagement", Title: "Complaints that people see", Width: 2},
		{Kind: earshot.SentimentCard, Monitor: ids[Reasons], Title: "Why people choose a machine", Width: 2},
		{Kind: earshot.TopicsCard, Monitor: brand, Width: 2},
		{Kind: earshot.SourcesCard, Monitor: brand, Width: 1},
		{Kind: earshot.LanguagesCard, Monitor: brand, Width: 1},
		{Kind: earshot.TextCard, Title: "Before the meeting", Width: 2,
			Text: "Read why the volume changed before you report it: choose an unusual day in the chart.\nCompare shares of voice over whole weeks only."},
	}})
	return err
}
