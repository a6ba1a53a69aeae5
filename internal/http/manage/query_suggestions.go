package manage

import (
	"context"
	"errors"
	"time"

	"earshot"
	"earshot/internal/http/rest"
	"earshot/internal/insight"
	"earshot/internal/jsonvalue"
)

const (
	suggestionTimeout = 10 * time.Second
	countedDays       = 366 // in which the words of a query are counted
	relatedDays       = 30  // whose posts related words come from
)

type suggestionParams struct {
	Body monitorBody `body:"json,large"`
}

// ResponseMemory implements [rest.Weighted]: counting the words of a query takes a while.
func (p suggestionParams) ResponseMemory() int64 { return rest.LongResponse }

// suggestions are improvements of a query.
type suggestions struct {
	Terms   []insight.UsedTerm `json:"terms"`
	Related []relatedTerm      `json:"related"`
}

type relatedTerm struct {
	Text     string  `json:"text"`
	Posts    int64   `json:"posts"`
	Expected float64 `json:"expected"`
}

// suggestTerms serves POST /manage/v1/query/suggestions. It stores nothing. Callers who may create
// the monitor may call it.
func (a *API) suggestTerms(ctx context.Context, c *earshot.Caller, p suggestionParams) (suggestions, error) {
	ch, err := p.Body.changes()
	if err != nil {
		return suggestions{}, err
	}
	m, err := a.Monitors.Draft(c, ch)
	if err != nil {
		return suggestions{}, err
	}
	ctx, cancel := context.WithTimeout(ctx, suggestionTimeout)
	defer cancel()
	end := earshot.DateOf(a.Now().In(m.Location())).AddDays(1)
	terms, err := a.Insight.CountTerms(ctx, m, earshot.Days{Start: end.AddDays(-countedDays), End: end})
	if err != nil {
		return suggestions{}, suggestionError(err)
	}
	related, err := a.Insight.RelatedTerms(ctx, m, earshot.Days{Start: end.AddDays(-relatedDays), End: end})
	if err != nil {
		return suggestions{}, suggestionError(err)
	}
	return suggestions{
		Terms:   terms,
		Related: jsonvalue.Map(related, func(d insight.Driver) relatedTerm { return relatedTerm{d.Name, d.Posts, jsonvalue.Round(d.Expected)} }),
	}, nil
}

func suggestionError(err error) error {
	if errors.Is(err, context.DeadlineExceeded) {
		return earshot.Errorf(earshot.Unavailable, "The suggestions took too long; use fewer words or a narrower query")
	}
	return err
}
