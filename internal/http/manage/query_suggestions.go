package manage

import (
	"context"

	"earshot"
	"earshot/internal/http/rest"
	"earshot/internal/insight"
)

type suggestionParams struct {
	Body monitorBody `body:"json,large"`
}

// ResponseMemory implements [rest.Weighted]: counting the words of a query takes a while.
func (p suggestionParams) ResponseMemory() int64 { return rest.LongResponse }

// suggestTerms serves POST /manage/v1/query/suggestions. It stores nothing. Callers who may create
// the monitor may call it.
func (a *API) suggestTerms(ctx context.Context, c *earshot.Caller, p suggestionParams) (insight.Suggestions, error) {
	ch, err := p.Body.changes()
	if err != nil {
		return insight.Suggestions{}, err
	}
	m, err := a.Monitors.Draft(c, ch)
	if err != nil {
		return insight.Suggestions{}, err
	}
	return a.Insight.Suggest(ctx, m, earshot.DateOf(a.Now().In(m.Location())))
}
