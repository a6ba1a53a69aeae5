package manage

import (
	"context"
	"encoding/json"
	"strconv"
	"time"

	"earshot"
	"earshot/internal/analysis"
	"earshot/internal/state/ledger"
)

// An analysisInfo is an analysis request without its result, which the public API returns.
type analysisInfo struct {
	ID      earshot.ResultID `json:"id"`
	State   ledger.State     `json:"state"`
	Created time.Time        `json:"created"`
	Request json.RawMessage  `json:"request"`
	Posts   *int64           `json:"posts"` // only in state DONE
	Attempt int              `json:"attempt"`
	Due     *time.Time       `json:"due"` // only in state WAITING: when to poll again
}

func newAnalysis(r *analysis.Result) analysisInfo {
	info := analysisInfo{ID: r.ID, State: r.State, Created: r.Created, Request: r.Request.Echo, Attempt: r.Attempt}
	if r.Metrics != nil {
		info.Posts = &r.Metrics.Posts
	}
	if r.State == ledger.Waiting {
		info.Due = &r.RetrieveAt
	}
	return info
}

// listAnalyses lists the caller's own analysis requests that are still stored, newest first. The
// cursor is the last ID of the previous page.
func (a *API) listAnalyses(ctx context.Context, c *earshot.Caller, p pageParams) (response page[analysisInfo], err error) {
	limit, err := p.limit()
	if err != nil {
		return response, err
	}
	before := int64(0)
	if p.Cursor != "" {
		if before, err = strconv.ParseInt(p.Cursor, 10, 64); err != nil || before <= 0 {
			return response, earshot.InvalidParameter("cursor", p.Cursor, "the value of next from an earlier response")
		}
	}
	results, err := a.Analysis.List(ctx, c, earshot.ResultID(before), limit+1)
	if err != nil {
		return response, err
	}
	return firstPage(results, limit, func(r *analysis.Result) int64 { return int64(r.ID) }, newAnalysis), nil
}
