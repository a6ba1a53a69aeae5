package card

import (
	"context"
	"slices"

	"earshot"
	"earshot/internal/insight"
	"earshot/internal/jsonvalue"
	"earshot/internal/query/filter"
)

// A CompareRequest says what to compare: 1 to [insight.MaxCompareRows] rows.
type CompareRequest struct {
	Rows    []CompareRow          `json:"rows"`
	Earlier EarlierPeriod         `json:"earlier"`
	Parts   []insight.ComparePart `json:"parts"` // empty: all
}

// A CompareRow selects the posts of a row.
type CompareRow struct {
	Label   string            `json:"label"`
	Monitor earshot.MonitorID `json:"monitor"`
	Filter  string            `json:"filter"`
	Start   earshot.Date      `json:"start"`
	End     earshot.Date      `json:"end"`
	Range   RollingRange      `json:"range"`
}

// An EarlierPeriod is the period of the same length that each row is compared with: one of the
// constants, or a date, which is its first day.
type EarlierPeriod string

const (
	noPeriod       EarlierPeriod = "none"
	previousPeriod EarlierPeriod = "previous" // the same number of days before
	previousYear   EarlierPeriod = "year"     // the same weekdays a year before
)

// daysPerYear is 52 weeks, so that the days of two years have the same weekdays.
const daysPerYear = 364

