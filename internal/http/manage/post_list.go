package manage

import (
	"context"
	"strconv"

	"earshot"
	"earshot/internal/http/rest"
	"earshot/internal/insight"
	"earshot/internal/workspace/card"
	"earshot/internal/workspace/postview"
)

// Default and maximum page size.
const (
	defaultPosts = 50
	maxPosts     = 500
)

// A postsQuery selects posts of a monitor or filter.
type postsQuery struct {
	monitorPath
	dayParams
	Filter string `query:"filter"`
}

// find returns the monitor or filter and the range of days.
func (p postsQuery) find(a *API, c *earshot.Caller) (*earshot.Monitor, earshot.Days, error) {
	return a.Cards.Find(c, p.query())
}

// query returns the query in the form of package card.
func (p postsQuery) query() card.Query {
	return card.Query{Monitor: p.ID, Period: p.period(), Filter: p.Filter}
}

// A longQuery is a postsQuery whose result takes long to compute.
type longQuery struct{ postsQuery }

// ResponseMemory implements [rest.Weighted].
func (p longQuery) ResponseMemory() int64 {
	return max(rest.LongResponse, p.dayParams.ResponseMemory())
}

type postsParams struct {
	postsQuery
	Limit  *int      `query:"limit"`
	Offset int       `query:"offset"`
	Full   bool      `query:"full"`
	Sort   postOrder `query:"sort"`
	Group  bool      `query:"group"`
	Cursor string    `query:"cursor"`
	Copies string    `query:"copiesOf"` // key of a post
}

// page returns the maximum number of posts to show and the number of posts to skip.
func (p postsParams) page() (limit, offset int, err error) {
	if limit, err = parseLimit(p.Limit, defaultPosts, maxPosts); err != nil {
		return 0, 0, err
	}
	if p.Offset < 0 || p.Offset > card.MaxListedPosts-limit {
		return 0, 0, earshot.InvalidParameter("offset", strconv.Itoa(p.Offset), "a whole number of 0 or more; offset plus limit must not exceed 10000")
	}
	return limit, p.Offset, nil
}

// listPosts serves GET /manage/v1/monitors/{id}/posts.
func (a *API) listPosts(ctx context.Context, c *earshot.Caller, p postsParams) (card.PostsResponse, error) {
	limit, offset, err := p.page()
	if err != nil {
		return card.PostsResponse{}, err
	}
	return a.Cards.Posts(ctx, c, card.PostsRequest{
		Query: p.query(), Limit: limit, Offset: offset, Full: p.Full,
		Ranked: p.isRanked(), Order: p.Sort.order, Group: p.Group, Cursor: p.Cursor, Copies: p.Copies,
	})
}

type postPath struct {
	monitorPath
	Key string `path:"key"`
}

// showPost serves GET /manage/v1/monitors/{id}/posts/{key}.
func (a *API) showPost(ctx context.Context, c *earshot.Caller, p postPath) (rendered *postview.HighlightedPost, err error) {
	m, err := a.Monitors.Find(c, p.ID)
	if err != nil {
		return nil, err
	}
	err = a.Insight.WithCategorization(ctx, m, func(categorization insight.Categorization) error {
		post, err := a.findPost(ctx, m, p.Key)
		if err == nil {
			rendered = a.Posts.NewRenderer(postview.Options{Monitor: m, Categorization: categorization, Marks: card.SeesMarks(c)}).Highlight(post)
		}
		return err
	})
	return rendered, err
}

// findPost returns the post of m with the given key.
func (a *API) findPost(ctx context.Context, m *earshot.Monitor, text string) (*earshot.Post, error) {
	key, err := parsePostKey(text)
	if err != nil {
		return nil, err
	}
	return a.Insight.Post(ctx, m, key)
}

// parsePostKey parses the key of a post in a path. No post has an invalid one.
func parsePostKey(text string) (earshot.PostKey, error) {
	key, ok := earshot.ParsePostKey(text)
	if !ok {
		return key, earshot.Errorf(earshot.NotFound, "Post %s does not exist", earshot.Clip(text, 200))
	}
	return key, nil
}
