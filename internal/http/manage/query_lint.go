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

// A Lint contains the errors and warnings of a query. The command line prints it, too.
type Lint struct {
	Valid    bool     `json:"valid"`
	Errors   []Remark `json:"errors"`
	Warnings []Remark `json:"warnings"`
	Normal   string   `json:"normal"` // normal form; empty if the query is invalid
}

// A Remark is an error or a warning about a query.
type Remark struct {
	Position int    `json:"position"` // in characters, starting at 1
	Message  string `json:"message"`
}

// lintQuery returns the errors and warnings of a query. An invalid query is not an error of the
// request.
func (a *API) lintQuery(_ context.Context, _ *earshot.Caller, p lintParams) (Lint, error) {
	mode := query.Lenient
	if p.Body.Strict.Value {
		mode = query.Strict
	}
	return NewLint(p.Body.Query, mode), nil
}

// NewLint lints a query.
func NewLint(text string, mode query.Mode) Lint {
	report := query.Lint(text, mode)
	l := Lint{Valid: report.Query != nil, Errors: remarks(report.Errors), Warnings: remarks(report.Warnings)}
	if l.Valid {
		l.Normal = report.Query.String()
	}
	return l
}

// warnings returns the warnings about the keywords of a monitor or filter. The keywords may be
// empty.
func warnings(keywords string) []Remark { return remarks(query.Lint(keywords, query.Lenient).Warnings) }

func remarks[T query.ParseError | query.Warning](list []T) []Remark {
	shown := make([]Remark, len(list))
	for i, r := range list {
		shown[i] = Remark(query.Warning(r))
	}
	return shown
}