// days returns the earlier period of some days, or nil.
func (e EarlierPeriod) days(days earshot.Days) (*earshot.Days, error) {
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

// A Comparison has the metrics of each row of a request.
type Comparison struct {
	Rows []ComparedRow `json:"rows"`
}

// A ComparedRow contains the metrics of a row. Start and End are the requested days that have results.
// Share is the share of voice among all rows with the same requested days. Impressions are
// null if they are unknown.
type ComparedRow struct {
	Label         string             `json:"label"`
	Monitor       OverviewMonitor    `json:"monitor"`
	Filter        string             `json:"filter"`
	Requested     DateRange          `json:"requested"`
	Start         earshot.Date       `json:"start"`
	End           earshot.Date       `json:"end"`
	Coverage      float64            `json:"coverage"`
	Ongoing       bool               `json:"ongoing"`
	Partial       bool               `json:"partial"`
	Posts         int64              `json:"posts"`
	Share         float64            `json:"share"`
	Earlier       *EarlierPosts      `json:"earlier"`
	Authors       int64              `json:"authors"`
	Impressions   *int64             `json:"impressions"`
	Engagement    int64              `json:"engagement"`
	Days          []DayPosts         `json:"days"`
	Categories    []OverviewCategory `json:"categories"`
	Emotions      []OverviewEmotion  `json:"emotions"`
	Labels        int                `json:"labels"` // of these posts, that calibrate the shares of categories
	EmotionLabels int                `json:"emotionLabels"`
	NeedsTraining string             `json:"needsTraining" old:"untaught"`
	Sources       []NameCount        `json:"sources"`
	Languages     []IDCount          `json:"languages"`
	Hashtags      []NameCount        `json:"hashtags"`
	Located       int64              `json:"located"`
	Countries     []IDCount          `json:"countries"`
	Genders       []GroupCount       `json:"genders"`
	Ages          []GroupCount       `json:"ages"`
	Topics        []ComparedTopic    `json:"topics"`
	Estimated     bool               `json:"estimated"`
	Separating    Drivers            `json:"separating"`
}

// EarlierPosts is the earlier period of a row. Change is the relative change of posts per day, or
// null if there were none.
type EarlierPosts struct {
	CoveredPeriod
	Posts  int64      `json:"posts"`
	Change *float64   `json:"change"`
	Days   []DayPosts `json:"days"`
}

type DayPosts struct {
	Date  earshot.Date `json:"date"`
	Posts int64        `json:"posts"`
}

type ComparedTopic struct {
	Name   string   `json:"name"`
	Terms  []string `json:"terms"`
	Filter string   `json:"filter"`
	Posts  int64    `json:"posts"`
}

// Compare returns the metrics of several monitors, filters or periods to a caller.
func (s *Service) Compare(ctx context.Context, c *earshot.Caller, body CompareRequest) (response Comparison, err error) {
	if n := len(body.Rows); n < 1 || n > insight.MaxCompareRows {
		return response, earshot.InvalidBody("rows must have 1 to %d entries, not %d", insight.MaxCompareRows, n)
	}
	parts := body.Parts
	if len(parts) == 0 {
		parts = insight.CompareParts
	}
	for _, part := range parts {
		if !slices.Contains(insight.CompareParts, part) {
			return response, earshot.InvalidBody("parts must contain only totals, counts, topics and separating, not '%s'", part)
		}
	}
	rows := make([]insight.CompareRow, len(body.Rows))
	for i, row := range body.Rows {
		if rows[i], err = s.compareRow(c, row, body.Earlier); err != nil {
			return response, err
		}
	}
	found, err := s.Insight.Compare(ctx, rows, parts...)
	if err != nil {
		return response, err
	}
	response.Rows = make([]ComparedRow, len(found))
	for i := range found {
		response.Rows[i] = newComparedRow(body.Rows[i], rows[i], &found[i], s.ResultDays(rows[i].Monitor))
	}
	return response, nil
}

// compareRow resolves a row.
func (s *Service) compareRow(c *earshot.Caller, row CompareRow, earlier EarlierPeriod) (insight.CompareRow, error) {
	m, err := s.Monitors.Find(c, row.Monitor)
	if err != nil {
		return insight.CompareRow{}, err
	}
	days, err := Period{row.Start, row.End, row.Range}.Days(m, s.Now())
	if err != nil {
		return insight.CompareRow{}, err
	}
	before, err := earlier.days(days)
	if err != nil {
		return insight.CompareRow{}, err
	}
	refinement := s.Filters.Refinement(c, m, row.Filter)
	return insight.CompareRow{
		Monitor: m, Before: before,
		ReportRequest: insight.ReportRequest{Days: days, Filter: refinement.Key(), Refine: refinement.Selection},
	}, nil
}

func newComparedRow(asked CompareRow, row insight.CompareRow, r *insight.ComparedRow, results earshot.Days) ComparedRow {
	m := row.Monitor
	o := newOverview(m, r.Overview, results)
	shown := ComparedRow{
		Label: asked.Label, Monitor: o.Monitor, Filter: asked.Filter, Requested: DateRange(row.Days), Start: o.Start, End: o.End,
		Coverage: jsonvalue.Round4(r.Coverage), Ongoing: r.Ongoing, Partial: r.IsPartial(), Posts: r.Posts, Share: jsonvalue.Round4(r.Share),
		Authors: o.Authors.Count, Impressions: o.Authors.Impressions, Engagement: r.Reactions,
		Days:       jsonvalue.Map(o.Days, func(d OverviewDay) DayPosts { return DayPosts{d.Date, d.Posts} }),
		Categories: o.Categories, Emotions: o.Emotions, Labels: r.Labels, EmotionLabels: r.EmotionLabels, NeedsTraining: o.NeedsTraining,
		Sources: o.Sources, Languages: o.Languages, Hashtags: o.Hashtags, Located: o.Places.Located, Countries: o.Places.Countries,
		Genders: o.Genders, Ages: o.Ages,
		Topics: jsonvalue.Map(r.Topics, func(t insight.TopicDetail) ComparedTopic {
			return ComparedTopic{t.Name(), t.Terms, filter.Keywords.Is(t.Query), t.Posts}
		}),
		Estimated: r.Estimated, Separating: newDrivers(m, &r.Separating),
	}
	if asked.Label == "" {
		shown.Label = m.Name
	}
	if e := r.Earlier; e != nil {
		shown.Earlier = &EarlierPosts{
			CoveredPeriod: *newCoveredPeriod(e.Days, e.Coverage), Posts: e.Posts,
			Days: jsonvalue.Map(e.ByDay, func(d insight.DayCount) DayPosts { return DayPosts{d.Day, d.Posts} }),
		}
		if e.Change != nil {
			change := jsonvalue.Round4(*e.Change)
			shown.Earlier.Change = &change
		}
	}
	return shown
}
