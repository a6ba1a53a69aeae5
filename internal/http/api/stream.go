package api

import (
	"context"
	"errors"
	"net/http"
	"strconv"

	"earshot"
	"earshot/internal/http/rest"
	"earshot/internal/state/feed"
	"earshot/internal/stream"
)

type streamListParams struct {
	Team earshot.TeamID `query:"teamid,required" doc:"id of the team whose streams are listed" example:"2147483649"`
}

type streamListResponse struct {
	Streams []streamInfo `json:"streams" doc:"the streams of the team"`
	Status  rest.Success `json:"status"`
}

type streamInfo struct {
	ID       earshot.StreamID `json:"id" doc:"id of the stream"`
	Name     string           `json:"name" doc:"name of the stream"`
	TeamName string           `json:"teamName" doc:"name of the team it belongs to"`
	Monitors []streamMonitor  `json:"monitors" doc:"monitors whose posts it takes"`
}

// A streamMonitor is a monitor as streams list it.
type streamMonitor struct {
	monitorHead
	monitorTail
	Categories []category `json:"categories" doc:"categories posts are assigned to"`
	Emotions   []category `json:"emotions" doc:"emotions posts are assigned to"`
}

// streamList serves /api/stream/list.
func (a *API) streamList(_ context.Context, c *earshot.Caller, p streamListParams) (streamListResponse, error) {
	if _, err := a.Accounts.RequireTeam(c, p.Team); err != nil {
		return streamListResponse{}, err
	}
	return streamListResponse{Streams: mapSlice(a.Streams.List(c, p.Team), a.streamInfo)}, nil
}

