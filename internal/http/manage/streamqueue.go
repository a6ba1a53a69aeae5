package manage

import (
	"context"

	"earshot"
)

// A streamQueue tells what waits to be taken from a stream.
type streamQueue struct {
	Waiting int64 `json:"waiting"` // posts
}

// showStreamQueue serves GET /manage/v1/streams/{id}/queue. It takes nothing. Posts that were
// deleted while they waited may still be counted.
func (a *API) showStreamQueue(ctx context.Context, c *earshot.Caller, p streamID) (answer streamQueue, err error) {
	if _, err := a.Streams.Find(c, p.ID); err != nil {
		return answer, err
	}
	from, err := a.Streams.Queue(ctx, p.ID)
	if err != nil {
		return answer, err
	}
	page, err := a.Streams.Read(ctx, p.ID, from, 1)
	answer.Waiting = page.Waiting
	return answer, err
}
