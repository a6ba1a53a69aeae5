package manage

import (
	"context"
	"time"

	"earshot"
	"earshot/internal/http/rest"
	"earshot/internal/jsonvalue"
	"earshot/internal/state/feed"
)

type streamInfo struct {
	ID       earshot.StreamID    `json:"id"`
	Name     string              `json:"name"`
	Team     earshot.TeamID      `json:"team"`
	Monitors []earshot.MonitorID `json:"monitors"`
	Created  time.Time           `json:"created"`
}

func (a *API) newStream(st *earshot.Stream) streamInfo {
	return streamInfo{
		ID: st.ID, Name: st.Name, Team: st.Team, Created: st.Created,
		Monitors: jsonvalue.Map(a.Streams.Monitors(st), func(m *earshot.Monitor) earshot.MonitorID { return m.ID }),
	}
}

type streamID = idPath[earshot.StreamID]

func (a *API) addStream(ctx context.Context, c *earshot.Caller, p struct {
	Body struct {
		Name string         `json:"name"`
		Team earshot.TeamID `json:"team"`
	} `body:"json"`
}) (rest.Created[streamInfo], error) {
	if p.Body.Team == 0 {
		return rest.Created[streamInfo]{}, earshot.InvalidBody("team is missing")
	}
	return toCreated(a.newStream)(a.Streams.Add(ctx, c, p.Body.Team, p.Body.Name))
}

func (a *API) editStream(ctx context.Context, c *earshot.Caller, p struct {
	streamID
	Body struct {
		Name *string         `json:"name"`
		Team *earshot.TeamID `json:"team"`
	} `body:"json"`
}) (streamInfo, error) {
	st, err := a.Streams.Find(c, p.ID)
	switch {
	case err != nil:
		return streamInfo{}, err
	case p.Body.Team != nil && *p.Body.Team != st.Team:
		return streamInfo{}, earshot.InvalidBody("team cannot be changed; create a new stream instead")
	case p.Body.Name == nil:
		return a.newStream(st), nil
	}
	return toResponse(a.newStream)(a.Streams.Rename(ctx, c, p.ID, *p.Body.Name))
}

type streamMonitor struct {
	streamID
	Monitor earshot.MonitorID `path:"monitor"`
}

// addStreamMonitor returns the stream, so that the caller sees its monitors.
func (a *API) addStreamMonitor(ctx context.Context, c *earshot.Caller, p streamMonitor) (streamInfo, error) {
	return toResponse(a.newStream)(a.Streams.AddMonitor(ctx, c, p.ID, p.Monitor))
}

func (a *API) removeStreamMonitor(ctx context.Context, c *earshot.Caller, p streamMonitor) (rest.NoContent, error) {
	_, err := a.Streams.RemoveMonitor(ctx, c, p.ID, p.Monitor)
	return rest.NoContent{}, err
}

// A streamQueue is the state of a stream's queue. A post that several monitors match is in the queue
// once for each of them.
type streamQueue struct {
	Waiting int64       `json:"waiting"` // number of posts
	End     feed.Cursor `json:"end"`     // after the last of them
}

// showStreamQueue serves GET /manage/v1/streams/{id}/queue. It does not change the queue. The
// number may include posts that were deleted while they were queued.
func (a *API) showStreamQueue(ctx context.Context, c *earshot.Caller, p streamID) (response streamQueue, err error) {
	if _, err := a.Streams.Find(c, p.ID); err != nil {
		return response, err
	}
	from, err := a.Streams.Cursor(ctx, p.ID)
	if err != nil {
		return response, err
	}
	waiting, err := a.Streams.Read(ctx, p.ID, from, 1)
	if err != nil {
		return response, err
	}
	last, err := a.Streams.Read(ctx, p.ID, feed.End, 1)
	return streamQueue{Waiting: waiting.Pending, End: last.Next}, err
}
