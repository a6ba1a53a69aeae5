package card

import (
	"context"
	"time"

	"earshot"
	"earshot/internal/insight"
	"earshot/internal/jsonvalue"
	"earshot/internal/query/filter"
	"earshot/internal/workspace/postview"
)

// A TopicsResponse covers the days that have results. Start and End are empty if there are none.
type TopicsResponse struct {
	Start    earshot.Date     `json:"start"`
	End      earshot.Date     `json:"end"`
	Previous *CoveredPeriod   `json:"previous"`
	Posts    int64            `json:"posts"`
	About    int64            `json:"about"`
	Step     earshot.Grouping `json:"step"`
	Steps    []time.Time      `json:"steps"`
	Topics   []Topic          `json:"topics"`
}

// A CoveredPeriod is the part of a period that has results. Coverage is its share of the period.
type CoveredPeriod struct {
	DateRange
	Coverage float64 `json:"coverage"`
}

type Topic struct {
	Name      string                      `json:"name"`
	Terms     []string                    `json:"terms"`
	Filter    string                      `json:"filter"`
	Posts     int64                       `json:"posts"`
	Share     float64                     `json:"share"`
	Previous  *int64                      `json:"previous"`
	Steps     []int64                     `json:"steps"`
	Sentiment []TopicSentiment            `json:"sentiment"`
	Examples  []*postview.HighlightedPost `json:"examples"`
}

type TopicSentiment struct {
	ID    earshot.CategoryID `json:"id"`
	Name  string             `json:"name"`
	Posts int64              `json:"posts"`
}

// Topics returns the largest topics of a monitor or filter to a caller.
func (s *Service) Topics(ctx context.Context, c *earshot.Caller, q Query, limit int) (response TopicsResponse, err error) {
	m, r, err := s.reportRequest(c, q)
	if err != nil {
		return response, err
	}
	found, err := s.Insight.ReportTopics(ctx, m, r, limit)
	if err != nil {
		return response, err
	}
	response = TopicsResponse{
		Start: found.Days.Start, End: found.Days.End, Previous: newCoveredPeriod(found.Previous, found.Coverage),
		Posts: found.Posts, About: found.About, Step: earshot.Daily, Steps: jsonvalue.OrEmpty(found.Steps),
	}
	if found.Hourly {
		response.Step = earshot.Hourly
	}
	err = s.Insight.WithCategorization(ctx, m, func(categorization insight.Categorization) error {
		renderer := s.Views.NewRenderer(postview.Options{Monitor: m, Categorization: categorization, Excerpts: true, Marks: SeesMarks(c)})
		response.Topics = jsonvalue.Map(found.Topics, func(t insight.TopicDetail) Topic { return newTopic(m, found, &t, renderer) })
		return nil
	})
	return response, err
}

// reportRequest returns the monitor or filter and the request for a report.
func (s *Service) reportRequest(c *earshot.Caller, q Query) (*earshot.Monitor, insight.ReportRequest, error) {
	m, days, err := s.Find(c, q)
	if err != nil {
		return nil, insight.ReportRequest{}, err
	}
	refinement := s.Filters.Refinement(c, m, q.Filter)
	return m, insight.ReportRequest{Days: days, Filter: refinement.Key(), Refine: refinement.Selection}, nil
}

// newCoveredPeriod returns nil if none of the period is covered.
func newCoveredPeriod(days earshot.Days, coverage float64) *CoveredPeriod {
	if coverage == 0 {
		return nil
	}
	return &CoveredPeriod{DateRange{days.Start, days.End}, jsonvalue.Round4(coverage)}
}

func newTopic(m *earshot.Monitor, r *insight.TopicReport, t *insight.TopicDetail, renderer *postview.Renderer) Topic {
	shown := Topic{
		Name: t.Name(), Terms: t.Terms, Filter: filter.Keywords.Is(t.Query), Posts: t.Posts, Steps: t.Steps,
		Sentiment: []TopicSentiment{}, Examples: []*postview.HighlightedPost{},
	}
	if r.Posts > 0 {
		shown.Share = jsonvalue.Round4(float64(t.Posts) / float64(r.Posts))
	}
	if r.Coverage > 0 {
		shown.Previous = &t.Previous
	}
	if m.HasBasicCategories() {
		for i, c := range m.Categories {
			shown.Sentiment = append(shown.Sentiment, TopicSentiment{c.ID, c.Name, t.Sentiments[i]})
		}
	}
	for _, p := range t.Examples { // a copy, because rendering may replace its contents
		shown.Examples = append(shown.Examples, renderer.Highlight(&p))
	}
	return shown
}

// A ChangesResponse covers the days that have results. Start and End are empty if there are none.
type ChangesResponse struct {
	Start     earshot.Date   `json:"start"`
	End       earshot.Date   `json:"end"`
	Previous  *CoveredPeriod `json:"previous"`
	Estimated bool           `json:"estimated"`
	Drivers
}

// Changes returns which words and other properties of posts changed to a caller.
func (s *Service) Changes(ctx context.Context, c *earshot.Caller, q Query) (response ChangesResponse, err error) {
	m, r, err := s.reportRequest(c, q)
	if err != nil {
		return response, err
	}
	found, err := s.Insight.WordChanges(ctx, m, r)
	if err != nil {
		return response, err
	}
	return ChangesResponse{
		Start: found.Days.Start, End: found.Days.End, Previous: newCoveredPeriod(found.Previous, found.Coverage),
		Estimated: found.Estimated, Drivers: newDrivers(m, &found.Drivers),
	}, nil
}
