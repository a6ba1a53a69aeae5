package manage

import (
	"context"
	"slices"
	"strconv"
	"strings"
	"time"

	"earshot"
)

// A trainingPost is a training post as JSON. Title is a pointer so that a title that a restricted
// source omits differs from an empty one.
type trainingPost struct {
	ID           string             `json:"id"`
	URL          string             `json:"url"`
	Title        *string            `json:"title,omitempty"`
	Type         earshot.Source     `json:"type,omitempty"`
	Contents     string             `json:"contents,omitempty"`
	Author       string             `json:"author,omitempty"`
	Date         time.Time          `json:"date,omitzero"`
	Language     string             `json:"language"`
	CategoryID   earshot.CategoryID `json:"categoryId"`
	CategoryName string             `json:"categoryName"`
	Added        time.Time          `json:"added"`
	AddedBy      string             `json:"addedBy"`
}

// newTrainingPost renders a training post of m, redacted if its source is restricted.
func (a *API) newTrainingPost(m *earshot.Monitor, p earshot.TrainingPost) trainingPost {
	title := &p.Title
	if a.Posts.RedactTraining(&p) {
		title = nil
	}
	return trainingPost{
		ID: p.ID(), URL: p.URL, Title: title, Type: p.Source, Contents: p.Contents, Author: p.Author,
		Date: p.Time, Language: strings.ToLower(p.Language), CategoryID: p.Category, CategoryName: categoryName(m, p.Category),
		Added: p.Added, AddedBy: p.AddedBy,
	}
}

// listTraining serves GET /manage/v1/monitors/{id}/training.
func (a *API) listTraining(ctx context.Context, c *earshot.Caller, p struct {
	pageParams
	monitorPath
	Category string `query:"category"` // ID or name
}) (page[trainingPost], error) {
	m, err := a.opinion(c, p.ID)
	if err != nil {
		return page[trainingPost]{}, err
	}
	var category earshot.CategoryID
	if p.Category != "" {
		if category, err = findCategory(m, p.Category); err != nil {
			return page[trainingPost]{}, err
		}
	}
	posts, err := a.Training.List(ctx, m, category)
	if err != nil {
		return page[trainingPost]{}, err
	}
	return a.trainingPage(p.pageParams, m, posts)
}

// trainingPage returns a page of a list that is not sorted by ID. The cursor is the first ID of the
// next page, so removing posts from earlier pages does not shift the pages.
func (a *API) trainingPage(p pageParams, m *earshot.Monitor, posts []earshot.TrainingPost) (page[trainingPost], error) {
	limit, err := p.limit()
	if err != nil {
		return page[trainingPost]{}, err
	}
	if p.Cursor != "" {
		at := slices.IndexFunc(posts, func(t earshot.TrainingPost) bool { return t.ID() == p.Cursor })
		if at < 0 {
			return page[trainingPost]{}, earshot.InvalidParameter("cursor", p.Cursor, "the value of next from an earlier response, if its training post still exists")
		}
		posts = posts[at:]
	}
	response := page[trainingPost]{Items: []trainingPost{}}
	for _, t := range posts[:min(limit, len(posts))] {
		response.Items = append(response.Items, a.newTrainingPost(m, t))
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

// categoryName returns the name of a category of m, or "" if the category was removed.
func categoryName(m *earshot.Monitor, id earshot.CategoryID) string {
	for _, c := range m.Categories {
		if c.ID == id {
			return c.Name
		}
	}
	return ""
}
