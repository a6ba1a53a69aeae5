package manage

import (
	"context"

	"earshot"
	"earshot/internal/jsonvalue"
	"earshot/internal/query"
)

// A queryForm is a query as the fields of a form.
type queryForm struct {
	All     []string    `json:"all"`
	Phrases []string    `json:"phrases"`
	Any     [][]string  `json:"any"`
	Near    []nearTerms `json:"near"`
	None    []string    `json:"none"`
}

type nearTerms struct {
	Groups   [][]string `json:"groups"`
	Distance int        `json:"distance"`
	Ordered  bool       `json:"ordered"`
}

type queryFormParams struct {
	Body struct {
		Query string `json:"query"`
	} `body:"json,large"` // as of lintParams
}

// A formResponse has either a form, or the reason why there is none.
type formResponse struct {
	Form   *queryForm `json:"form"`
	Reason string     `json:"reason,omitempty"`
}

// showQueryForm serves POST /manage/v1/query/form. A query that no form can show is not an error of
// the request.
func (a *API) showQueryForm(_ context.Context, _ *earshot.Caller, p queryFormParams) (formResponse, error) {
	form, err := query.FormOf(p.Body.Query)
	if err != nil {
		return formResponse{Reason: err.Error()}, nil
	}
	return formResponse{Form: newQueryForm(form)}, nil
}

func newQueryForm(f query.Form) *queryForm {
	form := &queryForm{All: jsonvalue.OrEmpty(f.All), Phrases: jsonvalue.OrEmpty(f.Phrases), Any: jsonvalue.OrEmpty(f.Any), Near: []nearTerms{}, None: jsonvalue.OrEmpty(f.None)}
	for _, n := range f.Near {
		form.Near = append(form.Near, nearTerms{Groups: n.Groups, Distance: n.Distance, Ordered: n.Ordered})
	}
	return form
}

type buildParams struct {
	Body struct {
		Form queryForm `json:"form"`
	} `body:"json,large"`
}

type builtQuery struct {
	Query string `json:"query"`
}

// buildQuery serves POST /manage/v1/query/build.
func (a *API) buildQuery(_ context.Context, _ *earshot.Caller, p buildParams) (builtQuery, error) {
	b := p.Body.Form
	form := query.Form{All: b.All, Phrases: b.Phrases, Any: b.Any, None: b.None}
	for _, n := range b.Near {
		form.Near = append(form.Near, query.Near{Groups: n.Groups, Distance: n.Distance, Ordered: n.Ordered})
	}
	text, err := query.Build(form)
	if err != nil {
		return builtQuery{}, err
	}
	return builtQuery{Query: text}, nil
}
