package manage

import (
	"context"
	"time"

	"earshot"
	"earshot/internal/http/rest"
	"earshot/internal/jsonvalue"
	"earshot/internal/workspace/mark"
)

// A savedView is a page of the web app with a name. Monitor is null if the page is not about one
// monitor.
type savedView struct {
	ID      earshot.ViewID     `json:"id"`
	Team    earshot.TeamID     `json:"team"`
	Monitor *earshot.MonitorID `json:"monitor"`
	Name    string             `json:"name"`
	Path    string             `json:"path"`
	By      string             `json:"by"`
	Created time.Time          `json:"created"`
}

func newSavedView(v *earshot.SavedView) savedView {
	return savedView{v.ID, v.Team, jsonvalue.Optional(v.Monitor), v.Name, v.Path, v.CreatedBy, v.Created}
}

type viewPath = idPath[earshot.ViewID]

// listViews serves GET /manage/v1/views.
func (a *API) listViews(_ context.Context, c *earshot.Caller, p struct {
	pageParams
	Team    earshot.TeamID    `query:"team"`
	Monitor earshot.MonitorID `query:"monitor"`
}) (page[savedView], error) {
	return paginate(p.pageParams, a.Marks.Views(c, p.Team, p.Monitor), func(v *earshot.SavedView) int64 { return int64(v.ID) }, newSavedView)
}

// addView serves POST /manage/v1/views.
func (a *API) addView(ctx context.Context, c *earshot.Caller, p struct {
	Body struct {
		Team earshot.TeamID `json:"team"`
		Name string         `json:"name"`
		Path string         `json:"path"`
	} `body:"json"`
}) (rest.Created[savedView], error) {
	return toCreated(newSavedView)(a.Marks.AddView(ctx, c, earshot.SavedView{Team: p.Body.Team, Name: p.Body.Name, Path: p.Body.Path}))
}

// editView serves PATCH /manage/v1/views/{id}.
func (a *API) editView(ctx context.Context, c *earshot.Caller, p struct {
	viewPath
	Body struct {
		Name *string `json:"name"`
		Path *string `json:"path"`
	} `body:"json"`
}) (savedView, error) {
	return toResponse(newSavedView)(a.Marks.EditView(ctx, c, p.ID, mark.ViewChanges(p.Body)))
}
