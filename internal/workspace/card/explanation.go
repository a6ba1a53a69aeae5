package card

import (
	"context"
	"time"

	"earshot"
	"earshot/internal/insight"
	"earshot/internal/jsonvalue"
	"earshot/internal/query/filter"
	"earshot/internal/workspace/incident"
	"earshot/internal/workspace/postview"
)

// An Explanation says why the number of posts changed. Posts of stories are null if the period has
// none.
type Explanation struct {
	From      time.Time             `json:"from"`
	To        time.Time             `json:"to"`
	Posts     int64                 `json:"posts"`
	Expected  *incident.Expectation `json:"expected"`
	Baseline  []insight.Baseline    `json:"baseline"`
	Step      earshot.Grouping      `json:"step"`
	Steps     []ExplainedStep       `json:"steps"`
	Change    insight.Change        `json:"change"`
	Cause     insight.Cause         `json:"cause"`
	Explained float64               `json:"explained"`
	Stories   []Story               `json:"stories"`
	Estimated bool                  `json:"estimated"`
	Drivers
}

// An ExplainedStep is an hour or a day of the period. Expected is null if it is unknown.
type ExplainedStep struct {
	HourPosts
	Expected *float64 `json:"expected"`
}

func newExplainedStep(s insight.ExplainedStep) ExplainedStep {
	shown := ExplainedStep{HourPosts: HourPosts{Time: s.Start, Posts: s.Posts}}
	if s.Expected != nil {
		expected := jsonvalue.Round1(*s.Expected)
		shown.Expected = &expected
	}
	return shown
}

// A Story is a subject of many posts of the period.
type Story struct {
	Name     string                    `json:"name"`
	Terms    []string                  `json:"terms"`
	Filter   string                    `json:"filter"`
	Posts    int64                     `json:"posts"`
	Expected float64                   `json:"expected"`
	Share    float64                   `json:"share"`
	Links    []LinkCount               `json:"links"`
	Hours    []HourPosts               `json:"hours"`
	Earliest *postview.HighlightedPost `json:"earliest"`
	Top      *postview.HighlightedPost `json:"top"`
}

// A LinkCount is a link of posts. Filter selects them.
type LinkCount struct {
	Name   string `json:"name"`
	Posts  int64  `json:"posts"`
	Filter string `json:"filter"`
}

// Explain explains the number of posts of a monitor or filter in a period to a caller.
func (s *Service) Explain(ctx context.Context, c *earshot.Caller, m *earshot.Monitor, from, to time.Time, filter string) (response Explanation, err error) {
	refinement := s.Filters.Refinement(c, m, filter)
	found, err := s.Insight.Explain(ctx, m, insight.ExplainRequest{From: from, To: to, Filter: refinement.Key(), Refine: refinement.Selection})
	if err != nil {
		return response, err
	}
	err = s.Insight.WithCategorization(ctx, m, func(categorization insight.Categorization) error {
		response = newExplanation(m, found, s.Views.NewRenderer(postview.Options{Monitor: m, Categorization: categorization, Excerpts: true, Marks: SeesMarks(c)}))
		return nil
	})
	return response, err
}

func newExplanation(m *earshot.Monitor, e *insight.Explanation, r *postview.Renderer) Explanation {
	shown := Explanation{
		From: e.From, To: e.To, Posts: e.Posts, Change: e.Change, Cause: e.Cause, Explained: jsonvalue.Round4(e.Explained), Estimated: e.Estimated,
		Baseline: e.Baseline, Step: earshot.Daily, Steps: jsonvalue.Map(e.Steps, newExplainedStep),
		Stories: jsonvalue.Map(e.Stories, func(s insight.Story) Story { return newStory(&s, r) }),
		Drivers: newDrivers(m, &e.Drivers),
	}
	if e.Hourly {
		shown.Step = earshot.Hourly
	}
	if e.Expected != nil {
		expected := incident.NewExpectation(*e.Expected)
		shown.Expected = &expected
	}
	return shown
}

func newStory(of *insight.Story, r *postview.Renderer) Story {
	shown := Story{
		Name: of.Name(), Terms: of.Terms, Filter: filter.Keywords.Is(of.Query), Posts: of.Posts, Expected: jsonvalue.Round1(of.Expected), Share: jsonvalue.Round4(of.Share),
		Links: jsonvalue.Map(of.Links, func(c insight.Count) LinkCount { return LinkCount{c.Name, c.Posts, filter.Link(c.Name)} }),
		Hours: jsonvalue.Map(of.Hours, func(h insight.HourCount) HourPosts { return HourPosts(h) }),
	}
	for _, p := range []struct {
		found *earshot.Post
		shown **postview.HighlightedPost
	}{{of.Earliest, &shown.Earliest}, {of.Top, &shown.Top}} {
		if p.found != nil {
			post := *p.found // rendering may replace its contents, and the Explanation is cached
			*p.shown = r.Highlight(&post)
		}
	}
	return shown
}
