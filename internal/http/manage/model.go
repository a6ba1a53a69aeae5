package manage

import (
	"context"
	"time"

	"earshot"
	"earshot/internal/insight"
)

// How far the model of an opinion monitor is.
const (
	untrained = "untrained" // there is none, and not enough to learn from
	learning  = "learning"  // a new one is being learnt, or sorts stored posts
	ready     = "ready"     // it has sorted all posts, and there is nothing newer to learn
)

type modelInfo struct {
	Monitor       earshot.MonitorID `json:"monitor"`
	State         string            `json:"state"`
	Missing       string            `json:"missing,omitempty"` // what it takes to learn from the training posts
	TrainingPosts int               `json:"trainingPosts"`
	Changed       bool              `json:"changed"` // whether training posts have changed since the model was learnt
	LearntAt      *time.Time        `json:"learntAt"`
	Report        *modelReport      `json:"report,omitempty"`
	Advice        []string          `json:"advice"`
}

// showModel serves /manage/v1/monitors/{id}/model.
func (a *API) showModel(ctx context.Context, c *earshot.Caller, p monitorPath) (info modelInfo, err error) {
	m, err := a.opinion(c, p.ID)
	if err != nil {
		return modelInfo{}, err
	}
	err = a.Insight.WithCategorization(ctx, m, func(by insight.Categorization) (err error) {
		if m, err = a.opinion(c, p.ID); err == nil { // it may have changed, too
			info, err = a.newModelInfo(ctx, m, by)
		}
		return err
	})
	return info, err
}

func (a *API) newModelInfo(ctx context.Context, m *earshot.Monitor, by insight.Categorization) (modelInfo, error) {
	used := m.Training.InUse(by.ModelID)
	info := modelInfo{Monitor: m.ID, State: a.modelState(m, used), Changed: !by.IsZero() && used.Changes != m.Training.Changes}
	for _, c := range m.Categories {
		info.TrainingPosts += c.TrainingDocs
	}
	if err := earshot.RequireTraining(m); err != nil {
		info.Missing = err.Error()
	}
	if by.IsZero() {
		info.Advice = advise(m, nil)
		return info, nil
	}
	learnt := by.TrainedAt.UTC().Truncate(time.Second)
	info.LearntAt = &learnt
	posts, err := a.Training.List(ctx, m, 0)
	if err != nil {
		return modelInfo{}, err
	}
	report := by.Model.Report()
	report.Disagreements = current(report.Disagreements, posts)
	info.Report = a.newReport(m, &report, posts)
	info.Advice = advise(m, &report)
	return info, nil
}

// modelState tells how far m is, whose posts are sorted by the model used.
func (a *API) modelState(m *earshot.Monitor, used earshot.Model) string {
	newest := m.Training.Model
	enough := earshot.RequireTraining(m) == nil
	current := newest.Changes == m.Training.Changes && a.Training.IsCurrent(newest)
	switch {
	case used.Record == 0 && !enough:
		return untrained
	case used.Record != newest.Record, enough && !current:
		return learning
	}
	return ready
}
