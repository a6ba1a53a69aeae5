package manage

import (
	"context"

	"earshot"
	"earshot/internal/http/rest"
	"earshot/internal/notify/digest"
)

// A newFeedLink is a feed that was just created. Its path contains the token, which cannot be read
// again.
type newFeedLink struct {
	digest.FeedInfo
	Path string `json:"path"`
}

// feedPath is where feeds are served.
const feedPath = "/feed/v1/"

// addFeed serves POST /manage/v1/feeds.
func (a *API) addFeed(ctx context.Context, c *earshot.Caller, p struct {
	Body struct {
		Team    earshot.TeamID    `json:"team"` // optional if monitor is set
		Name    string            `json:"name"`
		Kind    earshot.FeedKind  `json:"kind"`
		Monitor earshot.MonitorID `json:"monitor"`
		Filter  string            `json:"filter"`
	} `body:"json"`
}) (response rest.Created[newFeedLink], err error) {
	b := p.Body
	if b.Filter != "" && b.Kind == earshot.PostFeed && b.Monitor != 0 {
		if err := a.checkQuery(ctx, c, postsQuery{monitorPath: monitorPath{ID: b.Monitor}, Filter: b.Filter}); err != nil {
			return response, err
		}
	}
	l, token, err := a.Digest.AddFeed(ctx, c, earshot.FeedLink{Team: b.Team, Name: b.Name, Kind: b.Kind, Monitor: b.Monitor, Filter: b.Filter})
	if err != nil {
		return response, err
	}
	return rest.Created[newFeedLink]{Value: newFeedLink{a.Digest.DescribeFeed(l), feedPath + token}}, nil
}

type feedParams struct {
	Token   string `path:"token"`
	Address string `request:"address"`
}

// ResponseMemory implements [rest.Weighted]: readers compute few feeds at the same time.
func (p feedParams) ResponseMemory() int64 { return rest.LongResponse }

// showFeed serves GET /feed/v1/{token}. The token decides everything about the response, and who is
// signed in does not matter. Readers need not load the feed again until it changes.
func (a *API) showFeed(ctx context.Context, _ *earshot.Caller, p feedParams) (rest.Download, error) {
	if err := a.Ready(); err != nil {
		return rest.Download{}, err
	}
	l, reader, err := a.Digest.OpenFeed(p.Token, p.Address)
	if err != nil {
		return rest.Download{}, err
	}
	feed, err := a.Composer.Feed(ctx, reader, l, feedPath+p.Token)
	return rest.Download{Type: feed.Type, Tag: feed.Tag, Modified: feed.Modified, Write: downloadText(feed.Data)}, err
}
