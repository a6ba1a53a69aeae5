package manage

import (
	"context"
	"strings"
	"time"

	"earshot"
	"earshot/internal/http/rest"
	"earshot/internal/insight"
	"earshot/internal/jsonvalue"
	"earshot/internal/poststore"
	"earshot/internal/workspace/card"
	"earshot/internal/workspace/postview"
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

// An authorInfo describes the posts of an author. Followers is null if the newest post does not
// state it, Impressions if no post states followers, First and Last if there are no posts or the
// source of the post is restricted.
type authorInfo struct {
	Name        string           `json:"name"`
	DisplayName string           `json:"displayName"`
	Start       earshot.Date     `json:"start"`
	End         earshot.Date     `json:"end"`
	Posts       int64            `json:"posts"`
	Followers   *int64           `json:"followers"`
	Impressions *int64           `json:"impressions"`
	Engagement  int64            `json:"engagement"`
	First       *time.Time       `json:"first"`
	Last        *time.Time       `json:"last"`
	Days        []authorDay      `json:"days"`
	Monitors    []authorMonitor  `json:"monitors"`
	Sources     []card.NameCount `json:"sources"`
	Languages   []card.IDCount   `json:"languages"`
	Hashtags    []card.NameCount `json:"hashtags"`
	Sentiment   []card.NameCount `json:"sentiment"`
	Emotions    []card.NameCount `json:"emotions"`
	Kinds       []card.NameCount `json:"engagementTypes"`
	Topics      []authorTopic    `json:"topics"`
	Top         []authorPostInfo `json:"top"`
}

// An authorDay counts the posts of a day. Followers is the number in the last post of the day that
// states it, or null.
type authorDay struct {
	Date      earshot.Date `json:"date"`
	Posts     int64        `json:"posts"`
	Followers *int64       `json:"followers"`
}

type authorMonitor struct {
	ID    earshot.MonitorID `json:"id"`
	Name  string            `json:"name"`
	Posts int64             `json:"posts"`
}

type authorTopic struct {
	Name  string   `json:"name"`
	Terms []string `json:"terms"`
	Posts int64    `json:"posts"`
}

// An authorPostInfo is a post with the monitors that match it. It is shown as a post of the first.
type authorPostInfo struct {
	Monitors []nameID                 `json:"monitors"`
	Post     postview.HighlightedPost `json:"post"`
}

type nameID struct {
	ID   earshot.MonitorID `json:"id"`
	Name string            `json:"name"`
}

// maxAuthorTop is the number of posts on the page of an author.
const maxAuthorTop = 5

// showAuthor serves GET /manage/v1/author.
func (a *API) showAuthor(ctx context.Context, c *earshot.Caller, p authorParams) (response authorInfo, err error) {
	q, err := p.query(a, c)
	if err != nil {
		return response, err
	}
	found, err := a.Insight.Author(ctx, q)
	if err != nil {
		return response, err
	}
	response = authorInfo{
		Name: q.Name, Start: q.Days.Start, End: q.Days.End, Posts: found.Posts, Impressions: card.KnownReach(found.Impressions), Engagement: found.Engagement,
		Days: jsonvalue.Map(found.ByDay, func(d insight.AuthorDay) authorDay {
			return authorDay{d.Day, d.Posts, known(d.Followers)}
		}),
		Monitors: jsonvalue.Map(found.Monitors, func(m insight.MonitorCount) authorMonitor {
			return authorMonitor{m.Monitor.ID, m.Monitor.Name, m.Posts}
		}),
		Sources: card.NewNameCounts(found.Sources), Languages: jsonvalue.Map(found.Languages, card.NewLanguage), Hashtags: card.NewNameCounts(found.Hashtags),
		Sentiment: namedCounts(earshot.BasicCategories, found.Sentiments), Emotions: namedCounts(earshot.BasicEmotions, found.Emotions),
		Kinds: card.NewNameCounts(found.Kinds),
		Topics: jsonvalue.Map(found.Topics, func(t insight.TopicCount) authorTopic {
			return authorTopic{t.Name(), t.Terms, t.Posts}
		}),
		Followers: known(found.Followers),
	}
	if newest := found.Newest; newest != nil && !a.Posts.IsRestricted(newest.Source) {
		response.DisplayName = newest.Author
		response.Last = new(newest.Time.In(q.Zone))
	}
	if oldest := found.Oldest; oldest != nil && !a.Posts.IsRestricted(oldest.Source) {
		response.First = new(oldest.Time.In(q.Zone))
	}
	posts, _, err := a.Insight.AuthorPosts(ctx, q, poststore.Ranking{Order: poststore.MostEngagement, Limit: maxAuthorTop})
	if err != nil {
		return response, err
	}
	response.Top, err = a.renderAuthorPosts(ctx, c, posts, q.Zone, false)
	return response, err
}

// namedCounts returns counts with their names.
func namedCounts(names []string, counts []int64) []card.NameCount {
	list := make([]card.NameCount, len(names))
	for i, name := range names {
		list[i] = card.NameCount{Name: name, Posts: counts[i]}
	}
	return list
}

type authorPostsParams struct {
	authorParams
	Limit  *int      `query:"limit"`
	Full   bool      `query:"full"`
	Sort   postOrder `query:"sort"`
	Cursor string    `query:"cursor"`
}

type authorPostsResponse struct {
	Start  earshot.Date     `json:"start"`
	End    earshot.Date     `json:"end"`
	Total  int64            `json:"total"`
	Items  []authorPostInfo `json:"items"`
	Cursor string           `json:"cursor,omitempty"` // of the next page
}

// listAuthorPosts serves GET /manage/v1/author/posts.
func (a *API) listAuthorPosts(ctx context.Context, c *earshot.Caller, p authorPostsParams) (response authorPostsResponse, err error) {
	limit, err := parseLimit(p.Limit, defaultPosts, maxPosts)
	if err != nil {
		return response, err
	}
	q, err := p.query(a, c)
	if err != nil {
		return response, err
	}
	ranking := poststore.Ranking{Order: p.Sort.order, Limit: limit + 1}
	if ranking.After, err = card.ParseCursor(p.Cursor, func(key earshot.PostKey, score int64) (poststore.RankPosition, error) {
		return a.Insight.AuthorPosition(ctx, q, key, score)
	}); err != nil {
		return response, err
	}
	posts, total, err := a.Insight.AuthorPosts(ctx, q, ranking)
	if err != nil {
		return response, err
	}
	response = authorPostsResponse{Start: q.Days.Start, End: q.Days.End, Total: total}
	if len(posts) > limit {
		response.Cursor = card.NewCursor(&posts[limit-1].RankedPost)
		posts = posts[:limit]
	}
	response.Items, err = a.renderAuthorPosts(ctx, c, posts, q.Zone, p.Full)
	return response, err
}

// renderAuthorPosts renders posts, each with the categories of its first monitor. Dates are in zone.
func (a *API) renderAuthorPosts(ctx context.Context, c *earshot.Caller, posts []insight.AuthorPost, zone *time.Location, full bool) ([]authorPostInfo, error) {
	items := make([]authorPostInfo, len(posts))
	renderers := map[earshot.MonitorID]*postview.Renderer{}
	for i := range posts {
		m := posts[i].Monitors[0]
		if renderers[m.ID] == nil {
			err := a.Insight.WithCategorization(ctx, m, func(categorization insight.Categorization) error {
				renderers[m.ID] = a.Posts.NewRenderer(postview.Options{Monitor: m, Categorization: categorization, Excerpts: !full, Zone: zone, Marks: card.SeesMarks(c)})
				return nil
			})
			if err != nil {
				return nil, err
			}
		}
		items[i] = authorPostInfo{
			Monitors: jsonvalue.Map(posts[i].Monitors, func(m *earshot.Monitor) nameID { return nameID{m.ID, m.Name} }),
			Post:     *renderers[m.ID].Highlight(&posts[i].Post),
		}
	}
	return items, nil
}
