package api

import (
	"context"

	"earshot"
	"earshot/internal/http/rest"
	"earshot/internal/insight"
)

// Endpoints for microblog accounts. They show contents and dates even if the source is restricted,
// because the posts are the account's own. See
// docs/decisions/0039-own-posts-and-account-metrics.md.

type twitterFollowersResponse struct {
	DailyResults []twitterFollowers `json:"dailyResults" doc:"days from the first on for which a number is known"`
	Status       rest.Success       `json:"status"`
}

type twitterFollowers struct {
	Date      earshot.Timestamp `json:"date" doc:"the day"`
	Followers int64             `json:"followers" doc:"followers of the account on that day; where it was not told, the last number before"`
}

// twitterFollowers serves /api/monitor/twittersocial/followers.
func (a *API) twitterFollowers(ctx context.Context, m *earshot.Monitor, p monitorRange) (twitterFollowersResponse, error) {
	values, err := a.Insight.Followers(ctx, m, p.days())
	return twitterFollowersResponse{DailyResults: rest.Map(values, func(f insight.CounterValue) twitterFollowers {
		return twitterFollowers{Date: earshot.Midnight(f.Day), Followers: f.Value}
	})}, err
}

type sentPostsResponse struct {
	DailyResults []sentPosts  `json:"dailyResults" doc:"every day that has results"`
	Status       rest.Success `json:"status"`
}

type sentPosts struct {
	daySpan
	SentPostMetrics  []sentPost `json:"sentPostMetrics" doc:"posts of the account, newest first"`
	TotalImpressions int64      `json:"totalImpressions" doc:"sum of their impressions"`
}

type sentPost struct {
	URL         string            `json:"url,omitempty" doc:"address of the post"`
	Date        earshot.Timestamp `json:"date" doc:"when it was posted"`
	Retweets    earshot.Count     `json:"retweets" doc:"how often it was repeated, as it states; else how often by posts of the monitor"`
	Replies     earshot.Count     `json:"replies" doc:"how often it was answered, as it states; else how often by posts of the monitor"`
	Impressions earshot.Count     `json:"impressions" doc:"followers of the account at that time"`
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
	DailyResults []totalEngagement `json:"dailyResults" doc:"every day that has results"`
	Status       rest.Success      `json:"status"`
}

type totalEngagement struct {
	daySpan
	Mentions int64 `json:"mentions" doc:"posts of others that mention the account and are neither replies nor retweets"`
	Replies  int64 `json:"replies" doc:"replies of others"`
	Retweets int64 `json:"retweets" doc:"retweets by others"`
}

// totalEngagement serves /api/monitor/twittersocial/totalengagement.
func (a *API) totalEngagement(ctx context.Context, m *earshot.Monitor, p monitorRange) (totalEngagementResponse, error) {
	days, err := a.Insight.Engagement(ctx, m, p.days())
	return totalEngagementResponse{DailyResults: rest.Map(days, func(e insight.Engagement) totalEngagement {
		return totalEngagement{
			daySpan:  newDaySpan(e.Day),
			Mentions: e.Mentions,
			Replies:  e.Replies,
			Retweets: e.Retweets,
		}
	})}, err
}
