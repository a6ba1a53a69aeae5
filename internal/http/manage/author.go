package manage

import (
	"context"
	"strings"
	"time"

	"earshot"
	"earshot/internal/http/rest"
	"earshot/internal/insight"
	"earshot/internal/workspace/card"
)

type authorParams struct {
	Name     string         `query:"name,required"`
	Source   earshot.Source `query:"source"`
	Team     earshot.TeamID `query:"team"`
	Timezone string         `query:"timezone"`
	dayParams
}

// ResponseMemory implements [rest.Weighted].
func (p authorParams) ResponseMemory() int64 {
	return max(rest.LongResponse, p.dayParams.ResponseMemory())
}

// query returns the posts that the caller may see.
func (p authorParams) query(a *API, c *earshot.Caller) (q insight.AuthorQuery, err error) {
	q = insight.AuthorQuery{Name: strings.TrimPrefix(strings.TrimSpace(p.Name), "@"), Source: p.Source, Zone: time.UTC, Restricted: a.Posts.Restricted}
	if p.Team != 0 {
		if _, err := a.Accounts.FindTeam(c, p.Team); err != nil {
			return q, err
		}
	}
	if p.Timezone != "" {
		if q.Zone, err = earshot.Zone(p.Timezone); err != nil {
			return q, earshot.InvalidParameter("timezone", p.Timezone, "the name of a time zone, like Europe/Berlin")
		}
	}
	q.Monitors = a.Monitors.List(c, p.Team)
	today := earshot.DateOf(a.Now().In(q.Zone))
	if q.Days, err = p.period().DaysUntil(today.AddDays(1), today); err != nil {
		return q, err
	}
	if !q.Days.Start.Before(q.Days.End) {
		return q, earshot.InvalidParameter("start", p.Start.String(), "not in the future")
	}
	return q, nil
}

type authorPostsParams struct {
	authorParams
	Limit  *int      `query:"limit"`
	Full   bool      `query:"full"`
	Sort   postOrder `query:"sort"`
	Cursor string    `query:"cursor"`
}

// showAuthor serves GET /manage/v1/author.
func (a *API) showAuthor(ctx context.Context, c *earshot.Caller, p authorParams) (card.AuthorInfo, error) {
	q, err := p.query(a, c)
	if err != nil {
		return card.AuthorInfo{}, err
	}
	return a.Cards.Author(ctx, c, q)
}

// listAuthorPosts serves GET /manage/v1/author/posts.
func (a *API) listAuthorPosts(ctx context.Context, c *earshot.Caller, p authorPostsParams) (card.AuthorPostsResponse, error) {
	limit, err := parseLimit(p.Limit, defaultPosts, maxPosts)
	if err != nil {
		return card.AuthorPostsResponse{}, err
	}
	q, err := p.query(a, c)
	if err != nil {
		return card.AuthorPostsResponse{}, err
	}
	return a.Cards.AuthorPosts(ctx, c, q, card.AuthorPage{Limit: limit, Full: p.Full, Order: p.Sort.order, Cursor: p.Cursor})
}
