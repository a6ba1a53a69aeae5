package digest

import (
	"fmt"

	"earshot"
	"earshot/internal/report"
	"earshot/internal/report/format"
	"earshot/internal/workspace/card"
)

// comparisonSection shows the totals of each row, and their posts over time.
func comparisonSection(c *card.Comparison) report.Section {
	s := report.Section{Data: report.Table{Columns: []report.Column{
		{Name: "Row"}, {Name: "Posts", Kind: report.NumberColumn}, {Name: "Change"}, {Name: "Share of voice", Kind: report.ShareColumn}, {Name: "Authors", Kind: report.NumberColumn},
		{Name: "Reach", Kind: report.NumberColumn}, {Name: "Engagement", Kind: report.NumberColumn}, {Name: "Dates"},
	}}}
	chart := report.TimeChart{Kind: report.TimeLines}
	longest, sameDays, skipped := 0, true, emptyDays(c.Rows)
	for i, r := range c.Rows {
		row := []any{r.Label, r.Posts, changeOf(r), nil, r.Authors, nil, r.Engagement, "No results"}
		if hasShare(r, c.Rows) {
			row[3] = r.Share
		}
		if r.Impressions != nil {
			row[5] = *r.Impressions
		}
		if days := (earshot.Days{Start: r.Start, End: r.End}); days.Len() > 0 {
			row[7] = format.DateRange(days)
		}
		s.Data.Rows = append(s.Data.Rows, row)
		series := report.Series{Name: r.Label, Color: report.SeriesColor(i)}
		if len(r.Days) > 0 {
			series.Values = make([]float64, r.Requested.Start.DaysUntil(r.Start)-skipped)
		}
		for _, d := range r.Days {
			series.Values = append(series.Values, float64(d.Posts))
		}
		chart.Series = append(chart.Series, series)
		longest = max(longest, len(series.Values))
		sameDays = sameDays && r.Requested == c.Rows[0].Requested
	}
	for i := range longest {
		label := fmt.Sprintf("Day %d", skipped+i+1)
		if sameDays {
			label = format.MonthDay(c.Rows[0].Requested.Start.AddDays(skipped + i))
		}
		chart.Labels = append(chart.Labels, label)
	}
	if !sameDays {
		s.Note = "Periods are aligned by their first day."
	}
	s.Blocks = []report.Block{s.Data, chart}
	return s
}

// changeOf formats the change from the earlier period, per day if the periods have different numbers
// of days with results.
func changeOf(r card.ComparedRow) string {
	now := earshot.Days{Start: r.Start, End: r.End}.Len()
	if r.Earlier == nil || now <= 0 {
		return "–"
	}
	before := earshot.Days{Start: r.Earlier.Start, End: r.Earlier.End}.Len()
	if before <= 0 {
		return "–"
	}
	change := format.Change(float64(r.Posts)/float64(now), float64(r.Earlier.Posts)/float64(before))
	if now != before {
		change += " per day"
	}
	return change
}

// emptyDays returns the number of days at the beginning of the periods on which no row has results.
func emptyDays(rows []card.ComparedRow) int {
	least := -1
	for _, r := range rows {
		if n := r.Requested.Start.DaysUntil(r.Start); len(r.Days) > 0 && (least < 0 || n < least) {
			least = n
		}
	}
	return max(least, 0)
}

// hasShare reports whether other rows have the same dates, so that there is a share of voice.
func hasShare(r card.ComparedRow, rows []card.ComparedRow) bool {
	same := 0
	for _, other := range rows {
		if other.Requested == r.Requested {
			same++
		}
	}
	return same > 1
}
