package manage

import (
	"context"
	"errors"
	"time"

	"earshot"
	"earshot/internal/connector"
	"earshot/internal/http/rest"
	"earshot/internal/jsonvalue"
	"earshot/internal/source"
	"earshot/internal/workspace/card"
)

// Sources manages and runs the live sources. [source.Service] implements it.
type Sources interface {
	List(c *earshot.Caller, team earshot.TeamID) []source.Info
	Find(c *earshot.Caller, id earshot.LiveSourceID) (source.Info, error)
	Add(ctx context.Context, c *earshot.Caller, src earshot.LiveSource, secret string) (source.Info, error)
	Edit(ctx context.Context, c *earshot.Caller, id earshot.LiveSourceID, change source.Change) (source.Info, error)
	Remove(ctx context.Context, c *earshot.Caller, id earshot.LiveSourceID, withPosts bool) error
	Test(ctx context.Context, c *earshot.Caller, src earshot.LiveSource, secret string, n int) ([]earshot.Post, error)
	Rules(ctx context.Context, c *earshot.Caller, src earshot.LiveSource, secret string) (*connector.Rules, error)
	Receive(ctx context.Context, id earshot.LiveSourceID, r connector.Request) (connector.Response, error)
	Gaps(m *earshot.Monitor, from, to time.Time) []source.SourceGap
}

// sourceInfo is a live source and what it is doing.
type sourceInfo struct {
	ID            earshot.LiveSourceID    `json:"id"`
	Name          string                  `json:"name"`
	Kind          string                  `json:"kind"`
	KindTitle     string                  `json:"kindTitle"`
	Team          earshot.TeamID          `json:"team"`
	TeamName      string                  `json:"teamName"`
	Settings      map[string]string       `json:"settings"`
	HasSecret     bool                    `json:"hasSecret"`
	Keep          earshot.Keep            `json:"keep"`
	RetentionDays int                     `json:"retentionDays"` // 0: the configured retention
	Paused        bool                    `json:"paused"`
	Created       time.Time               `json:"created"`
	ContentSource earshot.ContentSourceID `json:"contentSource,omitzero"` // that its posts are in
	Networks      []earshot.Source        `json:"networks"`               // that its posts are from
	Endpoint      string                  `json:"endpoint,omitempty"`     // of a kind that receives requests
	State         sourceState             `json:"state"`
	Counters      sourceCounters          `json:"counters"`
	LastPost      time.Time               `json:"lastPost,omitzero"`
	Activity      []int64                 `json:"activity"` // posts per minute, the current minute last
	Gaps          []card.SourceGap        `json:"gaps"`     // newest first
}

// sourceState is the activity of a source.
type sourceState struct {
	Phase      connector.Phase `json:"phase"`
	LagSeconds float64         `json:"lagSeconds"`
	Until      time.Time       `json:"until,omitzero"` // end of the backoff
	Reason     string          `json:"reason,omitempty"`
	Since      time.Time       `json:"since,omitzero"`
}

// sourceCounters count since the source was added.
type sourceCounters struct {
	connector.Counters
	GapSeconds float64 `json:"gapSeconds"`
}

// newSource returns a function that renders sources for a caller.
func (a *API) newSource(c *earshot.Caller) func(source.Info) sourceInfo {
	return func(i source.Info) sourceInfo {
		s := i.LiveSource
		info := sourceInfo{
			ID: s.ID, Name: s.Name, Kind: s.Kind, KindTitle: s.Kind, Team: s.Team,
			Settings: s.Settings, HasSecret: len(s.Secret) > 0, Keep: s.Keep, RetentionDays: s.RetentionDays,
			Paused: s.Paused, Created: s.Created, ContentSource: s.ContentSource,
			State: newSourceState(i.State), Counters: sourceCounters{i.Counters, i.GapTime.Seconds()},
			LastPost: i.LastPost, Activity: i.Activity, Gaps: jsonvalue.Map(i.Gaps, card.NewSourceGap),
		}
		if t, err := a.Accounts.FindTeam(c, s.Team); err == nil {
			info.TeamName = t.Name
		}
		if k := i.Kind; k != nil {
			info.KindTitle = k.Title
			if k.Sources != nil {
				info.Networks = k.Sources(k.WithDefaults(s.Settings))
			}
			if k.Receives {
				info.Endpoint = ingestPath(s.ID)
			}
		}
		return info
	}
}

