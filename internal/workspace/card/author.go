package card

import (
	"context"
	"time"

	"earshot"
	"earshot/internal/insight"
	"earshot/internal/jsonvalue"
	"earshot/internal/poststore"
	"earshot/internal/workspace/postview"
)

// An AuthorInfo describes the posts of an author. Followers is null if the newest post does not
// state it, Impressions if no post states followers, First and Last if there are no posts or the
// source of the post is restricted.
type AuthorInfo struct {
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
	Days        []AuthorDay      `json:"days"`
	Monitors    []AuthorMonitor  `json:"monitors"`
	Sources     []NameCount      `json:"sources"`
	Languages   []IDCount        `json:"languages"`
	Hashtags    []NameCount      `json:"hashtags"`
	Sentiment   []NameCount      `json:"sentiment"`
	Emotions    []NameCount      `json:"emotions"`
	Kinds       []NameCount      `json:"engagementTypes"`
	Topics      []AuthorTopic    `json:"topics"`
	Top         []AuthorPostInfo `json:"top"`
}

// An AuthorDay counts the posts of a day. Followers is the number in the last post of the day that
// states it, or null.
type AuthorDay struct {
	Date      earshot.Date `json:"date"`
	Posts     int64        `json:"posts"`
	Followers *int64       `json:"followers"`
}

// An AuthorMonitor counts the posts in a monitor.
type AuthorMonitor struct {
	ID    earshot.MonitorID `json:"id"`
	Name  string            `json:"name"`
	Posts int64             `json:"posts"`
}

// An AuthorTopic is a frequent subject of an author.
type AuthorTopic struct {
	Name  string   `json:"name"`
	Terms []string `json:"terms"`
	Posts int64    `json:"posts"`
}

// An AuthorPostInfo is a post with the monitors that match it. It is shown as a post of the first.
type AuthorPostInfo struct {
	Monitors []NameID                 `json:"monitors"`
	Post     postview.HighlightedPost `json:"post"`
}

// A NameID is the name of a monitor.
type NameID struct {
	ID   earshot.MonitorID `json:"id"`
	Name string            `json:"name"`
}

// maxAuthorTop is the number of posts on the page of an author.
const maxAuthorTop = 5

// Author describes an author to a caller.
func (s *Service) Author(ctx context.Context, c *earshot.Caller, q insight.AuthorQuery) (response AuthorInfo, err error) {
	found, err := s.Insight.Author(ctx, q)
	if err != nil {
		return response, err
	}
	response = AuthorInfo{
		Name: q.Name, Start: q.Days.Start, End: q.Days.End, Posts: found.Posts, Impressions: knownReach(found.Impressions), Engagement: found.Engagement,
		Days: jsonvalue.Map(found.ByDay, func(d insight.AuthorDay) AuthorDay {
			return AuthorDay{d.Day, d.Posts, stated(d.Followers)}
		}),
		Monitors: jsonvalue.Map(found.Monitors, func(m insight.MonitorCount) AuthorMonitor {
			return AuthorMonitor{m.Monitor.ID, m.Monitor.Name, m.Posts}
		}),
		Sources: newNameCounts(found.Sources), Languages: jsonvalue.Map(found.Languages, newLanguage), Hashtags: newNameCounts(found.Hashtags),
		Sentiment: namedCounts(earshot.BasicCategories, found.Sentiments), Emotions: namedCounts(earshot.BasicEmotions, found.Emotions),
		Kinds: newNameCounts(found.Kinds),
		Topics: jsonvalue.Map(found.Topics, func(t insight.TopicCount) AuthorTopic {
			return AuthorTopic{t.Name(), t.Terms, t.Posts}
		}),
		Followers: stated(found.Followers),
	}
	if newest := found.Newest; newest != nil && !s.Views.IsRestricted(newest.Source) {
		response.DisplayName = newest.Author
		response.Last = new(newest.Time.In(q.Zone))
	}
	if oldest := found.Oldest; oldest != nil && !s.Views.IsRestricted(oldest.Source) {
		response.First = new(oldest.Time.In(q.Zone))
	}
	posts, _, err := s.Insight.AuthorPosts(ctx, q, poststore.Ranking{Order: poststore.MostEngagement, Limit: maxAuthorTop})
	if err != nil {
		return response, err
	}
	response.Top, err = s.renderAuthorPosts(ctx, c, posts, q.Zone, false)
	return response, err
}

func namedCounts(names []string, counts []int64) []NameCount {
	list := make([]NameCount, len(names))
	for i, name := range names {
		list[i] = NameCount{Name: name, Posts: counts[i]}
	}
	return list
}

// An AuthorPage selects a page of the posts of an author.
type AuthorPage struct {
	Limit  int
	Full   bool // show contents as a whole
	Order  poststore.Order
	Cursor string // from an earlier response
}

// An AuthorPostsResponse is a page of the posts of an author.
type AuthorPostsResponse struct {
	Start  earshot.Date     `json:"start"`
	End    earshot.Date     `json:"end"`
	Total  int64            `json:"total"`
	Items  []AuthorPostInfo `json:"items"`
	Cursor string           `json:"cursor,omitempty"` // of the next page
}

// AuthorPosts returns a page of the posts of an author to a caller.
func (s *Service) AuthorPosts(ctx context.Context, c *earshot.Caller, q insight.AuthorQuery, page AuthorPage) (response AuthorPostsResponse, err error) {
	ranking := poststore.Ranking{Order: page.Order, Limit: page.Limit + 1}
	if ranking.After, err = ParseCursor(page.Cursor, func(key earshot.PostKey, score int64) (poststore.RankPosition, error) {
		return s.Insight.AuthorPosition(ctx, q, key, score)
	}); err != nil {
		return response, err
	}
	posts, total, err := s.Insight.AuthorPosts(ctx, q, ranking)
	if err != nil {
		return response, err
	}
	response = AuthorPostsResponse{Start: q.Days.Start, End: q.Days.End, Total: total}
	if len(posts) > page.Limit {
		response.Cursor = NewCursor(&posts[page.Limit-1].RankedPost)
		posts = posts[:page.Limit]
	}
	response.Items, err = s.renderAuthorPosts(ctx, c, posts, q.Zone, page.Full)
	return response, err
}

// renderAuthorPosts renders posts, each with the categories of its first monitor. Dates are in zone.
func (s *Service) renderAuthorPosts(ctx context.Context, c *earshot.Caller, posts []insight.AuthorPost, zone *time.Location, full bool) ([]AuthorPostInfo, error) {
	items := make([]AuthorPostInfo, len(posts))
	renderers := map[earshot.MonitorID]*postview.Renderer{}
	for i := range posts {
		m := posts[i].Monitors[0]
		if renderers[m.ID] == nil {
			err := s.Insight.WithCategorization(ctx, m, func(categorization insight.Categorization) error {
				renderers[m.ID] = s.Views.NewRenderer(postview.Options{Monitor: m, Categorization: categorization, Excerpts: !full, Zone: zone, Marks: SeesMarks(c)})
				return nil
			})
			if err != nil {
				return nil, err
			}
		}
		items[i] = AuthorPostInfo{
			Monitors: jsonvalue.Map(posts[i].Monitors, func(m *earshot.Monitor) NameID { return NameID{m.ID, m.Name} }),
			Post:     *renderers[m.ID].Highlight(&posts[i].Post),
		}
	}
	return items, nil
}
