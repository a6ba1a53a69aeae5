package manage

import (
	"context"

	"earshot"
	"earshot/internal/http/rest"
	"earshot/internal/query"
)

type lintParams struct {
	Body struct {
		Query  string    `json:"query"`
		Strict rest.Bool `json:"strict"`
	} `body:"json,large"` // the longest query exceeds a megabyte if a program escapes every character
}

// lintQuery returns the errors and warnings of a query. An invalid query is not an error of the
// request.
func (a *API) lintQuery(_ context.Context, _ *earshot.Caller, p lintParams) (query.Findings, error) {
	mode := query.Lenient
	if p.Body.Strict.Value {
		mode = query.Strict
	}
	return query.Check(p.Body.Query, mode), nil
}
