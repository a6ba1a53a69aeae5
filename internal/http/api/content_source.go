package api

import (
	"context"

	"earshot"
	"earshot/internal/http/rest"
	"earshot/internal/jsonvalue"
)

type contentSource struct {
	ID          earshot.ContentSourceID `json:"id" doc:"id of the content source, which uploads pass as documentType"`
	TeamName    string                  `json:"teamName" doc:"name of the team it belongs to"`
	Name        string                  `json:"name" doc:"name, as shown in posts and monitors"`
	Description string                  `json:"description" doc:"description; may be empty"`
}

type addContentSourceParams struct {
	Body struct {
		TeamID      earshot.TeamID `json:"teamid" doc:"id of the team it belongs to" required:"true" example:"2147483650"`
		Name        string         `json:"name" doc:"name, as shown in posts and monitors" required:"true" example:"Survey"`
		Description string         `json:"description" doc:"description; shown only in lists"`
	} `body:"json"`
}

type addContentSourceResponse struct {
	ContentSource contentSource `json:"contentSource" doc:"the new content source"`
	Status        rest.Success  `json:"status"`
}

// addContentSource serves POST /api/content/sources.
func (a *API) addContentSource(ctx context.Context, c *earshot.Caller, p addContentSourceParams) (addContentSourceResponse, error) {
	if p.Body.TeamID == 0 {
		return addContentSourceResponse{}, earshot.InvalidBody("teamid is missing")
	}
	src, err := a.Content.AddSource(ctx, c, earshot.ContentSource{
		Team:        p.Body.TeamID,
		Name:        p.Body.Name,
		Description: p.Body.Description,
	})
	if err != nil {
		return addContentSourceResponse{}, err
	}
	team, err := a.Accounts.FindTeam(c, src.Team)
	if err != nil {
		return addContentSourceResponse{}, err
	}
	return addContentSourceResponse{ContentSource: newContentSource(src, team)}, nil
}

type contentSourceListParams struct {
	Team earshot.TeamID `query:"team,required" doc:"id of the team" example:"2147483650"`
}

type contentSourceListResponse struct {
	ContentSources []listedContentSource `json:"contentSources" doc:"the team's content sources"`
	Status         rest.Success          `json:"status"`
}

type listedContentSource struct {
	contentSource
	Documents int64 `json:"documents" doc:"number of documents"`
}

// contentSourceList serves /api/content/sources/list.
func (a *API) contentSourceList(ctx context.Context, c *earshot.Caller, p contentSourceListParams) (contentSourceListResponse, error) {
	team, err := a.Accounts.RequireTeam(c, p.Team)
	if err != nil {
		return contentSourceListResponse{}, err
	}
	sources, documents, err := a.Content.ListSources(ctx, p.Team)
	if err != nil {
		return contentSourceListResponse{}, err
	}
	return contentSourceListResponse{ContentSources: jsonvalue.Map(sources, func(src *earshot.ContentSource) listedContentSource {
		return listedContentSource{newContentSource(src, team), documents[src.ID]}
	})}, nil
}

type removeContentSourceParams struct {
	DocumentType earshot.ContentSourceID `query:"documentType,required" doc:"id of the content source" example:"2147483655"`
}

type statusResponse struct {
	Status rest.Success `json:"status"`
}

// removeContentSource serves DELETE /api/content/sources.
func (a *API) removeContentSource(ctx context.Context, c *earshot.Caller, p removeContentSourceParams) (statusResponse, error) {
	return statusResponse{}, a.Content.RemoveSource(ctx, c, p.DocumentType)
}

func newContentSource(src *earshot.ContentSource, team *earshot.Team) contentSource {
	return contentSource{ID: src.ID, TeamName: team.Name, Name: src.Name, Description: src.Description}
}
