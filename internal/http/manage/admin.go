package manage

import (
	"context"
	"errors"
	"io"

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

// setContract replaces the contract. A limit of 0 means no limit.
func (a *API) setContract(ctx context.Context, _ *earshot.Caller, p struct {
	Body contract `body:"json"`
}) (contract, error) {
	if p.Body.DocumentsPerDay < 0 || p.Body.QueriesPerYear < 0 {
		return contract{}, earshot.InvalidBody("documentsPerDay and queriesPerYear must be 0 (no limit) or more")
	}
	return p.Body, a.Contract.SetContract(ctx, earshot.Contract(p.Body))
}

// A usageResponse reports usage of the contract. A limit of 0 means no limit.
type usageResponse struct {
	Queries   queryUsage    `json:"queries"`
	Documents documentUsage `json:"documents"`
}

// queryUsage counts the analysis queries in the current contract year.
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

// showUsage returns usage of the contract, which covers all teams.
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

// models reports the model versions, the stored posts that older ones have labeled, and the progress of
// reinference on stored posts.
type models struct {
	Versions map[string]int `json:"versions"`
	Posts    int64          `json:"posts"`
	Outdated int64          `json:"outdated"`
	Message  string         `json:"message"` // a sentence about outdated posts; empty if there are none
	Reinfer  progress       `json:"refresh"`
}

// showModels serves GET /manage/v1/models.
func (a *API) showModels(ctx context.Context, _ *earshot.Caller, _ struct{}) (models, error) {
	labels, err := a.Insight.Labels(ctx)
	return models{a.ModelVersions, labels.Posts, labels.Outdated, labels.String(), newProgress(a.Rematch.ReinferProgress())}, err
}

type reinferParams struct {
	All bool `query:"all"` // include posts that the current models have already processed
}

// reinferModels serves POST /manage/v1/models/refresh.
func (a *API) reinferModels(ctx context.Context, c *earshot.Caller, p reinferParams) (models, error) {
	if err := a.Rematch.Reinfer(ctx, p.All); err != nil {
		return models{}, err
	}
	return a.showModels(ctx, c, struct{}{})
}

// backup sends a complete backup. It is a POST because it creates the backup.
func (a *API) backup(_ context.Context, _ *earshot.Caller, _ struct{}) (rest.Download, error) {
	return rest.Download{
		Type:  "application/x-tar",
		Name:  a.Now().UTC().Format("earshot-20060102T150405Z.tar"),
		Write: a.writeBackup,
	}, nil
}

// writeBackup calls Backup. Administrators may see why it fails.
func (a *API) writeBackup(ctx context.Context, w io.Writer) error {
	err := a.Backup(ctx, w)
	var known *earshot.Error
	if err == nil || errors.As(err, &known) || ctx.Err() != nil {
		return err
	}
	return earshot.Errorf(earshot.Failed, "The backup failed: %v", err)
}
