package api

import (
	"context"

	"earshot"
	"earshot/internal/http/rest"
	"earshot/internal/insight"
	"earshot/internal/jsonvalue"
)

// Endpoints for microblog accounts. They show contents and dates even if the source is restricted,
// because the posts are the account's own. See
// docs/decisions/0039-own-posts-and-account-metrics.md.

type twitterFollowersResponse struct {
	DailyResults []twitterFollowers `json:"dailyResults" doc:"all days from the first with a known value"`
	Status       rest.Success       `json:"status"`
}

type twitterFollowers struct {
	Date      earshot.Timestamp `json:"date" doc:"the day"`
	Followers int64             `json:"followers" doc:"the account's followers on that day, or the last known number before it"`
}

// twitterFollowers serves /api/monitor/twittersocial/followers.
func (a *API) twitterFollowers(ctx context.Context, m *earshot.Monitor, p monitorRange) (twitterFollowersResponse, error) {
	values, err := a.Insight.Followers(ctx, m, p.days())
	return twitterFollowersResponse{DailyResults: jsonvalue.Map(values, func(f insight.CounterValue) twitterFollowers {
		return twitterFollowers{Date: earshot.Midnight(f.Day), Followers: f.Value}
	})}, err
}

type sentPostsResponse struct {
	DailyResults []sentPosts  `json:"dailyResults" doc:"one entry per day with results"`
	Status       rest.Success `json:"status"`
}

type sentPosts struct {
	daySpan
	SentPostMetrics  []sentPost `json:"sentPostMetrics" doc:"the account's own posts, newest first"`
	TotalImpressions int64      `json:"totalImpressions" doc:"total of their impressions"`
}

type sentPost struct {
	URL         string            `json:"url,omitempty" doc:"URL of the post"`
	Date        earshot.Timestamp `json:"date" doc:"when it was posted"`
	Retweets    earshot.Count     `json:"retweets" doc:"number of retweets that the post states, or else retweets among the monitor's posts"`
	Replies     earshot.Count     `json:"replies" doc:"number of replies that the post states, or else replies among the monitor's posts"`
	Impressions earshot.Count     `json:"impressions" doc:"the account's followers at that time"`
	Content     string            `json:"content" doc:"text of the post"`
}

// sentPosts serves /api/monitor/twittersocial/sentposts.
func (a *API) sentPosts(ctx context.Context, m *earshot.Monitor, p monitorRange) (rest.Streamed[sentPostsResponse], error) {
	list := ownList{name: "sentPostMetrics", render: func(p *insight.OwnPost) any { return newSentPost(m, p) }, total: true}
	return streamOwn[sentPostsResponse](a.Insight.SentPosts(ctx, m, p.days()), list), nil
}

func newSentPost(m *earshot.Monitor, p *insight.OwnPost) sentPost {
	return sentPost{
		URL:         p.URL,
		Date:        localTime(p.Time, m),
		Retweets:    p.Retweets,
		Replies:     p.Replies,
		Impressions: p.Impressions,
		Content:     p.Contents,
	}
}

type totalEngagementResponse struct {
	DailyResults []totalEngagement `json:"dailyResults" doc:"one entry per day with results"`
	Status       rest.Success      `json:"status"`
}

type totalEngagement struct {
	daySpan
	Mentions int64 `json:"mentions" doc:"posts by others that mention the account and are neither replies nor retweets"`
	Replies  int64 `json:"replies" doc:"replies by others"`
	Retweets int64 `json:"retweets" doc:"retweets by others"`
}

// totalEngagement serves /api/monitor/twittersocial/totalengagement.
func (a *API) totalEngagement(ctx context.Context, m *earshot.Monitor, p monitorRange) (totalEngagementResponse, error) {
	days, err := a.Insight.Engagement(ctx, m, p.days())
	return totalEngagementResponse{DailyResults: jsonvalue.Map(days, func(e insight.Engagement) totalEngagement {
		return totalEngagement{
			daySpan:  newDaySpan(e.Day),
			Mentions: e.Mentions,
			Replies:  e.Replies,
			Retweets: e.Retweets,
		}
	})}, err
}
