package api

import (
	"context"
	"errors"
	"net/http"
	"strconv"

	"earshot"
	"earshot/internal/http/rest"
	"earshot/internal/jsonvalue"
	"earshot/internal/state/feed"
	"earshot/internal/stream"
	"earshot/internal/workspace/postview"
)

type streamListParams struct {
	Team earshot.TeamID `query:"teamid,required" doc:"id of the team" example:"2147483649"`
}

type streamListResponse struct {
	Streams []streamInfo `json:"streams" doc:"the streams of the team"`
	Status  rest.Success `json:"status"`
}

type streamInfo struct {
	ID       earshot.StreamID `json:"id" doc:"id of the stream"`
	Name     string           `json:"name" doc:"name of the stream"`
	TeamName string           `json:"teamName" doc:"name of the team it belongs to"`
	Monitors []streamMonitor  `json:"monitors" doc:"monitors that feed the stream"`
}

// A streamMonitor is a monitor as streams list it.
type streamMonitor struct {
	monitorHead
	monitorTail
	Categories []category `json:"categories" doc:"categories that posts are assigned to"`
	Emotions   []category `json:"emotions" doc:"emotions that posts are assigned to"`
}

// streamList serves /api/stream/list.
func (a *API) streamList(_ context.Context, c *earshot.Caller, p streamListParams) (streamListResponse, error) {
	if _, err := a.Accounts.RequireTeam(c, p.Team); err != nil {
		return streamListResponse{}, err
	}
	return streamListResponse{Streams: jsonvalue.Map(a.Streams.List(c, p.Team), a.streamInfo)}, nil
}

func (a *API) streamInfo(st *earshot.Stream) streamInfo {
	return streamInfo{
		ID:       st.ID,
		Name:     st.Name,
		TeamName: a.Streams.TeamName(st),
		Monitors: jsonvalue.Map(a.Streams.Monitors(st), func(m *earshot.Monitor) streamMonitor {
			info := a.monitorInfo(m)
			return streamMonitor{info.monitorHead, info.monitorTail, categories(m.Categories), categories(m.Emotions)}
		}),
	}
}

type streamID struct {
	ID earshot.StreamID `path:"streamid" doc:"id of the stream"`
}

type streamPostsParams struct {
	streamID
	Count  *postCount   `query:"count" doc:"maximum number of posts, 1 to 100; default 100"`
	Cursor *feed.Cursor `query:"cursor" doc:"reads from this cursor without consuming posts: a value of the header X-Stream-Cursor, or end"`
	Method string       `request:"method"`
}

type streamPostsResponse struct {
	Posts               []*postview.StreamPost `json:"posts" doc:"posts, oldest first"`
	TotalPostsAvailable int64                  `json:"totalPostsAvailable" doc:"number of posts that were queued, including those in the response"`
	Status              rest.Success           `json:"status"`

	next feed.Cursor
}

// HTTPHeader returns the cursor after the last post of the response.
func (r streamPostsResponse) HTTPHeader() http.Header {
	return http.Header{"X-Stream-Cursor": {r.next.String()}}
}

// streamPosts serves GET /api/stream/{streamid}/posts.
func (a *API) streamPosts(ctx context.Context, c *earshot.Caller, p streamPostsParams) (response streamPostsResponse, err error) {
	count := stream.MaxPosts
	if p.Count != nil {
		count = int(*p.Count)
	}
	st, err := a.Streams.Find(c, p.ID)
	if err != nil {
		return response, err
	}
	renderer := a.Posts.NewStreamRenderer()
	for _, m := range a.Streams.Monitors(st) {
		if m.Type != earshot.Opinion {
			continue
		}
		if err := renderer.Prepare(ctx, m); err != nil { // check first, so that posts that cannot be rendered stay in the queue
			return response, err
		}
	}
	page, err := a.readStream(ctx, p, count)
	if err != nil {
		return response, err
	}
	response = streamPostsResponse{Posts: make([]*postview.StreamPost, len(page.Posts)), TotalPostsAvailable: page.Pending, next: page.Next}
	for i := range page.Posts {
		if response.Posts[i], err = renderer.Render(ctx, &page.Posts[i]); err != nil {
			return response, err
		}
	}
	return response, nil
}

// A postCount is the number of posts that a request asks for.
type postCount int32

// UnmarshalText implements [encoding.TextUnmarshaler].
func (n *postCount) UnmarshalText(text []byte) error {
	v, err := strconv.Atoi(string(text))
	if err != nil || v < 1 || v > stream.MaxPosts {
		return errors.New("a whole number from 1 to 100")
	}
	*n = postCount(v)
	return nil
}

// readStream takes posts off the queue. If the request has a cursor or is a HEAD request, it only
// reads them.
func (a *API) readStream(ctx context.Context, p streamPostsParams, count int) (stream.Page, error) {
	switch {
	case p.Cursor != nil:
		page, err := a.Streams.Read(ctx, p.ID, *p.Cursor, count)
		if errors.Is(err, feed.ErrBeyondEnd) {
			err = stream.NoCursor("cursor", *p.Cursor)
		}
		return page, err
	case p.Method == http.MethodHead:
		queue, err := a.Streams.Cursor(ctx, p.ID)
		if err != nil {
			return stream.Page{}, err
		}
		return a.Streams.Read(ctx, p.ID, queue, count)
	}
	return a.Streams.Take(ctx, p.ID, count)
}

type dropStreamPostsParams struct {
	streamID
	Count *topCount `query:"count" doc:"number of posts to delete; all if omitted"`
}

type dropStreamPostsResponse struct {
	DeletedPosts int64        `json:"deletedPosts" doc:"number of posts deleted"`
	Status       rest.Success `json:"status"`
}

// dropStreamPosts serves DELETE /api/stream/{streamid}/posts.
func (a *API) dropStreamPosts(ctx context.Context, c *earshot.Caller, p dropStreamPostsParams) (dropStreamPostsResponse, error) {
	count := int64(-1)
	if p.Count != nil {
		count = int64(*p.Count)
	}
	if _, err := a.Streams.Find(c, p.ID); err != nil {
		return dropStreamPostsResponse{}, err
	}
	dropped, err := a.Streams.Drop(ctx, p.ID, count)
	return dropStreamPostsResponse{DeletedPosts: dropped}, err
}
