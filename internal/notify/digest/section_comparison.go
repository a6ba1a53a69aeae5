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
	shown := report.Table{Columns: []report.Column{
		{Name: "Row"}, {Name: "Posts", Kind: report.NumberColumn}, {Name: "Change"}, {Name: "Share of voice", Kind: report.ShareColumn}, {Name: "Authors", Kind: report.BigColumn},
		{Name: "Reach", Kind: report.BigColumn}, {Name: "Engagement", Kind: report.BigColumn}, {Name: "Dates"},
	}}
	s := report.Section{Data: report.Table{
		Chart: report.SheetChart{Kind: report.BarChart, Columns: []int{1}},
		Columns: []report.Column{
			{Name: "Row"}, {Name: "Posts", Kind: report.NumberColumn}, {Name: "Earlier posts", Kind: report.NumberColumn}, {Name: "Change per day", Kind: report.ShareColumn},
			{Name: "Share of voice", Kind: report.ShareColumn}, {Name: "Authors", Kind: report.NumberColumn}, {Name: "Reach", Kind: report.NumberColumn},
			{Name: "Engagement", Kind: report.NumberColumn}, {Name: "From", Kind: report.DateColumn}, {Name: "To", Kind: report.DateColumn},
		},
	}}
	sentiment := report.Table{Name: "sentiment", Columns: []report.Column{
		{Name: "Row"}, {Name: "Label"}, {Name: "Posts", Kind: report.NumberColumn}, {Name: "Share", Kind: report.ShareColumn}, {Name: "Low", Kind: report.ShareColumn}, {Name: "High", Kind: report.ShareColumn},
	}}
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
		data := []any{r.Label, r.Posts, nil, nil, row[3], r.Authors, row[5], r.Engagement, nil, nil}
		if days := (earshot.Days{Start: r.Start, End: r.End}); days.Len() > 0 {
			row[7] = format.DateRange(days)
			data[8], data[9] = days.Start, days.End.AddDays(-1)
		}
		if r.Earlier != nil {
			if data[2] = r.Earlier.Posts; r.Earlier.Change != nil {
				data[3] = *r.Earlier.Change
			}
		}
		shown.Rows = append(shown.Rows, row)
		s.Data.Rows = append(s.Data.Rows, data)
		for _, c := range r.Categories {
			if !c.Hidden {
				sentiment.Rows = append(sentiment.Rows, append([]any{r.Label, shortCategory(c.Name), c.Posts}, estimateCells(c.Estimate)...))
			}
		}
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
	s.Blocks = []report.Block{shown, chart}
	s.More = []report.Table{daysTable(&chart)}
	if len(sentiment.Rows) > 0 {
		s.More = append(s.More, sentiment)
	}
	return s
}

// daysTable returns the posts of each row over time.
func daysTable(chart *report.TimeChart) report.Table {
	t := report.Table{Name: "by day", Columns: []report.Column{{Name: "Day"}}, Chart: report.SheetChart{Kind: report.LineChart}}
	for i, label := range chart.Labels {
		t.Rows = append(t.Rows, []any{label})
		for _, series := range chart.Series {
			var cell any
			if i < len(series.Values) {
				cell = int64(series.Values[i])
			}
			t.Rows[i] = append(t.Rows[i], cell)
		}
	}
	for i, series := range chart.Series {
		t.Columns = append(t.Columns, report.Column{Name: series.Name, Kind: report.NumberColumn})
		t.Chart.Columns = append(t.Chart.Columns, i+1)
	}
	return t
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
