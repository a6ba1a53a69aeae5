package manage

import (
	"context"

	"earshot"
	"earshot/internal/http/rest"
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

// A usageResponse is how much of the contract is used. A limit of 0 is none.
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

// showUsage returns how much of the contract is used, which covers all teams.
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

// models are the versions of the models, and the progress of running them on stored posts.
type models struct {
	Versions map[string]int `json:"versions"`
	Reinfer  progress       `json:"refresh"`
}

// showModels serves GET /manage/v1/models.
func (a *API) showModels(context.Context, *earshot.Caller, struct{}) (models, error) {
	return models{a.ModelVersions, newProgress(a.Rematch.ReinferProgress())}, nil
}

type reinferParams struct {
	All bool `query:"all"` // also posts that the models of today have processed
}

// reinferModels serves POST /manage/v1/models/refresh.
func (a *API) reinferModels(ctx context.Context, _ *earshot.Caller, p reinferParams) (models, error) {
	if err := a.Rematch.Reinfer(ctx, p.All); err != nil {
		return models{}, err
	}
	return models{a.ModelVersions, newProgress(a.Rematch.ReinferProgress())}, nil
}

// backup sends a backup of everything. It is a POST because it creates one.
func (a *API) backup(_ context.Context, _ *earshot.Caller, _ struct{}) (rest.Download, error) {
	return rest.Download{
		Type:  "application/x-tar",
		Name:  a.Now().UTC().Format("earshot-20060102T150405Z.tar"),
		Write: a.Backup,
	}, nil
}
