package manage

import (
	"context"
	"time"

	"earshot"
	"earshot/internal/http/rest"
	"earshot/internal/mark"
)

// An annotation is a remark on the time axis. Monitor is null if it is on the charts of all monitors
// of the team.
type annotation struct {
	ID      earshot.AnnotationID `json:"id"`
	Team    earshot.TeamID       `json:"team"`
	Monitor *earshot.MonitorID   `json:"monitor"`
	Start   earshot.Date         `json:"start"`
	End     earshot.Date         `json:"end"` // exclusive
	Text    string               `json:"text"`
	By      string               `json:"by"`
	Created time.Time            `json:"created"`
	Edited  *time.Time           `json:"edited"`
}

func newAnnotation(a *earshot.Annotation) annotation {
	return annotation{a.ID, a.Team, optional(a.Monitor), a.Start, a.End, a.Text, a.CreatedBy, a.Created, optional(a.Edited)}
}

// optional returns nil instead of the zero value.
func optional[T comparable](v T) *T {
	if v == *new(T) {
		return nil
	}
	return &v
}

type annotationPath struct {
	ID earshot.AnnotationID `path:"id"`
}

// listAnnotations serves GET /manage/v1/annotations.
func (a *API) listAnnotations(_ context.Context, c *earshot.Caller, p struct {
	pageParams
	Team    earshot.TeamID    `query:"team"`
	Monitor earshot.MonitorID `query:"monitor"` // or one of its filters
}) (page[annotation], error) {
	list, err := a.Marks.Annotations(c, p.Team, p.Monitor)
	if err != nil {
		return page[annotation]{}, err
	}
	return paginate(p.pageParams, list, func(a *earshot.Annotation) int64 { return int64(a.ID) }, newAnnotation)
}

// addAnnotation serves POST /manage/v1/annotations.
func (a *API) addAnnotation(ctx context.Context, c *earshot.Caller, p struct {
	Body struct {
		Team    earshot.TeamID    `json:"team"`
		Monitor earshot.MonitorID `json:"monitor"`
		Start   earshot.Date      `json:"start"`
		End     earshot.Date      `json:"end"`
		Text    string            `json:"text"`
	} `body:"json"`
}) (rest.Created[annotation], error) {
	b := p.Body
	return toCreated(newAnnotation)(a.Marks.AddAnnotation(ctx, c, earshot.Annotation{Team: b.Team, Monitor: b.Monitor, Start: b.Start, End: b.End, Text: b.Text}))
}

// showAnnotation serves GET /manage/v1/annotations/{id}.
func (a *API) showAnnotation(_ context.Context, c *earshot.Caller, p annotationPath) (annotation, error) {
	return toResponse(newAnnotation)(a.Marks.FindAnnotation(c, p.ID))
}

// editAnnotation serves PATCH /manage/v1/annotations/{id}.
func (a *API) editAnnotation(ctx context.Context, c *earshot.Caller, p struct {
	annotationPath
	Body struct {
		Start *earshot.Date `json:"start"`
		End   *earshot.Date `json:"end"`
		Text  *string       `json:"text"`
	} `body:"json"`
}) (annotation, error) {
	return toResponse(newAnnotation)(a.Marks.EditAnnotation(ctx, c, p.ID, mark.AnnotationChanges(p.Body)))
}

// removeAnnotation serves DELETE /manage/v1/annotations/{id}.
func (a *API) removeAnnotation(ctx context.Context, c *earshot.Caller, p annotationPath) (rest.NoContent, error) {
	return rest.NoContent{}, a.Marks.RemoveAnnotation(ctx, c, p.ID)
}
