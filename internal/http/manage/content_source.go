package manage

import (
	"context"

	"earshot"
	"earshot/internal/content"
	"earshot/internal/http/rest"
)

// contentSourceInfo is a content source with its domain, which the public API does not know.
type contentSourceInfo struct {
	ID           earshot.ContentSourceID `json:"id"`
	Team         earshot.TeamID          `json:"team"`
	TeamName     string                  `json:"teamName"`
	Name         string                  `json:"name"`
	Description  string                  `json:"description"`
	Domain       earshot.TextDomain      `json:"domain"` // empty: not yet guessed
	DomainChosen bool                    `json:"domainChosen"`
	Documents    int64                   `json:"documents"`
}

// newContentSource returns a function that renders content sources for a caller.
func (a *API) newContentSource(ctx context.Context, c *earshot.Caller) (func(*earshot.ContentSource) contentSourceInfo, error) {
	documents, err := a.Content.CountDocuments(ctx)
	return func(src *earshot.ContentSource) contentSourceInfo {
		info := contentSourceInfo{
			ID: src.ID, Team: src.Team, Name: src.Name, Description: src.Description,
			Domain: src.Domain, DomainChosen: src.DomainChosen, Documents: documents[src.ID],
		}
		if t, err := a.Accounts.FindTeam(c, src.Team); err == nil {
			info.TeamName = t.Name
		}
		return info
	}, err
}

// listContentSources serves GET /manage/v1/content-sources.
func (a *API) listContentSources(ctx context.Context, c *earshot.Caller, p teamPage) (page[contentSourceInfo], error) {
	show, err := a.newContentSource(ctx, c)
	if err != nil {
		return page[contentSourceInfo]{}, err
	}
	return paginate(p.pageParams, a.Content.VisibleSources(c, p.Team), func(src *earshot.ContentSource) int64 { return int64(src.ID) }, show)
}

type contentSourceID = idPath[earshot.ContentSourceID]

// showContentSource serves GET /manage/v1/content-sources/{id}.
func (a *API) showContentSource(ctx context.Context, c *earshot.Caller, p contentSourceID) (contentSourceInfo, error) {
	return a.contentSourceResponse(ctx, c)(a.Content.FindSource(c, p.ID))
}

// contentSourceResponse returns a function that converts a result of Content to a response.
func (a *API) contentSourceResponse(ctx context.Context, c *earshot.Caller) func(*earshot.ContentSource, error) (contentSourceInfo, error) {
	return func(src *earshot.ContentSource, err error) (contentSourceInfo, error) {
		if err != nil {
			return contentSourceInfo{}, err
		}
		show, err := a.newContentSource(ctx, c)
		return show(src), err
	}
}

// addContentSource serves POST /manage/v1/content-sources.
func (a *API) addContentSource(ctx context.Context, c *earshot.Caller, p struct {
	Body struct {
		Team        earshot.TeamID     `json:"team"`
		Name        string             `json:"name"`
		Description string             `json:"description"`
		Domain      earshot.TextDomain `json:"domain"` // empty: Earshot guesses it
	} `body:"json"`
}) (response rest.Created[contentSourceInfo], err error) {
	b := p.Body
	if b.Team == 0 {
		return response, earshot.InvalidBody("team is missing")
	}
	response.Value, err = a.contentSourceResponse(ctx, c)(a.Content.AddSource(ctx, c, earshot.ContentSource{
		Team: b.Team, Name: b.Name, Description: b.Description, Domain: b.Domain,
	}))
	return response, err
}

// editContentSource serves PATCH /manage/v1/content-sources/{id}. Missing fields stay the same.
func (a *API) editContentSource(ctx context.Context, c *earshot.Caller, p struct {
	contentSourceID
	Body struct {
		Description *string             `json:"description"`
		Domain      *earshot.TextDomain `json:"domain"`
	} `body:"json"`
}) (contentSourceInfo, error) {
	return a.contentSourceResponse(ctx, c)(a.Content.EditSource(ctx, c, p.ID, content.SourceChange(p.Body)))
}
