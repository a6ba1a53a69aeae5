package manage

import (
	"context"

	"earshot"
)

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
