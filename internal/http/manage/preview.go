package manage

import (
	"context"
	"errors"
	"time"

	"earshot"
	"earshot/internal/insight"
)

const (
	previewPosts   = 20
	previewTime    = 15 * time.Second
	previewDays    = 30 // when the request names no start
	mostOfPreviews = 366
)

type previewParams struct {
	Body struct {
		monitorBody              // Start is the first day to look at
		End         earshot.Date `json:"end"`
	} `body:"json,large"`
}

type previewResponse struct {
	Total    int64      `json:"total"`
	Days     []dayCount `json:"days"`
	Posts    []any      `json:"posts"`
	Warnings []Remark   `json:"warnings"`
}

type dayCount struct {
	Date  earshot.Date `json:"date"`
	Count int64        `json:"count"`
}

// previewMonitor shows what a monitor would find among the stored posts. It stores
// nothing, and those who may create the monitor may ask.
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
	set(&days.Start, p.Body.Start)
	if days, err = a.previewDays(m, days); err != nil {
		return previewResponse{}, err
	}
	ctx, cancel := context.WithTimeout(ctx, previewTime)
	defer cancel()
	found, err := a.Insight.Preview(ctx, m, days, previewPosts)
	if errors.Is(err, context.DeadlineExceeded) {
		return previewResponse{}, earshot.Errorf(earshot.Unavailable, "The preview takes too long; ask for fewer days, or for less")
	}
	if err != nil {
		return previewResponse{}, err
	}
	return previewResponse{
		Total:    found.Posts,
		Days:     newDayCounts(found.Days),
		Posts:    a.samplePosts(m, found.Newest),
		Warnings: warnings(m.Criteria.Keywords),
	}, nil
}

// samplePosts shows posts that a monitor would find, with marks at the words that it looks for.
func (a *API) samplePosts(m *earshot.Monitor, posts []earshot.Post) []any {
	show, shown := a.MarkPosts(m, insight.Categorization{}, nil, false), make([]any, len(posts))
	for i := range posts {
		shown[i] = show(&posts[i])
	}
	return shown
}

// previewDays fills in what a request does not say: the days end with today, and
// there are thirty of them.
func (a *API) previewDays(m *earshot.Monitor, days earshot.Days) (earshot.Days, error) {
	if days.End.IsZero() {
		days.End = earshot.DateOf(a.Now().In(m.Location())).AddDays(1)
	}
	if days.Start.IsZero() {
		days.Start = days.End.AddDays(-previewDays)
	}
	switch n := days.Len(); {
	case n <= 0:
		return days, earshot.InvalidBody("end must be a day after start; from %s to %s there is none", days.Start, days.End)
	case n > mostOfPreviews:
		return days, earshot.InvalidBody("a preview is of at most %d days; from %s to %s there are %d", mostOfPreviews, days.Start, days.End, n)
	}
	return days, nil
}

func newDayCounts(days []insight.DayCount) []dayCount {
	shown := make([]dayCount, len(days))
	for i, d := range days {
		shown[i] = dayCount{d.Day, d.Posts}
	}
	return shown
}
