package api

import (
	"context"

	"earshot"
	"earshot/internal/http/rest"
)

type addStreamParams struct {
	Body struct {
		Team earshot.TeamID `json:"teamid" doc:"id of the team it belongs to" required:"true" example:"2147483649"`
		Name string         `json:"name" doc:"name of the stream" required:"true" example:"Launch day"`
	} `body:"json"`
}

type addStreamResponse struct {
	Stream streamInfo   `json:"stream" doc:"the stream"`
	Status rest.Success `json:"status"`
}

// addStream serves POST /api/stream.
func (a *API) addStream(ctx context.Context, c *earshot.Caller, p addStreamParams) (addStreamResponse, error) {
	if p.Body.Team == 0 {
		return addStreamResponse{}, earshot.InvalidBody("teamid is missing")
	}
	st, err := a.Streams.Add(ctx, c, p.Body.Team, p.Body.Name)
	if err != nil {
		return addStreamResponse{}, err
	}
	return addStreamResponse{Stream: a.streamInfo(st)}, nil
}

type renameStreamParams struct {
	streamID
	Body struct {
		Name string `json:"name" doc:"new name" required:"true" example:"Launch week"`
	} `body:"json"`
}

// renameStream serves POST /api/stream/{streamid}.
func (a *API) renameStream(ctx context.Context, c *earshot.Caller, p renameStreamParams) (statusResponse, error) {
	_, err := a.Streams.Rename(ctx, c, p.ID, p.Body.Name)
	return statusResponse{}, err
}

// removeStream serves DELETE /api/stream/{streamid}.
func (a *API) removeStream(ctx context.Context, c *earshot.Caller, p streamID) (statusResponse, error) {
	return statusResponse{}, a.Streams.Remove(ctx, c, p.ID)
}

type streamMonitorParams struct {
	streamID
	Monitor earshot.MonitorID `path:"monitorid" doc:"id of a monitor of the same team"`
}

// addStreamMonitor serves POST /api/stream/{streamid}/monitor/{monitorid}.
func (a *API) addStreamMonitor(ctx context.Context, c *earshot.Caller, p streamMonitorParams) (statusResponse, error) {
	_, err := a.Streams.AddMonitor(ctx, c, p.ID, p.Monitor)
	return statusResponse{}, err
}

// removeStreamMonitor serves DELETE /api/stream/{streamid}/monitor/{monitorid}.
func (a *API) removeStreamMonitor(ctx context.Context, c *earshot.Caller, p streamMonitorParams) (statusResponse, error) {
	_, err := a.Streams.RemoveMonitor(ctx, c, p.ID, p.Monitor)
	return statusResponse{}, err
}
