package api

import (
	"context"
	"strings"

	"earshot"
	"earshot/internal/http/rest"
	"earshot/internal/insight"
	"earshot/internal/jsonvalue"
)

type instagramFollowersResponse struct {
	DailyResults []instagramFollowers `json:"dailyResults" doc:"all days from the first with a known value"`
	Status       rest.Success         `json:"status"`
}

type instagramFollowers struct {
	Date          earshot.Timestamp `json:"date" doc:"the day"`
	FollowerCount int64             `json:"followerCount" doc:"the account's followers on that day, or the last known number before it"`
}

// instagramFollowers serves /api/monitor/instagram/followers.
func (a *API) instagramFollowers(ctx context.Context, m *earshot.Monitor, p monitorRange) (instagramFollowersResponse, error) {
	values, err := a.Insight.Followers(ctx, m, p.days())
	return instagramFollowersResponse{DailyResults: jsonvalue.Map(values, func(f insight.CounterValue) instagramFollowers {
		return instagramFollowers{Date: earshot.Midnight(f.Day), FollowerCount: f.Value}
	})}, err
}

type sentMediaResponse struct {
	DailyResults []sentMedia  `json:"dailyResults" doc:"one entry per day with results"`
	Status       rest.Success `json:"status"`
}

type sentMedia struct {
	daySpan
	AdminPostMetrics []sentMedium `json:"adminPostMetrics" doc:"the account's own posts, newest first"`
}

type sentMedium struct {
	URL          string            `json:"url,omitempty" doc:"URL of the post"`
	Date         earshot.Timestamp `json:"date" doc:"when it was posted"`
	Content      string            `json:"content" doc:"text of the post"`
	PostLikes    earshot.Count     `json:"postLikes" doc:"number of likes"`
	PostComments earshot.Count     `json:"postComments" doc:"number of comments"`
	PostTags     string            `json:"postTags" doc:"its hashtags without #, separated by commas"`
	IsLocked     bool              `json:"isLocked" doc:"always false"`
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
	DailyResults []photoActivity `json:"dailyResults" doc:"one entry per day with results"`
	Status       rest.Success    `json:"status"`
}

type photoActivity struct {
	daySpan
	Admin photoAdmin `json:"admin" doc:"the account's own posts"`
}

type photoAdmin struct {
	AdminPosts      int64 `json:"adminPosts" doc:"number of the account's own posts on that day"`
	LikesOnAdmin    int64 `json:"likesOnAdmin" doc:"change in the likes of its posts on that day; may be negative"`
	CommentsOnAdmin int64 `json:"commentsOnAdmin" doc:"change in the comments on those posts; may be negative"`
}

// photoActivity serves /api/monitor/instagram/totalactivity.
func (a *API) photoActivity(ctx context.Context, m *earshot.Monitor, p monitorRange) (photoActivityResponse, error) {
	days, err := a.Insight.Activity(ctx, m, p.days())
	return photoActivityResponse{DailyResults: jsonvalue.Map(days, func(d insight.Activity) photoActivity {
		return photoActivity{
			daySpan: newDaySpan(d.Day),
			Admin:   photoAdmin{AdminPosts: d.Own.Posts, LikesOnAdmin: d.Own.Likes, CommentsOnAdmin: d.Own.Comments},
		}
	})}, err
}
