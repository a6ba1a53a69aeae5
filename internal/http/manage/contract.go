package manage

import (
	"context"

	"earshot"
)

type contract struct {
	DocumentsPerDay int64        `json:"documentsPerDay"`
	QueriesPerYear  int64        `json:"queriesPerYear"`
	PeriodStart     earshot.Date `json:"periodStart,omitzero"`
}

func (a *API) showContract(ctx context.Context, _ *earshot.Caller, _ struct{}) (contract, error) {
	c, err := a.Contract.Contract(ctx)
	return contract(c), err
}

// setContract replaces the contract. 0 means that nothing is limited.
func (a *API) setContract(ctx context.Context, _ *earshot.Caller, p struct {
	Body contract `body:"json"`
}) (contract, error) {
	if p.Body.DocumentsPerDay < 0 || p.Body.QueriesPerYear < 0 {
		return contract{}, earshot.InvalidBody("documentsPerDay and queriesPerYear must be 0 (no limit) or more")
	}
	return p.Body, a.Contract.SetContract(ctx, earshot.Contract(p.Body))
}
