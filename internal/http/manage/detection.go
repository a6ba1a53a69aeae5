package manage

import (
	"context"
	"time"

	"earshot"
	"earshot/internal/jsonvalue"
	"earshot/internal/notify/signal"
)

// A detectionInfo says how a monitor or filter is watched for unusual activity, and what is expected
// of it now. Rule has no ID if the defaults apply.
type detectionInfo struct {
	Rule          ruleInfo               `json:"rule"`
	LearningUntil *time.Time             `json:"learningUntil"` // null: it has learned enough
	Expected      []signal.WindowOutlook `json:"expected"`      // empty while it is learning
	Firing        int                    `json:"firing"`        // signals of any kind
}

// showDetection serves GET /manage/v1/monitors/{id}/detection, for monitors and filters.
func (a *API) showDetection(ctx context.Context, c *earshot.Caller, p monitorPath) (response detectionInfo, err error) {
	m, err := a.Monitors.Find(c, p.ID)
	if err != nil {
		return response, err
	}
	r, err := a.Signals.Detection(c, p.ID)
	if err != nil {
		return response, err
	}
	outlook, err := a.Signals.Outlook(ctx, m)
	if err != nil {
		return response, err
	}
	firing, err := a.Signals.List(c, signal.Query{Monitor: p.ID, State: earshot.Firing})
	if err != nil {
		return response, err
	}
	unusual, err := a.Signals.List(c, signal.Query{Monitor: p.ID, Kind: earshot.UnusualKinds})
	if err != nil {
		return response, err
	}
	var last *earshot.Signal
	if len(unusual) > 0 {
		last = unusual[0]
	}
	return detectionInfo{
		Rule: a.newRule(r, last, a.Signals.Feedback()(r)), LearningUntil: jsonvalue.Optional(outlook.LearningUntil),
		Expected: outlook.Windows, Firing: len(firing),
	}, nil
}

// setDetection serves PUT /manage/v1/monitors/{id}/detection.
func (a *API) setDetection(ctx context.Context, c *earshot.Caller, p struct {
	monitorPath
	Body ruleBody `body:"json"`
}) (detectionInfo, error) {
	if _, err := a.Signals.SetDetection(ctx, c, p.ID, p.Body.changes()); err != nil {
		return detectionInfo{}, err
	}
	return a.showDetection(ctx, c, p.monitorPath)
}
