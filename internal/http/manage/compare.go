package manage

import (
	"context"

	"earshot"
	"earshot/internal/http/rest"
	"earshot/internal/insight"
	"earshot/internal/workspace/card"
)

type compareParams struct {
	Body card.CompareRequest `body:"json"`
}

// ResponseMemory implements [rest.Weighted].
func (p compareParams) ResponseMemory() (bytes int64) {
	for _, row := range p.Body.Rows[:min(len(p.Body.Rows), insight.MaxCompareRows)] {
		bytes += dayParams{row.Start, row.End, row.Range}.ResponseMemory()
	}
	return max(rest.LongResponse, bytes)
}

// compare serves POST /manage/v1/compare. It changes nothing; the body states what to compare.
func (a *API) compare(ctx context.Context, c *earshot.Caller, p compareParams) (card.Comparison, error) {
	return a.Cards.Compare(ctx, c, p.Body)
}
