package manage

import (
	"context"
	"errors"
	"time"

	"earshot"
	"earshot/internal/http/rest"
	"earshot/internal/insight"
	"earshot/internal/jsonvalue"
	"earshot/internal/query/filter"
	"earshot/internal/workspace/card"
	"earshot/internal/workspace/postview"
)

type explanationParams struct {
	monitorPath
	Start  localTime         `query:"start"`
	End    localTime         `query:"end"` // exclusive
	Range  card.RollingRange `query:"range"`
	Filter string            `query:"filter"`
}

// ResponseMemory implements [rest.Weighted].
func (explanationParams) ResponseMemory() int64 { return rest.LongResponse }

// A localTime is a day or a time of day in the time zone of a monitor, such as 2026-03-10 or
// 2026-03-10T14:00:00.
type localTime struct {
	day   earshot.Date
	clock time.Duration // since midnight, as clocks show
	isDay bool
}

// UnmarshalText implements [encoding.TextUnmarshaler].
func (t *localTime) UnmarshalText(text []byte) error {
	at, err := time.Parse("2006-01-02T15:04:05", string(text))
	if t.isDay = err != nil; t.isDay {
		at, err = time.Parse(time.DateOnly, string(text))
	}
	if err != nil {
		return errors.New("a day like 2026-03-10 or a time like 2026-03-10T14:00:00")
	}
	t.day = earshot.DateOf(at)
	t.clock = at.Sub(at.Truncate(24 * time.Hour))
	return nil
}

// in returns the time in a time zone.
func (t localTime) in(loc *time.Location) time.Time {
	if t.isDay {
		return t.day.Start(loc)
	}
	return time.Date(t.day.Year, t.day.Month, t.day.Day, 0, 0, int(t.clock.Seconds()), 0, loc)
}

// period returns the period of the request. It has one day or one hour by default.
func (p explanationParams) period(m *earshot.Monitor, now time.Time) (from, to time.Time, err error) {
	loc := m.Location()
	if p.Range != "" {
		if p.Start != (localTime{}) || p.End != (localTime{}) {
			return from, to, earshot.InvalidParameter("range", string(p.Range), "must be omitted if start or end is set")
		}
		days := p.Range.Days(earshot.DateOf(now.In(loc)))
		return days.Start.Start(loc), days.End.Start(loc), nil
	}
	if p.Start == (localTime{}) {
		return from, to, earshot.Errorf(earshot.Invalid, "Required String parameter 'start' is not present")
	}
	from, to = p.Start.in(loc), p.End.in(loc)
	switch {
	case !p.End.day.IsZero():
	case p.Start.isDay:
		to = p.Start.day.AddDays(1).Start(loc)
	default:
		to = from.Add(time.Hour)
	}
	if !from.Before(to) {
		return from, to, earshot.InvalidParameter("end", to.Format("2006-01-02T15:04:05"), "a time after start")
	}
	return from, to, nil
}

// An explanation says why the number of posts changed. Posts of stories are null if the period has
// none.
type explanation struct {
	From      time.Time          `json:"from"`
	To        time.Time          `json:"to"`
	Posts     int64              `json:"posts"`
	Expected  *card.Expectation  `json:"expected"`
	Baseline  []insight.Baseline `json:"baseline"`
	Step      earshot.Grouping   `json:"step"`
	Steps     []explainedStep    `json:"steps"`
	Change    insight.Change     `json:"change"`
	Cause     insight.Cause      `json:"cause"`
	Explained float64            `json:"explained"`
	Stories   []story            `json:"stories"`
	Estimated bool               `json:"estimated"`
	card.Drivers
}

// An explainedStep is an hour or a day of the period. Expected is null if it is unknown.
type explainedStep struct {
	card.HourPosts
	Expected *float64 `json:"expected"`
}

func newExplainedStep(s insight.ExplainedStep) explainedStep {
	shown := explainedStep{HourPosts: card.HourPosts{Time: s.Start, Posts: s.Posts}}
	if s.Expected != nil {
		expected := jsonvalue.Round1(*s.Expected)
		shown.Expected = &expected
	}
	return shown
}

type story struct {
	Name     string                    `json:"name"`
	Terms    []string                  `json:"terms"`
	Filter   string                    `json:"filter"`
	Posts    int64                     `json:"posts"`
	Expected float64                   `json:"expected"`
	Share    float64                   `json:"share"`
	Links    []linkCount               `json:"links"`
	Hours    []card.HourPosts          `json:"hours"`
	Earliest *postview.HighlightedPost `json:"earliest"`
	Top      *postview.HighlightedPost `json:"top"`
}

// A linkCount is a link of posts. Filter selects them.
type linkCount struct {
	Name   string `json:"name"`
	Posts  int64  `json:"posts"`
	Filter string `json:"filter"`
}

// showExplanation serves GET /manage/v1/monitors/{id}/explanation, for monitors and filters.
func (a *API) showExplanation(ctx context.Context, c *earshot.Caller, p explanationParams) (response explanation, err error) {
	m, err := a.Monitors.Find(c, p.ID)
	if err != nil {
		return response, err
	}
	from, to, err := p.period(m, a.Now())
	if err != nil {
		return response, err
	}
	refinement := a.Filters.Refinement(c, m, p.Filter)
	found, err := a.Insight.Explain(ctx, m, insight.ExplainRequest{From: from, To: to, Filter: refinement.Key(), Refine: refinement.Selection})
	if err != nil {
		return response, err
	}
	err = a.Insight.WithCategorization(ctx, m, func(categorization insight.Categorization) error {
		response = newExplanation(m, found, a.Posts.NewRenderer(postview.Options{Monitor: m, Categorization: categorization, Excerpts: true, Marks: card.SeesMarks(c)}))
		return nil
	})
	return response, err
}

func newExplanation(m *earshot.Monitor, e *insight.Explanation, r *postview.Renderer) explanation {
	shown := explanation{
		From: e.From, To: e.To, Posts: e.Posts, Change: e.Change, Cause: e.Cause, Explained: jsonvalue.Round4(e.Explained), Estimated: e.Estimated,
		Baseline: e.Baseline, Step: earshot.Daily, Steps: jsonvalue.Map(e.Steps, newExplainedStep),
		Stories: jsonvalue.Map(e.Stories, func(s insight.Story) story { return newStory(&s, r) }),
		Drivers: card.NewDrivers(m, &e.Drivers),
	}
	if e.Hourly {
		shown.Step = earshot.Hourly
	}
	if e.Expected != nil {
		expected := card.NewExpectation(*e.Expected)
		shown.Expected = &expected
	}
	return shown
}

func newStory(s *insight.Story, r *postview.Renderer) story {
	shown := story{
		Name: s.Name(), Terms: s.Terms, Filter: filter.Keywords.Is(s.Query), Posts: s.Posts, Expected: jsonvalue.Round1(s.Expected), Share: jsonvalue.Round4(s.Share),
		Links: jsonvalue.Map(s.Links, func(c insight.Count) linkCount { return linkCount{c.Name, c.Posts, filter.Link(c.Name)} }),
		Hours: jsonvalue.Map(s.Hours, func(h insight.HourCount) card.HourPosts { return card.HourPosts(h) }),
	}
	for _, p := range []struct {
		found *earshot.Post
		shown **postview.HighlightedPost
	}{{s.Earliest, &shown.Earliest}, {s.Top, &shown.Top}} {
		if p.found != nil {
			post := *p.found // rendering may replace its contents, and the explanation is cached
			*p.shown = r.Highlight(&post)
		}
	}
	return shown
}
