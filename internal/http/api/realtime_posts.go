package api

import (
	"cmp"
	"context"
	"time"

	"earshot"
	"earshot/internal/insight"
	"earshot/internal/jsonvalue"
	"earshot/internal/workspace/postview"
)

// defaultResults is the default for maxresults.
const defaultResults = 100

type realtimeTweets struct {
	realtimeSpan
	Tweets []realtimeTweet `json:"tweets" doc:"microblog posts, newest first; at most 500"`
}

// A realtimeTweet is a microblog post without its text.
type realtimeTweet struct {
	GUID               string                   `json:"guid" doc:"the post's id on its source"`
	URL                string                   `json:"url,omitempty" doc:"URL of the post"`
	Type               earshot.Source           `json:"type" doc:"name of the source"`
	AssignedCategoryID earshot.CategoryID       `json:"assignedCategoryId" doc:"id of the assigned category; 0 if none"`
	AssignedEmotionID  earshot.CategoryID       `json:"assignedEmotionId" doc:"id of the assigned emotion; 0 if none"`
	CategoryScores     []postview.CategoryScore `json:"categoryScores" doc:"scores of all the monitor's categories"`
	EmotionScores      []postview.EmotionScore  `json:"emotionScores" doc:"scores of all the monitor's emotions"`
}

// realtimeTweets serves /api/realtime/monitor/tweets.
func (a *API) realtimeTweets(ctx context.Context, m *earshot.Monitor, p realtimeStart) (response realtimeResponse[realtimeTweets], err error) {
	found, err := a.recentMicroblogs(ctx, m, p, "")
	if err != nil {
		return response, err
	}
	tweets := make([]realtimeTweet, len(found.rendered))
	for i, shown := range found.rendered {
		tweets[i] = realtimeTweet{
			GUID: found.posts[i].GUID, URL: shown.URL, Type: shown.Type,
			AssignedCategoryID: shown.AssignedCategoryID, AssignedEmotionID: shown.AssignedEmotionID,
			CategoryScores: shown.CategoryScores, EmotionScores: shown.EmotionScores,
		}
	}
	response.RealtimeData = realtimeTweets{found.span, tweets}
	return response, nil
}

type realtimePosts struct {
	realtimeSpan
	Posts []postview.Post `json:"posts" doc:"posts, newest first; at most 500"`
}

// realtimeFullTweets serves /api/realtime/monitor/fulltweets.
func (a *API) realtimeFullTweets(ctx context.Context, m *earshot.Monitor, p realtimeStart) (response realtimeResponse[realtimePosts], err error) {
	found, err := a.recentMicroblogs(ctx, m, p, "")
	response.RealtimeData = realtimePosts{found.span, found.rendered}
	return response, err
}

// realtimeFullRetweets serves /api/realtime/monitor/fullretweets.
func (a *API) realtimeFullRetweets(ctx context.Context, m *earshot.Monitor, p realtimeStart) (response realtimeResponse[realtimePosts], err error) {
	found, err := a.recentMicroblogs(ctx, m, p, earshot.Retweet)
	response.RealtimeData = realtimePosts{found.span, found.rendered}
	return response, err
}

// recentPosts are posts, their rendered form and the time they cover.
type recentPosts struct {
	span     realtimeSpan
	posts    []earshot.Post
	rendered []postview.Post
}

// recentMicroblogs returns microblog posts, newest first. If engagement is not empty, it returns
// only posts of that kind.
func (a *API) recentMicroblogs(ctx context.Context, m *earshot.Monitor, p realtimeStart, engagement earshot.Engagement) (found recentPosts, err error) {
	r, err := a.recent(p)
	if err != nil {
		return found, err
	}
	r.Sources, r.Engagement = earshot.Microblogs, engagement
	err = a.Insight.WithCategorization(ctx, m, func(c insight.Categorization) error {
		posts, total, err := a.Insight.RecentPosts(ctx, m, r, maxPosts)
		if err != nil {
			return err
		}
		renderer := a.Posts.NewRenderer(postview.Options{Monitor: m, Categorization: c})
		found = recentPosts{newRealtimeSpan(m, r, total), posts, make([]postview.Post, len(posts))}
		for i := range posts {
			renderer.Render(&found.rendered[i], &posts[i])
		}
		return nil
	})
	return found, err
}

type realtimeRetweets struct {
	realtimeSpan
	Retweets []realtimeRetweet `json:"retweets" doc:"the most retweeted posts"`
}

type realtimeRetweet struct {
	URL          string `json:"url" doc:"URL of the post"`
	IsOriginal   bool   `json:"isOriginal" doc:"true: the original post; false: one of its retweets, because the original is unknown"`
	RetweetCount int64  `json:"retweetCount" doc:"number of retweets"`
}

// realtimeRetweets serves /api/realtime/monitor/retweets.
func (a *API) realtimeRetweets(ctx context.Context, m *earshot.Monitor, p realtimeTagParams) (response realtimeResponse[realtimeRetweets], err error) {
	r, err := a.recent(p.realtimeStart)
	if err != nil {
		return response, err
	}
	posts, list, err := a.Insight.RecentRetweets(ctx, m, r, cmp.Or(int(p.Top), defaultTop))
	if err != nil {
		return response, err
	}
	response.RealtimeData = realtimeRetweets{newRealtimeSpan(m, r, posts), jsonvalue.Map(list, func(r insight.Retweets) realtimeRetweet {
		return realtimeRetweet{r.URL, r.Original, r.Posts}
	})}
	return response, nil
}

type socialGUIDParams struct {
	realtimeStart
	Types         []string    `query:"type,required" doc:"sources of the posts, for example Twitter or GOOGLE_PLUS; may be repeated" example:"Twitter"`
	ReceivedAfter epoch       `query:"receivedafter" doc:"only posts that Earshot received at this time or later, in seconds since 1970; at most 4 days ago"`
	MaxResults    resultLimit `query:"maxresults" doc:"maximum number of results, 1 to 10,000; default 100"`
}

type realtimeGUIDs struct {
	realtimeSpan
	GUIDs []socialGUID `json:"socialGuids" doc:"ids of posts, newest first"`
}

type socialGUID struct {
	Type earshot.Source `json:"type" doc:"name of the source"`
	GUID string         `json:"guid" doc:"the post's id on its source"`
}

// socialGUIDs serves /api/realtime/monitor/socialguids.
func (a *API) socialGUIDs(ctx context.Context, m *earshot.Monitor, p socialGUIDParams) (response realtimeResponse[realtimeGUIDs], err error) {
	r, err := a.recentOfSources(m, realtimeVolumeParams{p.realtimeStart, p.Types})
	if err != nil {
		return response, err
	}
	if r.Received, err = p.ReceivedAfter.time("receivedafter", r.End, time.Time{}); err != nil {
		return response, err
	}
	posts, total, err := a.Insight.RecentPosts(ctx, m, r, cmp.Or(int(p.MaxResults), defaultResults))
	if err != nil {
		return response, err
	}
	response.RealtimeData = realtimeGUIDs{newRealtimeSpan(m, r, total), jsonvalue.Map(posts, func(p earshot.Post) socialGUID {
		return socialGUID{p.Source, p.GUID}
	})}
	return response, nil
}
