package api

import (
	"context"

	"earshot"
	"earshot/internal/http/rest"
	"earshot/internal/insight"
)

type adminPostsResponse struct {
	DailyResults []adminPosts `json:"dailyResults" doc:"every day that has results"`
	Status       rest.Success `json:"status"`
}

type adminPosts struct {
	daySpan
	AdminPostMetrics []adminPost `json:"adminPostMetrics" doc:"posts of the page itself, newest first"`
}

type adminPost struct {
	URL          string            `json:"url,omitempty" doc:"address of the post"`
	Date         earshot.Timestamp `json:"date" doc:"when it was posted"`
	Content      string            `json:"content" doc:"text of the post"`
	PostLikes    earshot.Count     `json:"postLikes" doc:"likes that it states"`
	PostShares   earshot.Count     `json:"postShares" doc:"shares that it states"`
	PostComments earshot.Count     `json:"postComments" doc:"comments that it states"`
	IsLocked     bool              `json:"isLocked" doc:"always false: no post is locked"`
}

// adminPosts serves /api/monitor/facebook/adminposts.
func (a *API) adminPosts(ctx context.Context, m *earshot.Monitor, p monitorRange) (rest.Streamed[adminPostsResponse], error) {
	list := ownList{name: "adminPostMetrics", render: func(p *insight.OwnPost) any { return newAdminPost(m, p) }}
	return streamOwn[adminPostsResponse](a.Insight.OwnPosts(ctx, m, p.days()), list), nil
}

func newAdminPost(m *earshot.Monitor, p *insight.OwnPost) adminPost {
	return adminPost{
		URL:          p.URL,
		Date:         localTime(p.Time, m),
		Content:      p.Contents,
		PostLikes:    p.Likes,
		PostShares:   p.Shares,
		PostComments: p.Comments,
	}
}

type pageLikesResponse struct {
	DailyResults []pageLikes  `json:"dailyResults" doc:"days from the first on for which a number is known"`
	Status       rest.Success `json:"status"`
}

type pageLikes struct {
	Date  earshot.Timestamp `json:"date" doc:"the day"`
	Likes int64             `json:"likes" doc:"likes of the page up to that day; where it was not told, the last number before"`
}

// pageLikes serves /api/monitor/facebook/pagelikes.
func (a *API) pageLikes(ctx context.Context, m *earshot.Monitor, p monitorRange) (pageLikesResponse, error) {
	values, err := a.Insight.PageLikes(ctx, m, p.days())
	return pageLikesResponse{DailyResults: rest.Map(values, func(f insight.CounterValue) pageLikes {
		return pageLikes{Date: earshot.Midnight(f.Day), Likes: f.Value}
	})}, err
}

type pageActivityResponse struct {
	DailyResults []pageActivity `json:"dailyResults" doc:"every day that has results"`
	Status       rest.Success   `json:"status"`
}

type pageActivity struct {
	daySpan
	Admin pageAdmin `json:"admin" doc:"posts of the page itself"`
	User  pageUser  `json:"user" doc:"posts of others on the page"`
}

type pageAdmin struct {
	AdminPosts      int64 `json:"adminPosts" doc:"posts of the page on that day"`
	LikesOnAdmin    int64 `json:"likesOnAdmin" doc:"by how much the likes of its posts grew on that day; may be negative"`
	CommentsOnAdmin int64 `json:"commentsOnAdmin" doc:"by how much their comments grew; may be negative"`
	SharesOnAdmin   int64 `json:"sharesOnAdmin" doc:"by how much their shares grew; may be negative"`
}

type pageUser struct {
	UserPosts      int64 `json:"userPosts" doc:"posts of others on that day, without comments and replies"`
	LikesOnUser    int64 `json:"likesOnUser" doc:"by how much the likes of their posts grew on that day; may be negative"`
	CommentsOnUser int64 `json:"commentsOnUser" doc:"by how much their comments grew; may be negative"`
	SharesOnUser   int64 `json:"sharesOnUser" doc:"by how much their shares grew; may be negative"`
}

// pageActivity serves /api/monitor/facebook/totalactivity.
func (a *API) pageActivity(ctx context.Context, m *earshot.Monitor, p monitorRange) (pageActivityResponse, error) {
	days, err := a.Insight.Activity(ctx, m, p.days())
	return pageActivityResponse{DailyResults: rest.Map(days, newPageActivity)}, err
}

func newPageActivity(day insight.Activity) pageActivity {
	own, user := day.Own, day.User
	return pageActivity{
		daySpan: newDaySpan(day.Day),
		Admin:   pageAdmin{AdminPosts: own.Posts, LikesOnAdmin: own.Likes, CommentsOnAdmin: own.Comments, SharesOnAdmin: own.Shares},
		User:    pageUser{UserPosts: user.Posts, LikesOnUser: user.Likes, CommentsOnUser: user.Comments, SharesOnUser: user.Shares},
	}
}
