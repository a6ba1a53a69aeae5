package manage

import (
	"context"

	"earshot"
	"earshot/internal/query"
	"earshot/internal/rest"
)

type lintParams struct {
	Body struct {
		Query  string    `json:"query"`
		Strict rest.Bool `json:"strict"`
	} `body:"json,large"` // the longest query takes more than a megabyte when a program escapes every character
}

type lintResponse struct {
	Valid    bool     `json:"valid"`
	Errors   []remark `json:"errors"`
	Warnings []remark `json:"warnings"`
	Normal   string   `json:"normal"`
}

// A remark is an error or a warning about a query.
type remark struct {
	Position int    `json:"position"` // in characters, from 1
	Message  string `json:"message"`
}

// lintQuery says what there is to say of a query. That it is wrong is no failure.
func (a *API) lintQuery(_ context.Context, _ *earshot.Caller, p lintParams) (lintResponse, error) {
	mode := query.Lenient
	if p.Body.Strict.Value {
		mode = query.Strict
	}
	report := query.Lint(p.Body.Query, mode)
	answer := lintResponse{Valid: report.Query != nil, Errors: remarks(report.Errors), Warnings: remarks(report.Warnings)}
	if answer.Valid {
		answer.Normal = report.Query.String()
	}
	return answer, nil
}

// warnings returns what may not be meant as it stands in the keywords of a monitor
// or filter, which may be empty.
func warnings(keywords string) []remark { return remarks(query.Lint(keywords, query.Lenient).Warnings) }

func remarks[T query.ParseError | query.Warning](list []T) []remark {
	shown := make([]remark, len(list))
	for i, r := range list {
		shown[i] = remark(query.Warning(r))
	}
	return shown
}
