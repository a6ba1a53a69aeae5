package manage

import (
	"context"

	"earshot"
	"earshot/internal/http/rest"
	"earshot/internal/insight"
	"earshot/internal/jsonvalue"
	"earshot/internal/workspace/card"
	"earshot/internal/workspace/label"
	"earshot/internal/workspace/postview"
)

// A labelsResponse says how far people are with the samples of a monitor, and what the labels are worth: the
// shares among the posts of some days, and how many labels of these posts calibrate them.
type labelsResponse struct {
	label.State
	Start      earshot.Date   `json:"start"`
	End        earshot.Date   `json:"end"`
	Labels     int            `json:"labels"`
	Categories []labeledShare `json:"categories"`
	Emotions   []labeledShare `json:"emotions"`
	Advice     []string       `json:"advice"`
}

type labeledShare struct {
	ID   earshot.CategoryID `json:"id"`
	Name string             `json:"name"`
	card.ShareInterval
}

// showLabels serves GET /manage/v1/monitors/{id}/labels.
func (a *API) showLabels(ctx context.Context, c *earshot.Caller, p monitorPath) (labelsResponse, error) {
	m, err := a.Monitors.Find(c, p.ID)
	if err != nil {
		return labelsResponse{}, err
	}
	state, err := a.Labels.State(ctx, c, m.ID)
	if err != nil {
		return labelsResponse{}, err
	}
	days := label.UsualDays(m, a.Now())
	if n := len(state.Samples); n > 0 {
		newest := &state.Samples[n-1]
		days = earshot.Days{Start: earshot.DateOf(newest.Start.In(m.Location())), End: earshot.DateOf(newest.End.In(m.Location()))}
	}
	shares, err := a.Insight.Proportions(ctx, m, days)
	if err != nil {
		return labelsResponse{}, err
	}
	show := func(p insight.Proportion) labeledShare {
		return labeledShare{p.Category.ID, p.Category.Name, card.NewShareInterval(p)}
	}
	return labelsResponse{
		State: state, Start: days.Start, End: days.End, Labels: shares.Labels, Advice: state.Advice(shares.LabelDrift, a.Now()),
		Categories: jsonvalue.Map(shares.Total.Categories, show), Emotions: jsonvalue.Map(shares.Total.Emotions, show),
	}, nil
}

// drawSample serves POST /manage/v1/monitors/{id}/samples.
func (a *API) drawSample(ctx context.Context, c *earshot.Caller, p struct {
	monitorPath
	Body struct {
		Posts *int         `json:"posts"` // 50 by default
		Start earshot.Date `json:"start"`
		End   earshot.Date `json:"end"` // exclusive
	} `body:"json"`
}) (rest.Created[labelsResponse], error) {
	d := label.Draw{Posts: label.UsualPosts, Days: earshot.Days{Start: p.Body.Start, End: p.Body.End}}
	if p.Body.Posts != nil {
		d.Posts = *p.Body.Posts
	}
	if _, err := a.showLabels(ctx, c, p.monitorPath); err != nil { // an opinion monitor without a model has no shares
		return rest.Created[labelsResponse]{}, err
	}
	if _, err := a.Labels.Draw(ctx, c, p.ID, d); err != nil {
		return rest.Created[labelsResponse]{}, err
	}
	response, err := a.showLabels(ctx, c, p.monitorPath)
	return rest.Created[labelsResponse]{Value: response}, err
}

type unlabeledPosts struct {
	Remaining int                         `json:"remaining"` // posts that the caller has not labeled
	Items     []*postview.HighlightedPost `json:"items"`
}

// listUnlabeled serves GET /manage/v1/monitors/{id}/labels/next. Posts come without what the models say
// about them.
func (a *API) listUnlabeled(ctx context.Context, c *earshot.Caller, p struct {
	monitorPath
	pageParams
}) (response unlabeledPosts, err error) {
	limit, err := p.limit()
	if err != nil {
		return response, err
	}
	m, err := a.Monitors.Find(c, p.ID)
	if err != nil {
		return response, err
	}
	posts, remaining, err := a.Labels.Next(ctx, c, m.ID, limit)
	if err != nil {
		return response, err
	}
	response.Remaining = remaining
	renderer := a.Posts.NewRenderer(postview.Options{Monitor: m, AsInferred: true})
	for i := range posts {
		shown := renderer.Highlight(&posts[i])
		shown.HideInferred()
		response.Items = append(response.Items, shown)
	}
	return response, nil
}

// setLabel serves PUT /manage/v1/monitors/{id}/posts/{key}/label.
func (a *API) setLabel(ctx context.Context, c *earshot.Caller, p struct {
	postPath
	Body correctionBody `body:"json"`
}) (labelsResponse, error) {
	m, key, err := a.sampledPost(c, p.postPath)
	if err != nil {
		return labelsResponse{}, err
	}
	v, err := p.Body.values(m)
	if err != nil {
		return labelsResponse{}, err
	}
	if err := a.Labels.Set(ctx, c, m.ID, key, earshot.PostLabel{Sentiment: v.Sentiment, Emotion: v.Emotion, Category: v.Category}); err != nil {
		return labelsResponse{}, err
	}
	return a.showLabels(ctx, c, p.monitorPath)
}

// removeLabel serves DELETE /manage/v1/monitors/{id}/posts/{key}/label.
func (a *API) removeLabel(ctx context.Context, c *earshot.Caller, p postPath) (labelsResponse, error) {
	m, key, err := a.sampledPost(c, p)
	if err != nil {
		return labelsResponse{}, err
	}
	if err := a.Labels.Remove(ctx, c, m.ID, key); err != nil {
		return labelsResponse{}, err
	}
	return a.showLabels(ctx, c, p.monitorPath)
}

// sampledPost returns a monitor or filter that the caller may see, and the key of one of its posts.
func (a *API) sampledPost(c *earshot.Caller, p postPath) (*earshot.Monitor, earshot.PostKey, error) {
	m, err := a.Monitors.Find(c, p.ID)
	if err != nil {
		return nil, earshot.PostKey{}, err
	}
	key, ok := earshot.ParsePostKey(p.Key)
	if !ok {
		return nil, key, earshot.Errorf(earshot.NotFound, "Post %s does not exist", earshot.Clip(p.Key, 200))
	}
	return m, key, nil
}
