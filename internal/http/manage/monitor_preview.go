package manage

import (
	"context"
	"errors"
	"time"

	"earshot"
	"earshot/internal/insight"
	"earshot/internal/jsonvalue"
	"earshot/internal/patch"
	"earshot/internal/workspace/postview"
)

const (
	previewPosts       = 20
	previewTimeout     = 15 * time.Second
	defaultPreviewDays = 30 // if the request has no start
	maxPreviewDays     = 366
)

type previewParams struct {
	Body struct {
		monitorBody              // Start is the first day of the preview
		End         earshot.Date `json:"end"`
	} `body:"json,large"`
}

type previewResponse struct {
	Total    int64                       `json:"total"`
	Days     []dayCount                  `json:"days"`
	Posts    []*postview.HighlightedPost `json:"posts"`
	Warnings []Remark                    `json:"warnings"`
}

type dayCount struct {
	Date  earshot.Date `json:"date"`
	Count int64        `json:"count"`
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
	if days, err = a.previewDays(m, days); err != nil {
		return previewResponse{}, err
	}
	ctx, cancel := context.WithTimeout(ctx, previewTimeout)
	defer cancel()
	found, err := a.Insight.Preview(ctx, m, days, previewPosts)
	if errors.Is(err, context.DeadlineExceeded) {
		return previewResponse{}, earshot.Errorf(earshot.Unavailable, "The preview took too long; choose fewer days or a narrower query")
	}
	if err != nil {
		return previewResponse{}, err
	}
	response := previewResponse{
		Total:    found.Posts,
		Days:     jsonvalue.Map(found.Days, func(d insight.DayCount) dayCount { return dayCount{d.Day, d.Posts} }),
		Warnings: warnings(m.Criteria.Keywords),
	}
	renderer := a.Posts.NewRenderer(postview.Options{Monitor: m, Excerpts: true})
	for i := range found.Newest {
		response.Posts = append(response.Posts, renderer.Highlight(&found.Newest[i]))
	}
	return response, nil
}

// previewDays fills in defaults: the range ends with today and has 30 days.
func (a *API) previewDays(m *earshot.Monitor, days earshot.Days) (earshot.Days, error) {
	if days.End.IsZero() {
		days.End = earshot.DateOf(a.Now().In(m.Location())).AddDays(1)
	}
	if days.Start.IsZero() {
		days.Start = days.End.AddDays(-defaultPreviewDays)
	}
	switch n := days.Len(); {
	case n <= 0:
		return days, earshot.InvalidBody("end must be after start, but start is %s and end is %s", days.Start, days.End)
	case n > maxPreviewDays:
		return days, earshot.InvalidBody("a preview covers at most %d days, but %s to %s is %d days", maxPreviewDays, days.Start, days.End, n)
	}
	return days, nil
}
