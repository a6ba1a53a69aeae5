package api

import (
	"cmp"
	"context"
	"fmt"

	"earshot"
	"earshot/internal/http/rest"
	"earshot/internal/jsonvalue"
	"earshot/internal/model/training"
)

type trainParams struct {
	MonitorID  earshot.MonitorID  `query:"id|monitorid" doc:"id of the monitor; may also be in the body"`
	CategoryID earshot.CategoryID `query:"categoryid" doc:"id of the category; may also be in the body"`
	Body       trainBody          `body:"json,large"`
}

type trainBody struct {
	ID         earshot.MonitorID  `json:"id" doc:"id of an opinion monitor" required:"true" example:"2147483697"`
	MonitorID  earshot.MonitorID  `json:"monitorid" doc:"alias of id"`
	CategoryID earshot.CategoryID `json:"categoryid" doc:"id of the category that the documents belong to" required:"true" example:"2147483698"`
	Documents  trainDocuments     `json:"documents" doc:"documents, at most 1,000 in total" required:"true"`
	Document   trainDocuments     `json:"document" doc:"alias of documents"`
}

// trainDocuments is a list or a single document.
type trainDocuments []trainDocument

// CheckLength implements [rest.Bounded].
func (trainDocuments) CheckLength(n int) error {
	if n > training.MaxDocuments {
		return training.TooMany(n)
	}
	return nil
}

// MayBeSingle implements [rest.Single].
func (trainDocuments) MayBeSingle() {}

type trainDocument struct {
	Title    *string `json:"title" doc:"title; may be empty" required:"true" example:""`
	Date     *string `json:"date" doc:"when it was written: a timestamp, UTC unless it has an offset" required:"true" example:"2026-03-01T08:30:00Z"`
	Author   *string `json:"author" doc:"author; may be empty" required:"true" example:"ann"`
	URL      *string `json:"url" doc:"URL of the document; replaces a training post with the same URL" required:"true" example:"http://example.com/1"`
	Contents *string `json:"contents" doc:"text, at most 16,384 characters" required:"true" example:"Tastes great"`
	Content  *string `json:"content" doc:"alias of contents"`
	Language *string `json:"language" doc:"2-letter code" required:"true" example:"en"`
	Type     string  `json:"type" doc:"name of the source; if omitted, that of the stored post with the URL, or the one that the URL implies"`
}

type trainResponse struct {
	Message string       `json:"message" doc:"number of training posts added, and the category"`
	Status  rest.Success `json:"status"`
}

// train serves /api/monitor/train.
func (a *API) train(ctx context.Context, c *earshot.Caller, p trainParams) (trainResponse, error) {
	b := &p.Body
	id, err := uniqueID("id", b.ID, b.MonitorID, p.MonitorID)
	if err != nil {
		return trainResponse{}, err
	}
	m, err := a.Monitors.Find(c, id)
	if err != nil {
		return trainResponse{}, err
	}
	if err := earshot.RequireOpinion(m); err != nil {
		return trainResponse{}, err
	}
	category, err := uniqueID("categoryid", b.CategoryID, p.CategoryID)
	if err != nil {
		return trainResponse{}, err
	}
	all := append(b.Documents, b.Document...)
	for i, d := range all {
		if d.Contents != nil && d.Content != nil && *d.Contents != *d.Content {
			return trainResponse{}, earshot.InvalidBody("documents[%d] has contents and content, and they differ", i)
		}
	}
	docs := jsonvalue.Map(all, trainDocument.document)
	added, err := a.Training.Add(ctx, c, cmp.Or(m.Parent, m.ID), category, docs)
	return trainResponse{Message: fmt.Sprintf("%d training posts added to category %s", added.Posts, added.Category.Name)}, err
}

// uniqueID returns the ID that the request gives in one or several places. It returns an error if
// there is none, or if the places disagree.
func uniqueID[T ~int64](name string, ids ...T) (T, error) {
	id := cmp.Or(ids...)
	if id == 0 {
		return 0, earshot.Errorf(earshot.Invalid, "Required String parameter '%s' is not present", name)
	}
	for _, other := range ids {
		if other != 0 && other != id {
			return 0, earshot.InvalidBody("%s is %d in one place and %d in another", name, id, other)
		}
	}
	return id, nil
}

func (d trainDocument) document() training.Document {
	return training.Document{
		URL: d.URL, Title: d.Title, Contents: cmp.Or(d.Contents, d.Content), Author: d.Author,
		Language: d.Language, Date: d.Date, Type: d.Type,
	}
}

type trainingPostsParams struct {
	monitorID
	Category earshot.CategoryID `query:"category" doc:"id of a category; only its training posts are listed"`
}

type trainingPostsResponse struct {
	TrainingPosts []trainingPost `json:"trainingPosts" doc:"training posts in the order in which they were added"`
	Status        rest.Success   `json:"status"`
}

type trainingPost struct {
	URL          string             `json:"url" doc:"URL of the post"`
	Title        *string            `json:"title,omitempty" doc:"title; may be empty" restricted:"true"`
	Type         earshot.Source     `json:"type" doc:"name of the source; Custom if unknown"`
	CategoryID   earshot.CategoryID `json:"categoryId" doc:"id of its category"`
	CategoryName string             `json:"categoryName" doc:"name of its category"`
}

// unknownSource is the type of training posts whose source is unknown.
const unknownSource earshot.Source = "Custom"

// trainingPosts serves /api/monitor/trainingposts.
func (a *API) trainingPosts(ctx context.Context, m *earshot.Monitor, p trainingPostsParams) (trainingPostsResponse, error) {
	posts, err := a.Training.List(ctx, m, p.Category)
	if err != nil {
		return trainingPostsResponse{}, err
	}
	names := map[earshot.CategoryID]string{}
	for _, c := range m.Categories {
		names[c.ID] = c.Name
	}
	return trainingPostsResponse{TrainingPosts: jsonvalue.Map(posts, func(p earshot.TrainingPost) trainingPost {
		shown := trainingPost{URL: p.URL, Title: &p.Title, Type: cmp.Or(p.Source, unknownSource), CategoryID: p.Category, CategoryName: names[p.Category]}
		if a.Posts.IsRestricted(p.Source) {
			shown.Title = nil
			if a.ForClients {
				shown.Title = new(string)
			}
		}
		return shown
	})}, nil
}