func (a *API) streamInfo(st *earshot.Stream) streamInfo {
	return streamInfo{
		ID:       st.ID,
		Name:     st.Name,
		TeamName: a.Streams.TeamName(st),
		Monitors: mapSlice(a.Streams.Monitors(st), func(m *earshot.Monitor) streamMonitor {
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
	Count  *postCount  `query:"count" doc:"how many posts at most: 1 to 100; 100 when left out"`
	Cursor *feed.Place `query:"cursor" doc:"reads on from here, without moving the queue: the header X-Stream-Cursor of an answer, or end"`
	Method string      `request:"method"`
}

type streamPostsResponse struct {
	Posts               []streamPost `json:"posts" doc:"the posts that have waited longest first"`
	TotalPostsAvailable int64        `json:"totalPostsAvailable" doc:"posts that were waiting, those of the answer included"`
	Status              rest.Success `json:"status"`

	next feed.Place
}

// HTTPHeader tells the place just after the posts.
func (r streamPostsResponse) HTTPHeader() http.Header {
	return http.Header{"X-Stream-Cursor": {r.next.String()}}
}

// A streamPost is a post in a stream.
type streamPost struct {
	postFacts
	MonitorID      earshot.MonitorID  `json:"monitorId" doc:"monitor that it is in the stream for"`
	GUID           string             `json:"guid,omitempty" doc:"id of the post on its source"`
	ParentGUID     string             `json:"parentGuid,omitempty" doc:"id of the post that it answers or repeats"`
	EngagementType earshot.Engagement `json:"engagementType,omitempty" doc:"how it relates to another post" values:"POST,RETWEET,REPLY,COMMENT"`
	DocumentsURLs  []string           `json:"documentsUrls" doc:"addresses in its text"`
	MediaURLs      []string           `json:"mediaUrls" doc:"addresses of its images and videos"`
	PageID         string             `json:"pageId,omitempty" doc:"page it stands on, where its source has pages"`
	Custom         map[string]string  `json:"custom,omitempty" doc:"the custom fields of an uploaded document"`
}

// streamPosts serves GET /api/stream/{streamid}/posts.
func (a *API) streamPosts(ctx context.Context, c *earshot.Caller, p streamPostsParams) (answer streamPostsResponse, err error) {
	count := stream.MostPosts
	if p.Count != nil {
		count = int(*p.Count)
	}
	st, err := a.Streams.Find(c, p.ID)
	if err != nil {
		return answer, err
	}
	showers, err := a.streamShowers(ctx, st) // first: what cannot be shown must not be taken
	if err != nil {
		return answer, err
	}
	page, err := a.readStream(ctx, p, count)
	if err != nil {
		return answer, err
	}
	posts, err := a.showStream(ctx, page.Posts, showers)
	return streamPostsResponse{Posts: posts, TotalPostsAvailable: page.Waiting, next: page.Next}, err
}

// A postCount is how many posts a call wants.
type postCount int32

func (n *postCount) UnmarshalText(text []byte) error {
	v, err := strconv.Atoi(string(text))
	if err != nil || v < 1 || v > stream.MostPosts {
		return errors.New("a whole number from 1 to 100")
	}
	*n = postCount(v)
	return nil
}

// readStream takes posts unless the caller names a place, or does not want to see them.
func (a *API) readStream(ctx context.Context, p streamPostsParams, count int) (stream.Page, error) {
	switch {
	case p.Cursor != nil:
		page, err := a.Streams.Read(ctx, p.ID, *p.Cursor, count)
		if errors.Is(err, feed.ErrBeyond) {
			err = stream.NoPlace("cursor", *p.Cursor)
		}
		return page, err
	case p.Method == http.MethodHead:
		queue, err := a.Streams.Queue(ctx, p.ID)
		if err != nil {
			return stream.Page{}, err
		}
		return a.Streams.Read(ctx, p.ID, queue, count)
	}
	return a.Streams.Take(ctx, p.ID, count)
}

// showers show posts, each as its monitor's. They are made as they are needed.
type showers map[earshot.MonitorID]*shower

// streamShowers makes those of a stream's opinion monitors, which may fail.
func (a *API) streamShowers(ctx context.Context, st *earshot.Stream) (made showers, err error) {
	made = showers{}
	for _, m := range a.Streams.Monitors(st) {
		if m.Type != earshot.Opinion {
			continue
		}
		if made[m.ID], err = a.steadyShower(ctx, m); err != nil {
			return nil, err
		}
	}
	return made, nil
}

// showStream shows posts of a stream.
func (a *API) showStream(ctx context.Context, posts []stream.Post, by showers) ([]streamPost, error) {
	shown := make([]streamPost, len(posts))
	for i := range posts {
		if err := by.show(ctx, a, &shown[i], &posts[i]); err != nil {
			return nil, err
		}
	}
	return shown, nil
}

// show shows a post as its monitor's.
func (by showers) show(ctx context.Context, a *API, shown *streamPost, p *stream.Post) (err error) {
	s := by[p.Monitor.ID]
	if s == nil {
		if s, err = a.steadyShower(ctx, p.Monitor); err != nil {
			return err
		}
		by[p.Monitor.ID] = s
	}
	*shown = streamPost{
		MonitorID:      p.Monitor.ID,
		GUID:           p.GUID,
		ParentGUID:     p.ParentGUID,
		EngagementType: p.Engagement,
		DocumentsURLs:  orEmpty(p.Links),
		MediaURLs:      orEmpty(p.MediaURLs),
		PageID:         p.PageID,
		Custom:         p.Custom,
	}
	s.showFacts(&shown.postFacts, &p.Post)
	return nil
}

// ShowStream returns what makes the JSON of posts of a stream.
func (a *API) ShowStream() func(ctx context.Context, p *stream.Post) ([]byte, error) {
	by := showers{}
	return func(ctx context.Context, p *stream.Post) ([]byte, error) {
		var shown streamPost
		if err := by.show(ctx, a, &shown, p); err != nil {
			return nil, err
		}
		return rest.AppendJSON(nil, &shown)
	}
}

type dropStreamPostsParams struct {
	streamID
	Count *topCount `query:"count" doc:"how many posts to drop; all when left out"`
}

type dropStreamPostsResponse struct {
	DeletedPosts int64        `json:"deletedPosts" doc:"posts that were dropped"`
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
