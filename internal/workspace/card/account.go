package card

import (
	"context"

	"earshot"
	"earshot/internal/insight"
	"earshot/internal/jsonvalue"
)

// A SocialAccount is an account on a network.
type SocialAccount struct {
	Network earshot.Source `json:"network"`
	Handle  string         `json:"handle,omitempty"`
	PageID  string         `json:"pageId,omitempty"`
}

// An AccountResponse covers the days that have results. Start and End are empty if there are none.
type AccountResponse struct {
	Account  SocialAccount          `json:"account"`
	Start    earshot.Date           `json:"start"`
	End      earshot.Date           `json:"end"`
	Total    insight.AccountMetrics `json:"total"`
	Previous *PreviousAccount       `json:"previous"`
	Days     []insight.AccountDay   `json:"days"`
	Hashtags []NameCount            `json:"hashtags"`
	Posts    []AccountPost          `json:"posts"` // newest first
}

// A PreviousAccount has the metrics of the period before.
type PreviousAccount struct {
	DateRange
	Total insight.AccountMetrics `json:"total"`
}

// An AccountPost is a post by the account itself. Its counters are null if they are unknown.
type AccountPost struct {
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

// Account returns the metrics of the account that a SOCIAL monitor or one of its filters watches to a
// caller. Like the public API, it shows the contents of posts even if the source is restricted, because
// they are the account's own. docs/decisions/0039-own-posts-and-account-metrics.md
func (s *Service) Account(ctx context.Context, c *earshot.Caller, id earshot.MonitorID, days Period, limit int) (response AccountResponse, err error) {
	m, err := s.Monitors.Find(c, id)
	if err != nil {
		return response, err
	}
	if m.Type != earshot.Social {
		return response, earshot.Errorf(earshot.Invalid, "Monitor %d does not watch an account", m.ID)
	}
	covered, err := days.Days(m, s.Now())
	if err != nil {
		return response, err
	}
	found, err := s.Insight.Account(ctx, m, covered, limit)
	if err != nil {
		return response, err
	}
	response = AccountResponse{
		Account: SocialAccount(m.Account), Start: found.Days.Start, End: found.Days.End, Total: found.Total, Days: found.ByDay,
		Hashtags: newNameCounts(found.Hashtags),
		Posts:    jsonvalue.Map(found.Posts, func(p insight.OwnPost) AccountPost { return newAccountPost(m, &p) }),
	}
	if found.Previous != nil {
		response.Previous = &PreviousAccount{DateRange(found.Previous.Days), found.Previous.Total}
	}
	return response, nil
}

func newAccountPost(m *earshot.Monitor, p *insight.OwnPost) AccountPost {
	return AccountPost{
		URL:         p.URL,
		Date:        earshot.Timestamp(p.Time.In(m.Location())),
		Contents:    p.Contents,
		Hashtags:    p.Hashtags,
		Likes:       stated(p.Likes),
		Comments:    stated(p.Comments),
		Shares:      stated(p.Shares),
		Retweets:    stated(p.Retweets),
		Replies:     stated(p.Replies),
		Impressions: stated(p.Impressions),
	}
}

// stated returns the value of a counter, or nil if it is not stated.
func stated(c earshot.Count) *int64 {
	if n, stated := c.Value(); stated {
		return &n
	}
	return nil
}
