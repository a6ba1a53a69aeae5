package manage

import (
	"context"

	"earshot"
	"earshot/internal/workspace/card"
)

// showProportions serves /manage/v1/monitors/{id}/proportions, for monitors and filters.
func (a *API) showProportions(ctx context.Context, c *earshot.Caller, p struct {
	monitorPath
	dayParams
}) (card.ProportionsResponse, error) {
	return a.Cards.Proportions(ctx, c, card.Query{Monitor: p.ID, Period: p.period()})
}
