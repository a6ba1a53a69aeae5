package manage

import (
	"context"
	"slices"

	"earshot"
	"earshot/internal/filter"
	"earshot/internal/http/rest"
	"earshot/internal/insight"
	"earshot/internal/jsonvalue"
)

type compareParams struct {
	Body compareBody `body:"json"`
}

// ResponseMemory implements [rest.Weighted].
func (p compareParams) ResponseMemory() (bytes int64) {
	for _, row := range p.Body.Rows[:min(len(p.Body.Rows), insight.MaxCompareRows)] {
		bytes += dayParams{row.Start, row.End, row.Range}.ResponseMemory()
	}
	return max(rest.LongResponse, bytes)
}

type compareBody struct {
	Rows    []compareRow          `json:"rows"`
	Earlier earlierPeriod         `json:"earlier"`
	Parts   []insight.ComparePart `json:"parts"` // empty: all
}

// A compareRow selects the posts of a row.
type compareRow struct {
	Label   string            `json:"label"`
	Monitor earshot.MonitorID `json:"monitor"`
	Filter  string            `json:"filter"`
	Start   earshot.Date      `json:"start"`
	End     earshot.Date      `json:"end"`
	Range   rollingRange      `json:"range"`
}

// An earlierPeriod is the period of the same length that each row is compared with: one of the
// constants, or a date, which is its first day.
type earlierPeriod string

const (
	noPeriod       earlierPeriod = "none"
	previousPeriod earlierPeriod = "previous" // the same number of days before
	previousYear   earlierPeriod = "year"     // the same weekdays a year before
)

// daysPerYear is 52 weeks, so that the days of two years have the same weekdays.
const daysPerYear = 364

// days returns the earlier period of some days, or nil.
func (e earlierPeriod) days(days earshot.Days) (*earshot.Days, error) {
	start := days.Start
	switch e {
	case "", noPeriod:
		return nil, nil
	case previousPeriod:
		start = start.AddDays(-days.Len())
	case previousYear:
		start = start.AddDays(-daysPerYear)
	default:
		var err error
		if start, err = earshot.ParseDate(string(e)); err != nil {
			return nil, earshot.InvalidBody("earlier must be none, previous, year or a date like 2026-03-01")
		}
	}
	return &earshot.Days{Start: start, End: start.AddDays(days.Len())}, nil
}

type comparison struct {
	Rows []comparedRow `json:"rows"`
}

// A comparedRow contains the metrics of a row. Start and End are the requested days that have results.
// Share is the share of voice among all rows with the same requested days. Impressions are
// null if they are unknown.
type comparedRow struct {
	Label         string             `json:"label"`
	Monitor       overviewMonitor    `json:"monitor"`
	Filter        string             `json:"filter"`
	Requested     dateRange          `json:"requested"`
	Start         earshot.Date       `json:"start"`
	End           earshot.Date       `json:"end"`
	Coverage      float64            `json:"coverage"`
	Ongoing       bool               `json:"ongoing"`
	Partial       bool               `json:"partial"`
	Posts         int64              `json:"posts"`
	Share         float64            `json:"share"`
	Earlier       *earlierPosts      `json:"earlier"`
	Authors       int64              `json:"authors"`
	Impressions   *int64             `json:"impressions"`
	Engagement    int64              `json:"engagement"`
	Days          []dayPosts         `json:"days"`
	Categories    []overviewCategory `json:"categories"`
	Emotions      []overviewEmotion  `json:"emotions"`
	NeedsTraining string             `json:"untaught"`
	Sources       []nameCount        `json:"sources"`
	Languages     []idCount          `json:"languages"`
	Hashtags      []nameCount        `json:"hashtags"`
	Located       int64              `json:"located"`
	Countries     []idCount          `json:"countries"`
	Genders       []groupCount       `json:"genders"`
	Ages          []groupCount       `json:"ages"`
	Topics        []comparedTopic    `json:"topics"`
	Estimated     bool               `json:"estimated"`
	Separating    drivers            `json:"separating"`
}

// earlierPosts is the earlier period of a row. Change is the relative change of posts per day, or
// null if there were none.
type earlierPosts struct {
	coveredPeriod
	Posts  int64      `json:"posts"`
	Change *float64   `json:"change"`
	Days   []dayPosts `json:"days"`
}

