package manage

import (
	"context"
	"slices"
	"strconv"
	"strings"

	"earshot"
	"earshot/internal/insight"
	"earshot/internal/model/training"
)

// listTraining serves GET /manage/v1/monitors/{id}/training.
func (a *API) listTraining(ctx context.Context, c *earshot.Caller, p struct {
	pageParams
	monitorPath
	Category string `query:"category"` // ID or name
}) (page[training.Post], error) {
	m, err := a.opinion(c, p.ID)
	if err != nil {
		return page[training.Post]{}, err
	}
	var category earshot.CategoryID
	if p.Category != "" {
		if category, err = findCategory(m, p.Category); err != nil {
			return page[training.Post]{}, err
		}
	}
	posts, err := a.Training.List(ctx, m, category)
	if err != nil {
		return page[training.Post]{}, err
	}
	return a.trainingPage(p.pageParams, m, posts)
}

// trainingPage returns a page of a list that is not sorted by ID. The cursor is the first ID of the
// next page, so removing posts from earlier pages does not shift the pages.
func (a *API) trainingPage(p pageParams, m *earshot.Monitor, posts []earshot.TrainingPost) (page[training.Post], error) {
	limit, err := p.limit()
	if err != nil {
		return page[training.Post]{}, err
	}
	if p.Cursor != "" {
		at := slices.IndexFunc(posts, func(t earshot.TrainingPost) bool { return t.ID() == p.Cursor })
		if at < 0 {
			return page[training.Post]{}, earshot.InvalidParameter("cursor", p.Cursor, "the value of next from an earlier response, if its training post still exists")
		}
		posts = posts[at:]
	}
	response := page[training.Post]{}
	for _, t := range posts[:min(limit, len(posts))] {
		response.Items = append(response.Items, training.NewPost(m, t, a.Posts.RedactTraining))
	}
	if len(posts) > limit {
		response.Next = posts[limit].ID()
	}
	return response, nil
}

// opinion returns an opinion monitor. It does not return filters, which are trained with their
// monitor.
func (a *API) opinion(c *earshot.Caller, id earshot.MonitorID) (*earshot.Monitor, error) {
	m, err := a.monitor(c, id)
	if err != nil {
		return nil, err
	}
	return m, earshot.RequireOpinion(m)
}

// findCategory returns the category of m with the given ID or name. The case of a name does not
// matter.
func findCategory(m *earshot.Monitor, text string) (earshot.CategoryID, error) {
	text = strings.TrimSpace(text)
	for _, c := range m.Categories {
		if strconv.FormatInt(int64(c.ID), 10) == text {
			return c.ID, nil
		}
	}
	for _, c := range m.Categories {
		if strings.EqualFold(c.Name, text) {
			return c.ID, nil
		}
	}
	return 0, earshot.Errorf(earshot.NotFound, "Category %s does not exist", earshot.Clip(text, 100))
}

// showModel serves /manage/v1/monitors/{id}/model.
func (a *API) showModel(ctx context.Context, c *earshot.Caller, p monitorPath) (info training.Info, err error) {
	m, err := a.opinion(c, p.ID)
	if err != nil {
		return info, err
	}
	err = a.Insight.WithCategorization(ctx, m, func(of insight.Categorization) (err error) {
		if m, err = a.opinion(c, p.ID); err == nil { // the monitor may have changed since
			info, err = a.Training.Describe(ctx, m, training.UsedModel{Record: of.ModelID, TrainedAt: of.TrainedAt, Model: of.Model}, a.Posts.RedactTraining)
		}
		return err
	})
	return info, err
}
