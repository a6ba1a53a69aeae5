package digest

import (
	"cmp"
	"math"
	"strings"

	"earshot/internal/jsonvalue"
	"earshot/internal/report"
	"earshot/internal/report/format"
	"earshot/internal/workspace/card"
)

// A breakdown is a set of categories or emotions with their posts on each day or hour.
type breakdown struct {
	list   []card.OverviewCategory
	counts func(steps *timeSteps, i int) []int64
	shares func(day *card.DayIntervals) []card.ShareInterval // estimates; nil if shares are counted
	colors map[string]string
	daily  bool // has no hours
	banded bool // draws the intervals of estimates
	note   string

	needsTraining string // why there is nothing to show; empty if there is
}

func sentimentBreakdown(o *card.Overview) breakdown {
	b := breakdown{list: o.Categories, colors: sentimentColors, daily: o.Estimated, banded: true, needsTraining: o.NeedsTraining,
		counts: func(t *timeSteps, i int) []int64 {
			if t.unit == byHour {
				return t.o.Hours[i].Categories
			}
			return t.o.Days[i].Categories
		}}
	b.estimate(o, o.Labels, func(day *card.DayIntervals) []card.ShareInterval { return day.Categories })
	if o.Estimated {
		b.note = "Estimated shares, excluding hidden categories, with 95% intervals."
	}
	return b
}

func emotionBreakdown(o *card.Overview) breakdown {
	b := breakdown{colors: emotionColors,
		list: jsonvalue.Map(o.Emotions, func(e card.OverviewEmotion) card.OverviewCategory {
			return card.OverviewCategory{ID: e.ID, Name: e.Name, Posts: e.Posts, Estimate: e.Estimate}
		}),
		counts: func(t *timeSteps, i int) []int64 {
			if t.unit == byHour {
				return t.o.Hours[i].Emotions
			}
			return t.o.Days[i].Emotions
		}}
	b.estimate(o, o.EmotionLabels, func(day *card.DayIntervals) []card.ShareInterval { return day.Emotions })
	return b
}

// estimate uses estimated shares if the overview has them. They are of whole days. labels is the number of
// labels that calibrate them.
func (b *breakdown) estimate(o *card.Overview, labels int, shares func(day *card.DayIntervals) []card.ShareInterval) {
	if len(o.Intervals) > 0 && len(shares(&o.Intervals[0])) > 0 {
		b.shares, b.daily = shares, true
		b.note = "Estimated shares, not calibrated for this monitor, with 95% intervals."
		if labels > 0 {
			b.note = "Shares calibrated with " + format.Plural(int64(labels), "labeled post", "labeled posts") + ", with 95% intervals."
		}
		b.note += " Counts show each post under its most likely label."
	}
}

// stepShare returns the estimated share of a category among the posts of a step. Over several days,
// the shares and bounds are means: errors of a model repeat every day, so they do not cancel out.
func (b *breakdown) stepShare(o *card.Overview, step timeStep, category int) (s card.ShareInterval) {
	posts, visible := 0.0, 0.0
	for day := step.from; day < step.to; day++ {
		n := float64(o.Days[day].Posts)
		posts += n
		for i, e := range b.shares(&o.Intervals[day]) {
			if !b.list[i].Hidden {
				visible += n * e.Share
			}
			if i == category {
				s.Share, s.Low, s.High = s.Share+n*e.Share, s.Low+n*e.Low, s.High+n*e.High
			}
		}
	}
	if posts == 0 || visible == 0 {
		return card.ShareInterval{}
	}
	return card.ShareInterval{Share: s.Share / visible, Interval: card.Interval{Low: s.Low / visible, High: min(1, s.High/visible)}}
}

// Colors of the web app: web/src/lib/color.ts.
var (
	sentimentColors = map[string]string{"positive": "#35a873", "neutral": "#b3bcc9", "negative": "#dc6257"}
	emotionColors   = map[string]string{
		"anger": "#cf4b3e", "fear": "#7d63b8", "disgust": "#7c9440", "joy": "#e3a92f", "surprise": "#df7bb0", "sadness": "#4f7fc4", "neutral": "#b3bcc9",
	}
)

func sentimentSection(o *card.Overview) report.Section {
	return breakdownSection(o, sentimentBreakdown(o))
}

func emotionsSection(o *card.Overview) report.Section {
	return breakdownSection(o, emotionBreakdown(o))
}

