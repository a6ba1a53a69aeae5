package manage

import (
	"cmp"
	"context"
	"strings"
	"time"

	"earshot"
	"earshot/internal/http/rest"
	"earshot/internal/model/training"
	"earshot/internal/patch"
)

// A categoryRef identifies a category by ID or name, in either of two fields.
type categoryRef struct {
	Category   rest.Text `json:"category"`
	CategoryID rest.Text `json:"categoryId"`
}

// find returns the category, or 0 if neither field is given.
func (r categoryRef) find(m *earshot.Monitor) (id earshot.CategoryID, err error) {
	for _, f := range []rest.Text{r.Category, r.CategoryID} {
		if f.Presence != rest.Given {
			continue
		}
		named, err := findCategory(m, f.Value)
		if err != nil {
			return 0, err
		}
		if id != 0 && id != named {
			return 0, earshot.InvalidBody("category and categoryId are two different categories")
		}
		id = named
	}
	return id, nil
}

type trainingBody struct {
	categoryRef
	Documents trainingDocuments `json:"documents"`
	Posts     []storedPost      `json:"posts"` // posts of the monitor
}

// trainingDocuments is a list or a single document.
type trainingDocuments []trainingDocument

// CheckLength implements [rest.Bounded].
func (trainingDocuments) CheckLength(n int) error {
	if n > training.MaxDocuments {
		return training.TooMany(n)
	}
	return nil
}

// MayBeSingle implements [rest.Single].
func (trainingDocuments) MayBeSingle() {}

type trainingDocument struct {
	URL      *string `json:"url"`
	Title    *string `json:"title"`
	Contents *string `json:"contents"`
	Content  *string `json:"content"` // alias of contents
	Author   *string `json:"author"`
	Language *string `json:"language"`
	Date     *string `json:"date"`
	Type     string  `json:"type"`
}

// IgnoresUnknown implements [rest.Lenient]: exported posts have more fields.
func (trainingDocument) IgnoresUnknown() {}

// document returns the document in the form of package training. Title and author are optional
// here.
func (d trainingDocument) document() training.Document {
	return training.Document{
		URL: d.URL, Title: cmp.Or(d.Title, new(string)), Contents: cmp.Or(d.Contents, d.Content),
		Author: cmp.Or(d.Author, new(string)), Language: d.Language, Date: d.Date, Type: d.Type,
	}
}

type addedTraining struct {
	Added        int                `json:"added"`
	Replaced     int                `json:"replaced"`
	CategoryID   earshot.CategoryID `json:"categoryId"`
	Category     string             `json:"category"`
	TrainingDocs int                `json:"trainingDocs"`

	// IDs are the IDs of the new training posts, in the order of the request's posts. Before are
	// the categories that they were in before, 0 for none.
	IDs    []string             `json:"ids,omitempty"`
	Before []earshot.CategoryID `json:"before,omitempty"`
}

// addTraining serves POST /manage/v1/monitors/{id}/training.
func (a *API) addTraining(ctx context.Context, c *earshot.Caller, p struct {
	monitorPath
	Body trainingBody `body:"json,large"`
}) (response rest.Created[addedTraining], err error) {
	m, err := a.opinion(c, p.ID)
	if err != nil {
		return response, err
	}
	category, err := p.Body.find(m)
	if err != nil {
		return response, err
	}
	if category == 0 {
		return response, earshot.InvalidBody("category is missing")
	}
	docs := make([]training.Document, len(p.Body.Documents))
	for i, d := range p.Body.Documents {
		docs[i] = d.document()
	}
	stored, ids, err := a.storedDocuments(ctx, m, p.Body.Posts)
	if err != nil {
		return response, err
	}
	docs = append(docs, stored...)
	added, err := a.Training.Add(ctx, c, m.ID, category, docs)
	if err != nil {
		return response, err
	}
	response.Value = addedTraining{
		Added: added.Posts - added.Replaced, Replaced: added.Replaced,
		CategoryID: added.Category.ID, Category: added.Category.Name, TrainingDocs: added.Category.TrainingDocs,
		IDs: ids, Before: added.Previous[len(p.Body.Documents):],
	}
	return response, nil
}

type trainingPath struct {
	monitorPath
	Post string `path:"post"`
}

type trainingEdit struct {
	categoryRef
	Title    *string `json:"title"`
	Contents *string `json:"contents"`
	Author   *string `json:"author"`
	Language *string `json:"language"`
	Date     *string `json:"date"`
}

// editTraining serves PATCH /manage/v1/monitors/{id}/training/{post}.
func (a *API) editTraining(ctx context.Context, c *earshot.Caller, p struct {
	trainingPath
	Body trainingEdit `body:"json"`
}) (training.Post, error) {
	m, err := a.opinion(c, p.ID)
	if err != nil {
		return training.Post{}, err
	}
	apply, err := p.Body.edit(m)
	if err != nil {
		return training.Post{}, err
	}
	m, post, err := a.Training.Edit(ctx, c, m.ID, strings.ToLower(p.Post), apply)
	if err != nil {
		return training.Post{}, err
	}
	return training.NewPost(m, post, a.Posts.RedactTraining), nil
}

// edit returns a function that applies the given fields. The service validates the result.
func (b trainingEdit) edit(m *earshot.Monitor) (func(*earshot.TrainingPost), error) {
	category, err := b.find(m)
	if err != nil {
		return nil, err
	}
	var date time.Time
	if b.Date != nil {
		if date, err = earshot.ParseTime(*b.Date); err != nil {
			return nil, earshot.InvalidBody("date '%s' is not a timestamp like 2026-03-01T08:30:00Z", earshot.Clip(*b.Date, 100))
		}
	}
	return func(p *earshot.TrainingPost) {
		p.Category = cmp.Or(category, p.Category)
		patch.Set(&p.Title, b.Title)
		patch.Set(&p.Contents, b.Contents)
		patch.Set(&p.Author, b.Author)
		patch.Set(&p.Language, b.Language)
		if b.Date != nil {
			p.Time = date
		}
	}, nil
}

// removeTraining serves DELETE /manage/v1/monitors/{id}/training/{post}.
func (a *API) removeTraining(ctx context.Context, c *earshot.Caller, p trainingPath) (rest.NoContent, error) {
	m, err := a.opinion(c, p.ID)
	if err != nil {
		return rest.NoContent{}, err
	}
	return rest.NoContent{}, a.Training.Remove(ctx, c, m.ID, strings.ToLower(p.Post))
}
