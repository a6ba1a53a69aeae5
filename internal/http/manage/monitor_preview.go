package manage

import (
	"context"

	"earshot"
	"earshot/internal/patch"
	"earshot/internal/query"
	"earshot/internal/workspace/card"
)

type previewParams struct {
	Body struct {
		monitorBody              // Start is the first day of the preview
		End         earshot.Date `json:"end"`
	} `body:"json,large"`
}

type previewResponse struct {
	card.Preview
	Warnings []query.Remark `json:"warnings"`
}

// previewMonitor returns the stored posts that a monitor would select. It stores nothing. Callers
// who may create the monitor may call it.
func (a *API) previewMonitor(ctx context.Context, c *earshot.Caller, p previewParams) (previewResponse, error) {
	ch, err := p.Body.changes()
	if err != nil {
		return previewResponse{}, err
	}
	m, err := a.Monitors.Draft(c, ch)
	if err != nil {
		return previewResponse{}, err
	}
	days := earshot.Days{End: p.Body.End}
	patch.Set(&days.Start, p.Body.Start)
	preview, err := a.Cards.Preview(ctx, m, days)
	return previewResponse{preview, query.Check(m.Criteria.Keywords, query.Lenient).Warnings}, err
}
