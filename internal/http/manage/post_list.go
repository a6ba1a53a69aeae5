package manage

import (
	"context"
	"strconv"

	"earshot"
	"earshot/internal/insight"
	"earshot/internal/postview"
)

// Default and maximum page size, and the number of posts that all pages together can list.
const (
	defaultPosts   = 50
	maxPosts       = 500
	maxListedPosts = 10_000
)

// A postsQuery selects posts of a monitor or filter.
type postsQuery struct {
	monitorPath
	dayParams
	Filter string `query:"filter"`
}

// find returns the monitor or filter and the range of days.
func (p postsQuery) find(a *API, c *earshot.Caller) (*earshot.Monitor, earshot.Days, error) {
	m, err := a.Monitors.Find(c, p.ID)
	if err != nil {
		return nil, earshot.Days{}, err
	}
	days, err := p.days(m, a.Now())
	return m, days, err
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
	if p.Offset < 0 || p.Offset > maxListedPosts-limit {
		return 0, 0, earshot.InvalidParameter("offset", strconv.Itoa(p.Offset), "a whole number of 0 or more; offset plus limit must not exceed 10000")
	}
	return limit, p.Offset, nil
}

// A postsResponse covers the days that have results. Start and End are empty if there are none.
type postsResponse struct {
	Start  earshot.Date                `json:"start"`
	End    earshot.Date                `json:"end"`
	Total  int64                       `json:"total"`
	Groups int64                       `json:"groups,omitempty"` // groups of duplicates, if requested
	Items  []*postview.HighlightedPost `json:"items"`
	Next   int                         `json:"next"`             // offset of the next page; 0: no more pages
	Cursor string                      `json:"cursor,omitempty"` // of the next page of a sorted list
}

// listPosts serves GET /manage/v1/monitors/{id}/posts.
func (a *API) listPosts(ctx context.Context, c *earshot.Caller, p postsParams) (response postsResponse, err error) {
	limit, offset, err := p.page()
	if err != nil {
		return response, err
	}
	m, days, err := p.find(a, c)
	if err != nil {
		return response, err
	}
	days = a.Insight.ResultDays(m, days)
	if p.isRanked() {
		return a.rankPosts(ctx, c, m, days, p, limit)
	}
	err = a.Insight.WithCategorization(ctx, m, func(categorization insight.Categorization) error {
		refinement, err := a.Filters.Refinement(c, m, p.Filter).Selection(categorization)
		if err != nil {
			return err
		}
		posts, total, err := a.Insight.Posts(ctx, m, days, refinement, offset+limit)
		if err != nil {
			return err
		}
		response = postsResponse{Start: days.Start, End: days.End, Total: total, Items: []*postview.HighlightedPost{}}
		r := a.Posts.NewRenderer(postview.Options{Monitor: m, Categorization: categorization, Refinement: refinement.Where, Excerpts: !p.Full, Marks: seesMarks(c)})
		for i := offset; i < len(posts); i++ {
			response.Items = append(response.Items, r.Highlight(&posts[i]))
		}
		if next := offset + limit; int64(next) < total && next+limit <= maxListedPosts {
			response.Next = next
		}
		return nil
	})
	return response, err
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
			rendered = a.Posts.NewRenderer(postview.Options{Monitor: m, Categorization: categorization, Marks: seesMarks(c)}).Highlight(post)
		}
		return err
	})
	return rendered, err
}

// findPost returns the post of m with the given key.
func (a *API) findPost(ctx context.Context, m *earshot.Monitor, text string) (*earshot.Post, error) {
	key, ok := earshot.ParsePostKey(text)
	if !ok {
		return nil, earshot.Errorf(earshot.NotFound, "Post %s does not exist", earshot.Clip(text, 200))
	}
	return a.Insight.Post(ctx, m, key)
}
