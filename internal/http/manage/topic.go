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

// showChanges serves GET /manage/v1/monitors/{id}/changes, for monitors and filters.
func (a *API) showChanges(ctx context.Context, c *earshot.Caller, p longQuery) (card.ChangesResponse, error) {
	return a.Cards.Changes(ctx, c, p.query())
}
