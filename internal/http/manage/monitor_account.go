package manage

import (
	"context"

	"earshot"
	"earshot/internal/insight"
	"earshot/internal/jsonvalue"
	"earshot/internal/workspace/card"
)

type accountParams struct {
	monitorPath
	dayParams
	Limit *int `query:"limit"` // of posts
}

// An accountResponse covers the days that have results. Start and End are empty if there are none.
type accountResponse struct {
	Account  accountInfo            `json:"account"`
	Start    earshot.Date           `json:"start"`
	End      earshot.Date           `json:"end"`
	Total    insight.AccountMetrics `json:"total"`
	Previous *previousAccount       `json:"previous"`
	Days     []insight.AccountDay   `json:"days"`
	Hashtags []card.NameCount       `json:"hashtags"`
	Posts    []accountPost          `json:"posts"` // newest first
}

type previousAccount struct {
	card.DateRange
	Total insight.AccountMetrics `json:"total"`
}

// An accountPost is a post by the account itself. Its counters are null if they are unknown.
type accountPost struct {
	URL         string            `json:"url"`
	Date        earshot.Timestamp `json:"date"`
	Contents    string            `json:"contents"`
	Hashtags    []string          `json:"hashtags"`
	Likes       *int64            `json:"likes"`
	Comments    *int64            `json:"comments"`
	Shares      *int64            `json:"shares"`
	Retweets    *int64            `json:"retweets"`
	Replies     *int64            `json:"replies"`
	Impressions *int64            `json:"impressions"`
}

// showAccount serves GET /manage/v1/monitors/{id}/account, for SOCIAL monitors and their filters.
// Like the public API, it shows the contents of posts even if the source is restricted, because they
// are the account's own. docs/decisions/0039-own-posts-and-account-metrics.md
func (a *API) showAccount(ctx context.Context, c *earshot.Caller, p accountParams) (response accountResponse, err error) {
	limit, err := parseLimit(p.Limit, defaultPosts, maxPosts)
	if err != nil {
		return response, err
	}
	m, err := a.Monitors.Find(c, p.ID)
	if err != nil {
		return response, err
	}
	if m.Type != earshot.Social {
		return response, earshot.Errorf(earshot.Invalid, "Monitor %d does not watch an account", m.ID)
	}
	days, err := p.period().Days(m, a.Now())
	if err != nil {
		return response, err
	}
	found, err := a.Insight.Account(ctx, m, days, limit)
	if err != nil {
		return response, err
	}
	response = accountResponse{
		Account: accountInfo(m.Account), Start: found.Days.Start, End: found.Days.End, Total: found.Total, Days: found.ByDay,
		Hashtags: card.NewNameCounts(found.Hashtags),
		Posts:    jsonvalue.Map(found.Posts, func(p insight.OwnPost) accountPost { return newAccountPost(m, &p) }),
	}
	if found.Previous != nil {
		response.Previous = &previousAccount{card.DateRange(found.Previous.Days), found.Previous.Total}
	}
	return response, nil
}

func newAccountPost(m *earshot.Monitor, p *insight.OwnPost) accountPost {
	return accountPost{
		URL:         p.URL,
		Date:        earshot.Timestamp(p.Time.In(m.Location())),
		Contents:    p.Contents,
		Hashtags:    p.Hashtags,
		Likes:       known(p.Likes),
		Comments:    known(p.Comments),
		Shares:      known(p.Shares),
		Retweets:    known(p.Retweets),
		Replies:     known(p.Replies),
		Impressions: known(p.Impressions),
	}
}

// known returns the value of a counter, or nil if it is not stated.
func known(c earshot.Count) *int64 {
	if n, stated := c.Value(); stated {
		return &n
	}
	return nil
}
