package manage

import (
	"context"
	"time"

	"earshot"
	"earshot/internal/ingest/rematch"
)

type progress struct {
	State     rematch.State `json:"state"`
	Done      int64         `json:"done"`
	Total     int64         `json:"total"`
	StartedAt *time.Time    `json:"startedAt"` // null: not started
	Message   string        `json:"message"`
}

func newProgress(p rematch.Progress) progress {
	shown := progress{State: p.State, Done: p.Done, Total: p.Total, Message: p.Message}
	if !p.Started.IsZero() {
		shown.StartedAt = &p.Started
	}
	return shown
}

type monitorProgress struct {
	progress
	Firing int `json:"firing"` // signals of the monitor and its filters
}

// showProgress serves /manage/v1/monitors/{id}/progress.
func (a *API) showProgress(_ context.Context, c *earshot.Caller, p monitorPath) (monitorProgress, error) {
	m, err := a.Monitors.Find(c, p.ID)
	if err != nil || m.Parent != 0 { // a filter is rematched with its monitor
		return monitorProgress{}, earshot.NoMonitor(p.ID)
	}
	return monitorProgress{newProgress(a.Rematch.Progress(p.ID)), a.Signals.Firing(c)[p.ID]}, nil
}
