package manage

import (
	"context"

	"earshot"
	"earshot/internal/workspace/card"
)

// Default and maximum number of topics.
const (
	defaultTopics = 10
	maxTopics     = 30
)

type topicsParams struct {
	longQuery
	Limit *int `query:"limit"`
}

// showTopics serves GET /manage/v1/monitors/{id}/topics, for monitors and filters.
func (a *API) showTopics(ctx context.Context, c *earshot.Caller, p topicsParams) (response card.TopicsResponse, err error) {
	limit, err := parseLimit(p.Limit, defaultTopics, maxTopics)
	if err != nil {
		return response, err
	}
	return a.Cards.Topics(ctx, c, p.query(), limit)
}

// A changesResponse covers the days that have results. Start and End are empty if there are none.
type changesResponse struct {
	Start     earshot.Date        `json:"start"`
	End       earshot.Date        `json:"end"`
	Previous  *card.CoveredPeriod `json:"previous"`
	Estimated bool                `json:"estimated"`
	card.Drivers
}

// showChanges serves GET /manage/v1/monitors/{id}/changes, for monitors and filters.
func (a *API) showChanges(ctx context.Context, c *earshot.Caller, p longQuery) (response changesResponse, err error) {
	m, r, err := a.Cards.ReportRequest(c, p.query())
	if err != nil {
		return response, err
	}
	found, err := a.Insight.WordChanges(ctx, m, r)
	if err != nil {
		return response, err
	}
	return changesResponse{
		Start: found.Days.Start, End: found.Days.End, Previous: card.NewCoveredPeriod(found.Previous, found.Coverage),
		Estimated: found.Estimated, Drivers: card.NewDrivers(m, &found.Drivers),
	}, nil
}
