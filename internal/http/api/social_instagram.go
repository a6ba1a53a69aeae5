package api

import (
	"context"
	"strings"

	"earshot"
	"earshot/internal/http/rest"
	"earshot/internal/insight"
)

type instagramFollowersResponse struct {
	DailyResults []instagramFollowers `json:"dailyResults" doc:"days from the first on for which a number is known"`
	Status       rest.Success         `json:"status"`
}

type instagramFollowers struct {
	Date          earshot.Timestamp `json:"date" doc:"the day"`
	FollowerCount int64             `json:"followerCount" doc:"followers of the account on that day; where it was not told, the last number before"`
}

// instagramFollowers serves /api/monitor/instagram/followers.
func (a *API) instagramFollowers(ctx context.Context, m *earshot.Monitor, p monitorRange) (instagramFollowersResponse, error) {
	values, err := a.Insight.Followers(ctx, m, p.days())
	return instagramFollowersResponse{DailyResults: rest.Map(values, func(f insight.CounterValue) instagramFollowers {
		return instagramFollowers{Date: earshot.Midnight(f.Day), FollowerCount: f.Value}
	})}, err
}

type sentMediaResponse struct {
	DailyResults []sentMedia  `json:"dailyResults" doc:"every day that has results"`
	Status       rest.Success `json:"status"`
}

type sentMedia struct {
	daySpan
	AdminPostMetrics []sentMedium `json:"adminPostMetrics" doc:"posts of the account, newest first"`
}

type sentMedium struct {
	URL          string            `json:"url,omitempty" doc:"address of the post"`
	Date         earshot.Timestamp `json:"date" doc:"when it was posted"`
	Content      string            `json:"content" doc:"text of the post"`
	PostLikes    earshot.Count     `json:"postLikes" doc:"likes that it states"`
	PostComments earshot.Count     `json:"postComments" doc:"comments that it states"`
	PostTags     string            `json:"postTags" doc:"its hashtags, without #, with a comma between them"`
	IsLocked     bool              `json:"isLocked" doc:"always false: no post is locked"`
}

// sentMedia serves /api/monitor/instagram/sentmedia.
func (a *API) sentMedia(ctx context.Context, m *earshot.Monitor, p monitorRange) (rest.Streamed[sentMediaResponse], error) {
	list := ownList{name: "adminPostMetrics", render: func(p *insight.OwnPost) any { return newSentMedium(m, p) }}
	return streamOwn[sentMediaResponse](a.Insight.OwnPosts(ctx, m, p.days()), list), nil
}

func newSentMedium(m *earshot.Monitor, p *insight.OwnPost) sentMedium {
	return sentMedium{
		URL:          p.URL,
		Date:         localTime(p.Time, m),
		Content:      p.Contents,
		PostLikes:    p.Likes,
		PostComments: p.Comments,
		PostTags:     strings.Join(p.Hashtags, ","),
	}
}

type photoActivityResponse struct {
	DailyResults []photoActivity `json:"dailyResults" doc:"every day that has results"`
	Status       rest.Success    `json:"status"`
}

type photoActivity struct {
	daySpan
	Admin photoAdmin `json:"admin" doc:"posts of the account itself"`
}

type photoAdmin struct {
	AdminPosts      int64 `json:"adminPosts" doc:"posts of the account on that day"`
	LikesOnAdmin    int64 `json:"likesOnAdmin" doc:"by how much the likes of its posts grew on that day; may be negative"`
	CommentsOnAdmin int64 `json:"commentsOnAdmin" doc:"by how much their comments grew; may be negative"`
}

// photoActivity serves /api/monitor/instagram/totalactivity.
func (a *API) photoActivity(ctx context.Context, m *earshot.Monitor, p monitorRange) (photoActivityResponse, error) {
	days, err := a.Insight.Activity(ctx, m, p.days())
	return photoActivityResponse{DailyResults: rest.Map(days, func(d insight.Activity) photoActivity {
		return photoActivity{
			daySpan: newDaySpan(d.Day),
			Admin:   photoAdmin{AdminPosts: d.Own.Posts, LikesOnAdmin: d.Own.Likes, CommentsOnAdmin: d.Own.Comments},
		}
	})}, err
}
