package manage

import (
	"context"
	"time"

	"earshot"
	"earshot/internal/filter"
	"earshot/internal/http/rest"
	"earshot/internal/insight"
	"earshot/internal/jsonvalue"
	"earshot/internal/postview"
)

// Default and maximum number of topics.
const (
	defaultTopics = 10
	maxTopics     = 30
)

type topicsParams struct {
	postsQuery
	Limit *int `query:"limit"`
}

// ResponseMemory implements [rest.Weighted].
func (p topicsParams) ResponseMemory() int64 {
	return max(rest.LongResponse, p.dayParams.ResponseMemory())
}

// A topicsResponse covers the days that have results. Start and End are empty if there are none.
type topicsResponse struct {
	Start    earshot.Date     `json:"start"`
	End      earshot.Date     `json:"end"`
	Previous *coveredPeriod   `json:"previous"`
	Posts    int64            `json:"posts"`
	About    int64            `json:"about"`
	Step     earshot.Grouping `json:"step"`
	Steps    []time.Time      `json:"steps"`
	Topics   []topic          `json:"topics"`
}

// A coveredPeriod is the part of a period that has results. Coverage is its share of the period.
type coveredPeriod struct {
	dateRange
	Coverage float64 `json:"coverage"`
}

type topic struct {
	Name      string                      `json:"name"`
	Terms     []string                    `json:"terms"`
	Filter    string                      `json:"filter"`
	Posts     int64                       `json:"posts"`
	Share     float64                     `json:"share"`
	Previous  *int64                      `json:"previous"`
	Steps     []int64                     `json:"steps"`
	Sentiment []topicSentiment            `json:"sentiment"`
	Examples  []*postview.HighlightedPost `json:"examples"`
}

type topicSentiment struct {
	ID    earshot.CategoryID `json:"id"`
	Name  string             `json:"name"`
	Posts int64              `json:"posts"`
}

// showTopics serves GET /manage/v1/monitors/{id}/topics, for monitors and filters.
func (a *API) showTopics(ctx context.Context, c *earshot.Caller, p topicsParams) (response topicsResponse, err error) {
	limit, err := parseLimit(p.Limit, defaultTopics, maxTopics)
	if err != nil {
		return response, err
	}
	m, r, err := p.report(a, c)
	if err != nil {
		return response, err
	}
	found, err := a.Insight.ReportTopics(ctx, m, r, limit)
	if err != nil {
		return response, err
	}
	response = topicsResponse{
		Start: found.Days.Start, End: found.Days.End, Previous: newCoveredPeriod(found.Previous, found.Coverage),
		Posts: found.Posts, About: found.About, Step: earshot.Daily, Steps: jsonvalue.OrEmpty(found.Steps),
	}
	if found.Hourly {
		response.Step = earshot.Hourly
	}
	err = a.Insight.WithCategorization(ctx, m, func(categorization insight.Categorization) error {
		renderer := a.Posts.NewRenderer(postview.Options{Monitor: m, Categorization: categorization, Excerpts: true, Marks: seesMarks(c)})
		response.Topics = jsonvalue.Map(found.Topics, func(t insight.TopicDetail) topic { return newTopic(m, found, &t, renderer) })
		return nil
	})
	return response, err
}

// report returns the monitor or filter and the request for a report.
func (p postsQuery) report(a *API, c *earshot.Caller) (*earshot.Monitor, insight.ReportRequest, error) {
	m, days, err := p.find(a, c)
	if err != nil {
		return nil, insight.ReportRequest{}, err
	}
	refinement := a.Filters.Refinement(c, m, p.Filter)
	return m, insight.ReportRequest{Days: days, Filter: refinement.Key(), Refine: refinement.Selection}, nil
}

// newCoveredPeriod returns nil if none of the period is covered.
func newCoveredPeriod(days earshot.Days, coverage float64) *coveredPeriod {
	if coverage == 0 {
		return nil
	}
	return &coveredPeriod{dateRange{days.Start, days.End}, round4(coverage)}
}

func newTopic(m *earshot.Monitor, r *insight.TopicReport, t *insight.TopicDetail, renderer *postview.Renderer) topic {
	shown := topic{
		Name: t.Name(), Terms: t.Terms, Filter: filter.Keywords.Is(t.Query), Posts: t.Posts, Steps: t.Steps,
		Sentiment: []topicSentiment{}, Examples: []*postview.HighlightedPost{},
	}
	if r.Posts > 0 {
		shown.Share = round4(float64(t.Posts) / float64(r.Posts))
	}
	if r.Coverage > 0 {
		shown.Previous = &t.Previous
	}
	if m.HasBasicCategories() {
		for i, c := range m.Categories {
			shown.Sentiment = append(shown.Sentiment, topicSentiment{c.ID, c.Name, t.Sentiments[i]})
		}
	}
	for _, p := range t.Examples { // a copy, because rendering may replace its contents
		shown.Examples = append(shown.Examples, renderer.Highlight(&p))
	}
	return shown
}

type changesParams struct{ postsQuery }

// ResponseMemory implements [rest.Weighted].
func (p changesParams) ResponseMemory() int64 {
	return max(rest.LongResponse, p.dayParams.ResponseMemory())
}

// A changesResponse covers the days that have results. Start and End are empty if there are none.
type changesResponse struct {
	Start     earshot.Date   `json:"start"`
	End       earshot.Date   `json:"end"`
	Previous  *coveredPeriod `json:"previous"`
	Estimated bool           `json:"estimated"`
	drivers
}

// showChanges serves GET /manage/v1/monitors/{id}/changes, for monitors and filters.
func (a *API) showChanges(ctx context.Context, c *earshot.Caller, p changesParams) (response changesResponse, err error) {
	m, r, err := p.report(a, c)
	if err != nil {
		return response, err
	}
	found, err := a.Insight.WordChanges(ctx, m, r)
	if err != nil {
		return response, err
	}
	return changesResponse{
		Start: found.Days.Start, End: found.Days.End, Previous: newCoveredPeriod(found.Previous, found.Coverage),
		Estimated: found.Estimated, drivers: newDrivers(m, &found.Drivers),
	}, nil
}
