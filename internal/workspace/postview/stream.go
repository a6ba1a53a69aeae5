package postview

import (
	"context"

	"earshot"
	"earshot/internal/insight"
	"earshot/internal/jsonvalue"
	"earshot/internal/stream"
)

// A StreamPost is a post of a stream as JSON.
type StreamPost struct {
	Facts
	MonitorID      earshot.MonitorID  `json:"monitorId" doc:"id of the monitor that selected the post"`
	GUID           string             `json:"guid,omitempty" doc:"the post's id on its source"`
	ParentGUID     string             `json:"parentGuid,omitempty" doc:"id of the post that it replies to or reposts"`
	EngagementType earshot.Engagement `json:"engagementType,omitempty" doc:"how it relates to another post" values:"POST,RETWEET,REPLY,COMMENT"`
	DocumentsURLs  []string           `json:"documentsUrls" doc:"URLs in its text"`
	MediaURLs      []string           `json:"mediaUrls" doc:"URLs of its images and videos"`
	PageID         string             `json:"pageId,omitempty" doc:"id of the page that it was posted on, if the source has pages"`
	Custom         map[string]string  `json:"custom,omitempty" doc:"custom fields of an uploaded document"`
}

// A StreamRenderer renders posts of a stream, each with the categories of its monitor. It must not
// be used concurrently.
type StreamRenderer struct {
	service   *Service
	renderers map[earshot.MonitorID]*Renderer // created on first use
}

// NewStreamRenderer returns a renderer for one batch of posts.
func (s *Service) NewStreamRenderer() *StreamRenderer {
	return &StreamRenderer{s, map[earshot.MonitorID]*Renderer{}}
}

// Prepare loads the categories of a monitor. Call it first to find errors before reading posts.
func (r *StreamRenderer) Prepare(ctx context.Context, m *earshot.Monitor) error {
	return r.service.Categorizer.WithCategorization(ctx, m, func(c insight.Categorization) error {
		r.renderers[m.ID] = r.service.NewRenderer(Options{Monitor: m, Categorization: c})
		return nil
	})
}

// Render renders a post. The texts of the result point into p.
func (r *StreamRenderer) Render(ctx context.Context, p *stream.Post) (*StreamPost, error) {
	if r.renderers[p.Monitor.ID] == nil {
		if err := r.Prepare(ctx, p.Monitor); err != nil {
			return nil, err
		}
	}
	out := &StreamPost{
		MonitorID:      p.Monitor.ID,
		GUID:           p.GUID,
		ParentGUID:     p.ParentGUID,
		EngagementType: p.Engagement,
		DocumentsURLs:  jsonvalue.OrEmpty(p.Links),
		MediaURLs:      jsonvalue.OrEmpty(p.MediaURLs),
		PageID:         p.PageID,
		Custom:         p.Custom,
	}
	r.renderers[p.Monitor.ID].renderFacts(&out.Facts, &p.Post)
	return out, nil
}
