package manage

import (
	"context"
	"errors"
	"slices"
	"strings"

	"earshot"
	"earshot/internal/insight"
	"earshot/internal/jsonvalue"
	"earshot/internal/workspace/card"
)

type overviewParams struct {
	postsQuery
	Parts parts `query:"parts"`
}

// parts are the requested parts, without duplicates, in the order of insight.Parts. Empty means
// all.
type parts []insight.Part

// UnmarshalText implements [encoding.TextUnmarshaler].
func (p *parts) UnmarshalText(text []byte) error {
	requested := strings.FieldsFunc(string(text), func(r rune) bool { return r == ',' || r == ' ' })
	for _, name := range requested {
		if !slices.Contains(insight.Parts, insight.Part(name)) {
			return errors.New("a comma-separated list of " + strings.Join(jsonvalue.Map(insight.Parts, func(p insight.Part) string { return string(p) }), ", "))
		}
	}
	for _, part := range insight.Parts {
		if slices.Contains(requested, string(part)) {
			*p = append(*p, part)
		}
	}
	return nil
}

// showOverview serves /manage/v1/monitors/{id}/overview, for monitors and filters.
func (a *API) showOverview(ctx context.Context, c *earshot.Caller, p overviewParams) (card.Overview, error) {
	return a.Cards.Overview(ctx, c, p.query(), p.Parts)
}
