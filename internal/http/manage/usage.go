package manage

import (
	"context"

	"earshot"
)

// A usageResponse is what of the contract is used. A limit of 0 is none.
type usageResponse struct {
	Queries   queryUsage    `json:"queries"`
	Documents documentUsage `json:"documents"`
}

// queryUsage counts the analysis queries of the contract's year.
type queryUsage struct {
	Used        int64        `json:"used"`
	Limit       int64        `json:"limit"`
	PeriodStart earshot.Date `json:"periodStart"`
}

// documentUsage counts the documents uploaded in the last 24 hours.
type documentUsage struct {
	Today int64 `json:"today"`
	Limit int64 `json:"limit"`
}

// showUsage tells what of the contract is used, which is one for all teams.
func (a *API) showUsage(ctx context.Context, _ *earshot.Caller, _ struct{}) (usageResponse, error) {
	queries, err := a.Analysis.Usage(ctx)
	if err != nil {
		return usageResponse{}, err
	}
	documents, err := a.Content.Usage(ctx)
	return usageResponse{
		Queries:   queryUsage{queries.Used, queries.Contracted, queries.Period.Start},
		Documents: documentUsage{documents.Used, documents.Contracted},
	}, err
}