// breakdownSection shows the categories or emotions of posts over time, and their totals.
func breakdownSection(o *card.Overview, b breakdown) report.Section {
	if b.needsTraining != "" {
		return report.Section{Blocks: []report.Block{report.Note(b.needsTraining)}}
	}
	steps := newSteps(o)
	if steps.unit == byHour && (b.daily || len(b.counts(steps, 0)) == 0) {
		steps = newStepsBy(o, byDay)
	}
	// As in the web app, shares with intervals are lines with bands. The bands of seven emotions would hide
	// each other.
	chart := report.TimeChart{Kind: report.TimeAreas, Stacked: true, Shares: true}
	if b.shares != nil && b.banded {
		chart.Kind, chart.Stacked = report.TimeLines, false
	}
	s := report.Section{Note: b.note, Data: report.Table{Columns: []report.Column{steps.column()}}}
	for _, step := range steps.list {
		chart.Labels = append(chart.Labels, step.label)
		s.Data.Rows = append(s.Data.Rows, []any{step.value})
	}
	totals := make([]int64, len(steps.list))
	var bars report.Bars
	for i, c := range b.list {
		if c.Hidden {
			continue
		}
		name := shortCategory(c.Name)
		color := cmp.Or(b.colors[strings.ToLower(name)], report.SeriesColor(len(bars)))
		series := report.Series{Name: name, Color: color}
		for k, step := range steps.list {
			n := steps.sum(step, func(at int) int64 { return countAt(b.counts(steps, at), i) })
			series.Values = append(series.Values, float64(n))
			totals[k] += n
			s.Data.Rows[k] = append(s.Data.Rows[k], n)
		}
		chart.Series = append(chart.Series, series)
		bar := report.Bar{Name: name, Value: c.Share, Text: format.Number(c.Posts), Note: percentOf(c.Estimate), Color: color}
		if c.Interval != nil {
			bar.Low, bar.High = c.Interval.Low, c.Interval.High
		}
		bars = append(bars, bar)
		s.Data.Columns = append(s.Data.Columns, report.Column{Name: name, Kind: report.NumberColumn})
	}
	for i, series := range chart.Series {
		s.Data.Chart.Columns = append(s.Data.Chart.Columns, i+1)
		s.Data.Chart.Colors = append(s.Data.Chart.Colors, series.Color)
	}
	s.Data.Chart.Kind = report.LineChart
	s.More = []report.Table{b.totals()}
	s.Blocks = []report.Block{chart, bars}
	if b.shares != nil {
		b.addShares(o, steps, &chart, &s.Data)
		return s
	}
	for _, series := range chart.Series {
		for k := range series.Values {
			if totals[k] > 0 {
				series.Values[k] /= float64(totals[k])
			}
		}
	}
	return s
}

// totals returns the posts and the share of each category or emotion.
func (b *breakdown) totals() report.Table {
	t := report.Table{Name: "totals", Chart: report.SheetChart{Kind: report.BarChart, Columns: []int{2}}, Columns: []report.Column{
		{Name: "Label"}, {Name: "Posts", Kind: report.NumberColumn}, {Name: "Share", Kind: report.ShareColumn},
		{Name: "Low", Kind: report.ShareColumn}, {Name: "High", Kind: report.ShareColumn},
		{Name: "Minus", Kind: report.ShareColumn}, {Name: "Plus", Kind: report.ShareColumn}, // Excel draws intervals from distances
	}}
	for _, c := range b.list {
		if c.Hidden {
			continue
		}
		row := append([]any{shortCategory(c.Name), c.Posts}, estimateCells(c.Estimate)...)
		if c.Interval != nil {
			t.Chart.Minus, t.Chart.Plus = 5, 6
			row = append(row, max(0, c.Share-c.Interval.Low), max(0, c.Interval.High-c.Share))
		}
		t.Rows = append(t.Rows, row)
	}
	return t
}

// addShares sets the values of a chart to estimated shares, and adds them to a table.
func (b *breakdown) addShares(o *card.Overview, steps *timeSteps, chart *report.TimeChart, data *report.Table) {
	shown := 0
	data.Chart.Columns = nil
	for i, c := range b.list {
		if c.Hidden {
			continue
		}
		name := shortCategory(c.Name)
		data.Chart.Columns = append(data.Chart.Columns, len(data.Columns))
		for _, column := range []string{name + " share", name + " low", name + " high"} {
			data.Columns = append(data.Columns, report.Column{Name: column, Kind: report.ShareColumn})
		}
		for k, step := range steps.list {
			s := b.stepShare(o, step, i)
			series := &chart.Series[shown]
			if series.Values[k] = s.Share; b.banded {
				if s == (card.ShareInterval{}) {
					series.Values[k] = math.NaN() // no posts
				}
				series.Low, series.High = append(series.Low, s.Low), append(series.High, s.High)
			}
			data.Rows[k] = append(data.Rows[k], s.Share, s.Low, s.High)
		}
		shown++
	}
}

// percentOf formats a share, with its interval if it is an estimate.
func percentOf(e card.Estimate) string {
	if e.Interval == nil {
		return format.Percent(e.Share)
	}
	return format.PercentInterval(e.Share, e.Interval.Low, e.Interval.High)
}

func countAt(counts []int64, i int) int64 {
	if i >= len(counts) {
		return 0
	}
	return counts[i]
}
