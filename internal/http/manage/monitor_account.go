package manage

import (
	"context"

	"earshot"
	"earshot/internal/workspace/card"
)

type accountParams struct {
	monitorPath
	dayParams
	Limit *int `query:"limit"` // of posts
}

// showAccount serves GET /manage/v1/monitors/{id}/account, for SOCIAL monitors and their filters.
func (a *API) showAccount(ctx context.Context, c *earshot.Caller, p accountParams) (card.AccountResponse, error) {
	limit, err := parseLimit(p.Limit, defaultPosts, maxPosts)
	if err != nil {
		return card.AccountResponse{}, err
	}
	return a.Cards.Account(ctx, c, p.ID, p.period(), limit)
}
