package manage

import (
	"context"
	"time"

	"earshot"
)

type progress struct {
	State     earshot.ProgressState `json:"state"`
	Done      int64                 `json:"done"`
	Total     int64                 `json:"total"`
	StartedAt *time.Time            `json:"startedAt"` // null: not yet
	Message   string                `json:"message"`
}

func newProgress(p earshot.Progress) progress {
	shown := progress{State: p.State, Done: p.Done, Total: p.Total, Message: p.Message}
	if !p.Started.IsZero() {
		shown.StartedAt = &p.Started
	}
	return shown
}

// showProgress serves /manage/v1/monitors/{id}/progress.
func (a *API) showProgress(_ context.Context, c *earshot.Caller, p monitorPath) (progress, error) {
	made, err := a.Monitors.Progress(c, p.ID)
	return newProgress(made), err
}
