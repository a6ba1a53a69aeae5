package manage

import (
	"context"
	"time"

	"earshot"
	"earshot/internal/insight"
)

// States of an opinion monitor's model.
const (
	modelUntrained = "untrained" // no model, and too few training posts to fit one
	modelTraining  = "learning"  // a new model is being trained or is categorizing stored posts
	modelReady     = "ready"     // the model has categorized all posts, and its training posts have not changed since
)

type modelInfo struct {
	Monitor       earshot.MonitorID `json:"monitor"`
	State         string            `json:"state" values:"untrained,learning,ready"`
	Missing       string            `json:"missing,omitempty"` // what is missing to train a model
	TrainingPosts int               `json:"trainingPosts"`
	Changed       bool              `json:"changed"` // whether training posts have changed since the model was trained
	TrainedAt     *time.Time        `json:"trainedAt" old:"learntAt"`
	Sufficient    bool              `json:"sufficient"` // whether the training posts of the model suffice to estimate proportions
	Report        *modelReport      `json:"report,omitempty"`
	Advice        []string          `json:"advice"`
}

// showModel serves /manage/v1/monitors/{id}/model.
func (a *API) showModel(ctx context.Context, c *earshot.Caller, p monitorPath) (info modelInfo, err error) {
	m, err := a.opinion(c, p.ID)
	if err != nil {
		return modelInfo{}, err
	}
	err = a.Insight.WithCategorization(ctx, m, func(categorization insight.Categorization) (err error) {
		if m, err = a.opinion(c, p.ID); err == nil { // the monitor may have changed since
			info, err = a.newModelInfo(ctx, m, categorization)
		}
		return err
	})
	return info, err
}

func (a *API) newModelInfo(ctx context.Context, m *earshot.Monitor, c insight.Categorization) (modelInfo, error) {
	used := m.Training.InUse(c.ModelID)
	info := modelInfo{Monitor: m.ID, State: a.modelState(m, used), Changed: !c.IsZero() && used.Changes != m.Training.Changes}
	for _, c := range m.Categories {
		info.TrainingPosts += c.TrainingDocs
	}
	if err := earshot.RequireTraining(m); err != nil {
		info.Missing = err.Error()
	}
	if c.IsZero() {
		info.Advice = newAdvice(m, nil)
		return info, nil
	}
	trainedAt := c.TrainedAt.UTC().Truncate(time.Second)
	info.TrainedAt = &trainedAt
	posts, err := a.Training.List(ctx, m, 0)
	if err != nil {
		return modelInfo{}, err
	}
	info.Sufficient = c.Model.IsSufficient()
	report := c.Model.Report()
	report.Disagreements = currentDisagreements(report.Disagreements, posts)
	info.Report = a.newReport(m, &report, posts)
	info.Advice = newAdvice(m, &report)
	if !info.Sufficient {
		info.Advice = append([]string{adviseInsufficient}, info.Advice...)
	}
	return info, nil
}

// modelState returns the state of m's model. The parameter used is the model that categorized its
// posts.
func (a *API) modelState(m *earshot.Monitor, used earshot.Model) string {
	newest := m.Training.Model
	trainable := earshot.RequireTraining(m) == nil
	current := newest.Changes == m.Training.Changes && a.Training.IsCurrent(newest)
	switch {
	case used.Record == 0 && !trainable:
		return modelUntrained
	case used.Record != newest.Record, trainable && !current:
		return modelTraining
	}
	return modelReady
}
