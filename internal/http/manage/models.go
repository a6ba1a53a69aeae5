package manage

import (
	"context"

	"earshot"
)

// A ModelKeeper has stored posts seen by newer models.
type ModelKeeper interface {
	Refresh(ctx context.Context, all bool) error
	Refreshing() earshot.Progress
}

// models tells which models see posts, and how far stored posts are with them.
type models struct {
	Versions map[string]int `json:"versions"`
	Refresh  progress       `json:"refresh"`
}

// showModels serves GET /manage/v1/models.
func (a *API) showModels(context.Context, *earshot.Caller, struct{}) (models, error) {
	return models{a.ModelVersions, newProgress(a.Models.Refreshing())}, nil
}

type refreshParams struct {
	All bool `query:"all"` // also posts that the models of today have seen
}

// refreshModels serves POST /manage/v1/models/refresh.
func (a *API) refreshModels(ctx context.Context, _ *earshot.Caller, p refreshParams) (models, error) {
	if err := a.Models.Refresh(ctx, p.All); err != nil {
		return models{}, err
	}
	return models{a.ModelVersions, newProgress(a.Models.Refreshing())}, nil
}
