package manage

import (
	"context"

	"earshot"
	"earshot/internal/http/rest"
	"earshot/internal/workspace/card"
	"earshot/internal/workspace/mark"
)

type annotationPath = idPath[earshot.AnnotationID]

// listAnnotations serves GET /manage/v1/annotations.
func (a *API) listAnnotations(_ context.Context, c *earshot.Caller, p struct {
	pageParams
	Team    earshot.TeamID    `query:"team"`
	Monitor earshot.MonitorID `query:"monitor"` // or one of its filters
}) (page[card.Annotation], error) {
	list, err := a.Marks.Annotations(c, p.Team, p.Monitor)
	if err != nil {
		return page[card.Annotation]{}, err
	}
	return paginate(p.pageParams, list, func(a *earshot.Annotation) int64 { return int64(a.ID) }, card.NewAnnotation)
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
}) (rest.Created[card.Annotation], error) {
	b := p.Body
	return toCreated(card.NewAnnotation)(a.Marks.AddAnnotation(ctx, c, earshot.Annotation{Team: b.Team, Monitor: b.Monitor, Start: b.Start, End: b.End, Text: b.Text}))
}

// editAnnotation serves PATCH /manage/v1/annotations/{id}.
func (a *API) editAnnotation(ctx context.Context, c *earshot.Caller, p struct {
	annotationPath
	Body struct {
		Start *earshot.Date `json:"start"`
		End   *earshot.Date `json:"end"`
		Text  *string       `json:"text"`
	} `body:"json"`
}) (card.Annotation, error) {
	return toResponse(card.NewAnnotation)(a.Marks.EditAnnotation(ctx, c, p.ID, mark.AnnotationChanges(p.Body)))
}