type dayPosts struct {
	Date  earshot.Date `json:"date"`
	Posts int64        `json:"posts"`
}

type comparedTopic struct {
	Name   string   `json:"name"`
	Terms  []string `json:"terms"`
	Filter string   `json:"filter"`
	Posts  int64    `json:"posts"`
}

// compare serves POST /manage/v1/compare. It changes nothing; the body states what to compare.
func (a *API) compare(ctx context.Context, c *earshot.Caller, p compareParams) (response comparison, err error) {
	if n := len(p.Body.Rows); n < 1 || n > insight.MaxCompareRows {
		return response, earshot.InvalidBody("rows must have 1 to %d entries, not %d", insight.MaxCompareRows, n)
	}
	parts := p.Body.Parts
	if len(parts) == 0 {
		parts = insight.CompareParts
	}
	for _, part := range parts {
		if !slices.Contains(insight.CompareParts, part) {
			return response, earshot.InvalidBody("parts must contain only totals, counts, topics and separating, not '%s'", part)
		}
	}
	rows := make([]insight.CompareRow, len(p.Body.Rows))
	for i, row := range p.Body.Rows {
		if rows[i], err = a.compareRow(c, row, p.Body.Earlier); err != nil {
			return response, err
		}
	}
	found, err := a.Insight.Compare(ctx, rows, parts...)
	if err != nil {
		return response, err
	}
	response.Rows = make([]comparedRow, len(found))
	for i := range found {
		response.Rows[i] = newComparedRow(p.Body.Rows[i], rows[i], &found[i], a.results(rows[i].Monitor))
	}
	return response, nil
}

// compareRow resolves a row.
func (a *API) compareRow(c *earshot.Caller, row compareRow, earlier earlierPeriod) (insight.CompareRow, error) {
	m, err := a.Monitors.Find(c, row.Monitor)
	if err != nil {
		return insight.CompareRow{}, err
	}
	days, err := dayParams{row.Start, row.End, row.Range}.days(m, a.Now())
	if err != nil {
		return insight.CompareRow{}, err
	}
	before, err := earlier.days(days)
	if err != nil {
		return insight.CompareRow{}, err
	}
	refinement := a.Filters.Refinement(c, m, row.Filter)
	return insight.CompareRow{
		Monitor: m, Before: before,
		ReportRequest: insight.ReportRequest{Days: days, Filter: refinement.Key(), Refine: refinement.Selection},
	}, nil
}

func newComparedRow(asked compareRow, row insight.CompareRow, r *insight.ComparedRow, results earshot.Days) comparedRow {
	m := row.Monitor
	o := newOverview(m, r.Overview, results)
	shown := comparedRow{
		Label: asked.Label, Monitor: o.Monitor, Filter: asked.Filter, Requested: dateRange(row.Days), Start: o.Start, End: o.End,
		Coverage: round4(r.Coverage), Ongoing: r.Ongoing, Partial: r.IsPartial(), Posts: r.Posts, Share: round4(r.Share),
		Authors: o.Authors.Count, Impressions: o.Authors.Impressions, Engagement: r.Reactions,
		Days:       jsonvalue.Map(o.Days, func(d overviewDay) dayPosts { return dayPosts{d.Date, d.Posts} }),
		Categories: o.Categories, Emotions: o.Emotions, NeedsTraining: o.NeedsTraining,
		Sources: o.Sources, Languages: o.Languages, Hashtags: o.Hashtags, Located: o.Places.Located, Countries: o.Places.Countries,
		Genders: o.Genders, Ages: o.Ages,
		Topics: jsonvalue.Map(r.Topics, func(t insight.TopicDetail) comparedTopic {
			return comparedTopic{t.Name(), t.Terms, filter.Keywords.Is(t.Query), t.Posts}
		}),
		Estimated: r.Estimated, Separating: newDrivers(m, &r.Separating),
	}
	if asked.Label == "" {
		shown.Label = m.Name
	}
	if e := r.Earlier; e != nil {
		shown.Earlier = &earlierPosts{
			coveredPeriod: *newCoveredPeriod(e.Days, e.Coverage), Posts: e.Posts,
			Days: jsonvalue.Map(e.ByDay, func(d insight.DayCount) dayPosts { return dayPosts{d.Day, d.Posts} }),
		}
		if e.Change != nil {
			change := round4(*e.Change)
			shown.Earlier.Change = &change
		}
	}
	return shown
}