func newSourceState(s source.State) sourceState {
	return sourceState{Phase: s.Phase, LagSeconds: s.Lag.Seconds(), Until: s.Until, Reason: s.Reason, Since: s.Since}
}

type sourceID = idPath[earshot.LiveSourceID]

// listSources serves GET /manage/v1/sources.
func (a *API) listSources(_ context.Context, c *earshot.Caller, p teamPage) (page[sourceInfo], error) {
	id := func(i source.Info) int64 { return int64(i.ID) }
	return paginate(p.pageParams, a.Sources.List(c, p.Team), id, a.newSource(c))
}

// showSource serves GET /manage/v1/sources/{id}.
func (a *API) showSource(_ context.Context, c *earshot.Caller, p sourceID) (sourceInfo, error) {
	return a.sourceResponse(c)(a.Sources.Find(c, p.ID))
}

// sourceResponse returns a function that converts a result of Sources to a response.
func (a *API) sourceResponse(c *earshot.Caller) func(source.Info, error) (sourceInfo, error) {
	return func(i source.Info, err error) (sourceInfo, error) {
		if err != nil {
			return sourceInfo{}, err
		}
		return a.newSource(c)(i), nil
	}
}

// newSourceBody is the body of POST /manage/v1/sources.
type newSourceBody struct {
	Team          earshot.TeamID    `json:"team"`
	Name          string            `json:"name"`
	Kind          string            `json:"kind"`
	Settings      map[string]string `json:"settings"`
	Secret        string            `json:"secret"`
	Keep          earshot.Keep      `json:"keep"` // empty: the default of the kind
	RetentionDays int               `json:"retentionDays"`
}

// addSource serves POST /manage/v1/sources.
func (a *API) addSource(ctx context.Context, c *earshot.Caller, p struct {
	Body newSourceBody `body:"json,large"`
}) (response rest.Created[sourceInfo], err error) {
	b := p.Body
	switch {
	case b.Team == 0:
		return response, earshot.InvalidBody("team is missing")
	case b.Kind == "":
		return response, earshot.InvalidBody("kind is missing; GET /manage/v1/source-kinds lists the kinds")
	}
	src := earshot.LiveSource{Team: b.Team, Name: b.Name, Kind: b.Kind, Settings: b.Settings, Keep: b.Keep, RetentionDays: b.RetentionDays}
	response.Value, err = a.sourceResponse(c)(a.Sources.Add(ctx, c, src, b.Secret))
	return response, networkError(err)
}

// editSource serves PATCH /manage/v1/sources/{id}. Missing fields and settings stay the
// same. An empty value removes a setting, and an empty secret removes the secret.
func (a *API) editSource(ctx context.Context, c *earshot.Caller, p struct {
	sourceID
	Body struct {
		Name          *string           `json:"name"`
		Settings      map[string]string `json:"settings"`
		Secret        *string           `json:"secret"`
		Keep          *earshot.Keep     `json:"keep"`
		RetentionDays *int              `json:"retentionDays"`
		Paused        *bool             `json:"paused"`
	} `body:"json,large"`
}) (sourceInfo, error) {
	info, err := a.sourceResponse(c)(a.Sources.Edit(ctx, c, p.ID, source.Change(p.Body)))
	return info, networkError(err)
}

// removeSource serves DELETE /manage/v1/sources/{id}.
func (a *API) removeSource(ctx context.Context, c *earshot.Caller, p struct {
	sourceID
	WithPosts bool `query:"withPosts"`
}) (rest.NoContent, error) {
	return rest.NoContent{}, a.Sources.Remove(ctx, c, p.ID, p.WithPosts)
}

// networkError converts an error from a connector to a user-facing one. Connectors include neither
// secrets nor the contents of other hosts in their errors.
func networkError(err error) error {
	var known *earshot.Error
	switch {
	case err == nil, errors.As(err, &known), errors.Is(err, context.Canceled):
		return err
	case errors.Is(err, context.DeadlineExceeded):
		return earshot.Errorf(earshot.Unprocessable, "The source did not respond in time")
	}
	return earshot.Errorf(earshot.Unprocessable, "%s", earshot.Clip(err.Error(), 1000))
}
