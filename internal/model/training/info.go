package training

import (
	"context"
	"strings"
	"time"

	"earshot"
	"earshot/internal/model/opinion"
)

// A Post is a training post as JSON. Title is a pointer so that a title that a restricted source omits
// differs from an empty one.
type Post struct {
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

// A Redactor removes what must not be shown of a training post, and reports whether its source is
// restricted.
type Redactor func(*earshot.TrainingPost) bool

// NewPost describes a training post of m.
func NewPost(m *earshot.Monitor, p earshot.TrainingPost, redact Redactor) Post {
	title := &p.Title
	if redact(&p) {
		title = nil
	}
	return Post{
		ID: p.ID(), URL: p.URL, Title: title, Type: p.Source, Contents: p.Contents, Author: p.Author,
		Date: p.Time, Language: strings.ToLower(p.Language), CategoryID: p.Category, CategoryName: categoryName(m, p.Category),
		Added: p.Added, AddedBy: p.AddedBy,
	}
}

// States of an opinion monitor's model.
const (
	modelUntrained = "untrained" // no model, and too few training posts to fit one
	modelTraining  = "learning"  // a new model is being trained or is categorizing stored posts
	modelReady     = "ready"     // the model has categorized all posts, and its training posts have not changed since
)

// An Info describes the model of an opinion monitor.
type Info struct {
	Monitor       earshot.MonitorID `json:"monitor"`
	State         string            `json:"state" values:"untrained,learning,ready"`
	Missing       string            `json:"missing,omitempty"` // what is missing to train a model
	TrainingPosts int               `json:"trainingPosts"`
	Changed       bool              `json:"changed"` // whether training posts have changed since the model was trained
	TrainedAt     *time.Time        `json:"trainedAt" old:"learntAt"`
	Sufficient    bool              `json:"sufficient"` // whether the training posts of the model suffice to estimate proportions
	Report        *ModelReport      `json:"report,omitempty"`
	Advice        []string          `json:"advice"`
}

// A UsedModel is the model that categorized the posts of a monitor. Its zero value means none.
type UsedModel struct {
	Record    int64
	TrainedAt time.Time
	Model     *opinion.Model
}

// Describe describes the model of an opinion monitor.
func (s *Service) Describe(ctx context.Context, m *earshot.Monitor, in UsedModel, redact Redactor) (Info, error) {
	used := m.Training.InUse(in.Record)
	info := Info{Monitor: m.ID, State: s.state(m, used), Changed: in.Model != nil && used.Changes != m.Training.Changes}
	for _, c := range m.Categories {
		info.TrainingPosts += c.TrainingDocs
	}
	if err := earshot.RequireTraining(m); err != nil {
		info.Missing = err.Error()
	}
	if in.Model == nil {
		info.Advice = newAdvice(m, nil)
		return info, nil
	}
	trainedAt := in.TrainedAt.UTC().Truncate(time.Second)
	info.TrainedAt = &trainedAt
	posts, err := s.List(ctx, m, 0)
	if err != nil {
		return Info{}, err
	}
	info.Sufficient = in.Model.IsSufficient()
	report := in.Model.Report()
	report.Disagreements = currentDisagreements(report.Disagreements, posts)
	info.Report = newReport(m, &report, posts, redact)
	info.Advice = newAdvice(m, &report)
	if !info.Sufficient {
		info.Advice = append([]string{adviseInsufficient}, info.Advice...)
	}
	return info, nil
}

// state returns the state of m's model. The parameter used is the model that categorized its posts.
func (s *Service) state(m *earshot.Monitor, used earshot.Model) string {
	newest := m.Training.Model
	trainable := earshot.RequireTraining(m) == nil
	current := newest.Changes == m.Training.Changes && s.IsCurrent(newest)
	switch {
	case used.Record == 0 && !trainable:
		return modelUntrained
	case used.Record != newest.Record, trainable && !current:
		return modelTraining
	}
	return modelReady
}
