package manage

import (
	"context"
	"strconv"

	"earshot"
	"earshot/internal/insight"
)

// How many posts a page has, and how far pages reach.
const (
	defaultPosts = 50
	mostPosts    = 500
	lastPost     = 10_000
)

// postsOf says which posts of a monitor are meant. A filter is asked like its monitor.
type postsOf struct {
	monitorPath
	Start  earshot.Date `query:"start"`
	End    earshot.Date `query:"end"` // exclusive
	Filter string       `query:"filter"`
}

// find returns the monitor and the days: the last thirty that have results unless others
// are named.
func (p postsOf) find(a *API, c *earshot.Caller) (*earshot.Monitor, earshot.Days, error) {
	m, err := a.Monitors.Find(c, p.ID)
	if err != nil {
		return nil, earshot.Days{}, err
	}
	days, err := a.proportionDays(m, proportionsParams{Start: p.Start, End: p.End})
	return m, days, err
}

type postsParams struct {
	postsOf
	Limit  *int `query:"limit"`
	Offset int  `query:"offset"`
	Full   bool `query:"full"`
}

// page returns how many posts to show, after how many others.
func (p postsParams) page() (limit, offset int, err error) {
	limit = defaultPosts
	if p.Limit != nil {
		limit = *p.Limit
	}
	if limit < 1 || limit > mostPosts {
		return 0, 0, earshot.InvalidParameter("limit", strconv.Itoa(limit), "a whole number from 1 to 500")
	}
	if p.Offset < 0 || p.Offset+limit > lastPost {
		return 0, 0, earshot.InvalidParameter("offset", strconv.Itoa(p.Offset), "a whole number of 0 or more, and at most 10000 together with limit")
	}
	return limit, p.Offset, nil
}

type postsResponse struct {
	Total int64 `json:"total"`
	Items []any `json:"items"`
	Next  int   `json:"next"` // offset of the next page, 0: there is none
}

// listPosts serves GET /manage/v1/monitors/{id}/posts.
func (a *API) listPosts(ctx context.Context, c *earshot.Caller, p postsParams) (answer postsResponse, err error) {
	limit, offset, err := p.page()
	if err != nil {
		return answer, err
	}
	m, days, err := p.find(a, c)
	if err != nil {
		return answer, err
	}
	err = a.Insight.Steadily(ctx, m, func(sorted insight.Sorting) error {
		narrow, err := a.Narrow(m, p.Filter, sorted)
		if err != nil {
			return err
		}
		posts, total, err := a.Insight.Posts(ctx, m, days, narrow, offset+limit)
		if err != nil {
			return err
		}
		answer = postsResponse{Total: total, Items: []any{}}
		show := a.MarkPosts(m, sorted, narrow.Where, p.Full)
		for i := offset; i < len(posts); i++ {
			answer.Items = append(answer.Items, show(&posts[i]))
		}
		if next := offset + limit; int64(next) < total && next+limit <= lastPost {
			answer.Next = next
		}
		return nil
	})
	return answer, err
}

type postPath struct {
	monitorPath
	Key string `path:"key"`
}

// showPost serves GET /manage/v1/monitors/{id}/posts/{key}.
func (a *API) showPost(ctx context.Context, c *earshot.Caller, p postPath) (shown any, err error) {
	m, err := a.Monitors.Find(c, p.ID)
	if err != nil {
		return nil, err
	}
	err = a.Insight.Steadily(ctx, m, func(sorted insight.Sorting) error {
		post, err := a.findPost(ctx, m, p.Key)
		if err == nil {
			shown = a.MarkPosts(m, sorted, nil, true)(post)
		}
		return err
	})
	return shown, err
}

// findPost returns the post of m that a key names.
func (a *API) findPost(ctx context.Context, m *earshot.Monitor, text string) (*earshot.Post, error) {
	key, ok := earshot.ParsePostKey(text)
	if !ok {
		return nil, earshot.Errorf(earshot.NotFound, "Post %s does not exist", earshot.Clip(text, 200))
	}
	return a.Insight.Post(ctx, m, key)
}
