package api

import (
	"context"

	"earshot"
	"earshot/internal/http/rest"
	"earshot/internal/insight"
	"earshot/internal/jsonvalue"
)

type adminPostsResponse struct {
	DailyResults []adminPosts `json:"dailyResults" doc:"one entry per day with results"`
	Status       rest.Success `json:"status"`
}

type adminPosts struct {
	daySpan
	AdminPostMetrics []adminPost `json:"adminPostMetrics" doc:"the page's own posts, newest first"`
}

type adminPost struct {
	URL          string            `json:"url,omitempty" doc:"URL of the post"`
	Date         earshot.Timestamp `json:"date" doc:"when it was posted"`
	Content      string            `json:"content" doc:"text of the post"`
	PostLikes    earshot.Count     `json:"postLikes" doc:"number of likes"`
	PostShares   earshot.Count     `json:"postShares" doc:"number of shares"`
	PostComments earshot.Count     `json:"postComments" doc:"number of comments"`
	IsLocked     bool              `json:"isLocked" doc:"always false"`
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
	DailyResults []pageLikes  `json:"dailyResults" doc:"all days from the first with a known value"`
	Status       rest.Success `json:"status"`
}

type pageLikes struct {
	Date  earshot.Timestamp `json:"date" doc:"the day"`
	Likes int64             `json:"likes" doc:"the page's likes on that day, or the last known number before it"`
}

// pageLikes serves /api/monitor/facebook/pagelikes.
func (a *API) pageLikes(ctx context.Context, m *earshot.Monitor, p monitorRange) (pageLikesResponse, error) {
	values, err := a.Insight.PageLikes(ctx, m, p.days())
	return pageLikesResponse{DailyResults: jsonvalue.Map(values, func(f insight.CounterValue) pageLikes {
		return pageLikes{Date: earshot.Midnight(f.Day), Likes: f.Value}
	})}, err
}

type pageActivityResponse struct {
	DailyResults []pageActivity `json:"dailyResults" doc:"one entry per day with results"`
	Status       rest.Success   `json:"status"`
}

type pageActivity struct {
	daySpan
	Admin pageAdmin `json:"admin" doc:"the page's own posts"`
	User  pageUser  `json:"user" doc:"posts by others on the page"`
}

type pageAdmin struct {
	AdminPosts      int64 `json:"adminPosts" doc:"number of the page's own posts on that day"`
	LikesOnAdmin    int64 `json:"likesOnAdmin" doc:"change in the likes of its posts on that day; may be negative"`
	CommentsOnAdmin int64 `json:"commentsOnAdmin" doc:"change in the comments on those posts; may be negative"`
	SharesOnAdmin   int64 `json:"sharesOnAdmin" doc:"change in the shares of those posts; may be negative"`
}

type pageUser struct {
	UserPosts      int64 `json:"userPosts" doc:"number of posts by others on that day, excluding comments and replies"`
	LikesOnUser    int64 `json:"likesOnUser" doc:"change in the likes of their posts on that day; may be negative"`
	CommentsOnUser int64 `json:"commentsOnUser" doc:"change in the comments on those posts; may be negative"`
	SharesOnUser   int64 `json:"sharesOnUser" doc:"change in the shares of those posts; may be negative"`
}

// pageActivity serves /api/monitor/facebook/totalactivity.
func (a *API) pageActivity(ctx context.Context, m *earshot.Monitor, p monitorRange) (pageActivityResponse, error) {
	days, err := a.Insight.Activity(ctx, m, p.days())
	return pageActivityResponse{DailyResults: jsonvalue.Map(days, newPageActivity)}, err
}

func newPageActivity(day insight.Activity) pageActivity {
	own, user := day.Own, day.User
	return pageActivity{
		daySpan: newDaySpan(day.Day),
		Admin:   pageAdmin{AdminPosts: own.Posts, LikesOnAdmin: own.Likes, CommentsOnAdmin: own.Comments, SharesOnAdmin: own.Shares},
		User:    pageUser{UserPosts: user.Posts, LikesOnUser: user.Likes, CommentsOnUser: user.Comments, SharesOnUser: user.Shares},
	}
}
