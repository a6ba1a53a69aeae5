package card

import (
	"context"
	"errors"
	"time"

	"earshot"
	"earshot/internal/insight"
	"earshot/internal/jsonvalue"
	"earshot/internal/workspace/postview"
)

const (
	previewPosts       = 20
	previewTimeout     = 15 * time.Second
	defaultPreviewDays = 30
	maxPreviewDays     = 366
)

// A Preview shows which posts a monitor would have.
type Preview struct {
	Total int64                       `json:"total"`
	Days  []PreviewDay                `json:"days"`
	Posts []*postview.HighlightedPost `json:"posts"`           // newest first
	Empty bool                        `json:"empty,omitempty"` // no posts are stored at all, of any monitor
}

// A PreviewDay counts the posts of a day.
type PreviewDay struct {
	Date  earshot.Date `json:"date"`
	Count int64        `json:"count"`
}

// Preview returns the stored posts that m would select, which need not exist in the catalog. By default,
// the range ends with today and has 30 days.
func (s *Service) Preview(ctx context.Context, m *earshot.Monitor, days earshot.Days) (Preview, error) {
	days, err := s.previewDays(m, days)
	if err != nil {
		return Preview{}, err
	}
	ctx, cancel := context.WithTimeout(ctx, previewTimeout)
	defer cancel()
	found, err := s.Insight.Preview(ctx, m, days, previewPosts)
	if errors.Is(err, context.DeadlineExceeded) {
		return Preview{}, earshot.Errorf(earshot.Unavailable, "The preview took too long; choose fewer days or a narrower query")
	}
	if err != nil {
		return Preview{}, err
	}
	preview := Preview{
		Total: found.Posts,
		Days:  jsonvalue.Map(found.Days, func(d insight.DayCount) PreviewDay { return PreviewDay{d.Day, d.Posts} }),
	}
	renderer := s.Views.NewRenderer(postview.Options{Monitor: m, Excerpts: true})
	for i := range found.Newest {
		preview.Posts = append(preview.Posts, renderer.Highlight(&found.Newest[i]))
	}
	if preview.Total == 0 {
		preview.Empty, err = s.Insight.IsEmpty(ctx)
	}
	return preview, err
}

func (s *Service) previewDays(m *earshot.Monitor, days earshot.Days) (earshot.Days, error) {
	if days.End.IsZero() {
		days.End = earshot.DateOf(s.Now().In(m.Location())).AddDays(1)
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
