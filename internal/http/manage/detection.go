package manage

import (
	"context"

	"earshot"
	"earshot/internal/notify/signal"
)

// showDetection serves GET /manage/v1/monitors/{id}/detection, for monitors and filters.
func (a *API) showDetection(ctx context.Context, c *earshot.Caller, p monitorPath) (signal.DetectionInfo, error) {
	return a.Signals.DescribeDetection(ctx, c, p.ID)
}

// setDetection serves PUT /manage/v1/monitors/{id}/detection.
func (a *API) setDetection(ctx context.Context, c *earshot.Caller, p struct {
	monitorPath
	Body signal.RuleChanges `body:"json"`
}) (signal.DetectionInfo, error) {
	if _, err := a.Signals.SetDetection(ctx, c, p.ID, p.Body); err != nil {
		return signal.DetectionInfo{}, err
	}
	return a.Signals.DescribeDetection(ctx, c, p.ID)
}
