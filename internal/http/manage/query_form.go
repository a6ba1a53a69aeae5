package manage

import (
	"context"

	"earshot"
	"earshot/internal/query"
)

type queryFormParams struct {
	Body struct {
		Query string `json:"query"`
	} `body:"json,large"` // as of lintParams
}

// A formResponse has either a form, or the reason why there is none.
type formResponse struct {
	Form   *query.Form `json:"form"`
	Reason string      `json:"reason,omitempty"`
}

// showQueryForm serves POST /manage/v1/query/form. A query that no form can show is not an error of
// the request.
func (a *API) showQueryForm(_ context.Context, _ *earshot.Caller, p queryFormParams) (formResponse, error) {
	form, err := query.FormOf(p.Body.Query)
	if err != nil {
		return formResponse{Reason: err.Error()}, nil
	}
	return formResponse{Form: &form}, nil
}

type buildParams struct {
	Body struct {
		Form query.Form `json:"form"`
	} `body:"json,large"`
}

type builtQuery struct {
	Query string `json:"query"`
}

// buildQuery serves POST /manage/v1/query/build.
func (a *API) buildQuery(_ context.Context, _ *earshot.Caller, p buildParams) (builtQuery, error) {
	text, err := query.Build(p.Body.Form)
	return builtQuery{Query: text}, err
}
