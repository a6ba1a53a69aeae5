package api

import (
	"context"

	"earshot"
	"earshot/internal/http/rest"
	"earshot/internal/insight"
	"earshot/internal/jsonvalue"
)

type authorsResponse struct {
	Authors []dayAuthors `json:"authors" doc:"one entry per day with results"`
	Status  rest.Success `json:"status"`
}

type dayAuthors struct {
	daySpan
	NumberOfAuthors  int64   `json:"numberOfAuthors" doc:"number of authors of microblog posts"`
	DocsPerAuthor    float64 `json:"docsPerAuthor" doc:"microblog posts per author"`
	TotalImpressions int64   `json:"totalImpressions" doc:"total number of the authors' followers, added up over all posts"`
}

// authors serves /api/monitor/authors.
func (a *API) authors(ctx context.Context, m *earshot.Monitor, p monitorRange) (authorsResponse, error) {
	list, err := a.Insight.Authors(ctx, m, p.days())
	if err != nil {
		return authorsResponse{}, err
	}
	return authorsResponse{Authors: jsonvalue.Map(list, func(d insight.Authors) dayAuthors {
		perAuthor := 0.0
		if d.Authors > 0 {
			perAuthor = jsonvalue.Round(float64(d.Posts) / float64(d.Authors))
		}
		return dayAuthors{newDaySpan(d.Day), d.Authors, perAuthor, d.Impressions}
	})}, nil
}

type twitterMetricsResponse struct {
	DailyResults []daySpread  `json:"dailyResults" doc:"one entry per day with results"`
	Status       rest.Success `json:"status"`
}

type daySpread struct {
	daySpan
	TopHashtags counts    `json:"topHashtags" doc:"microblog posts by hashtag: the 50 most frequent hashtags"`
	TopRetweets []retweet `json:"topRetweets" doc:"the 50 most retweeted posts"`
}

type retweet struct {
	URL          string `json:"url" doc:"URL of the post"`
	IsOriginal   bool   `json:"isOriginal" doc:"true: the original post; false: one of its retweets, because the original is unknown"`
	RetweetCount int64  `json:"retweetCount" doc:"number of retweets on that day"`
}

// twitterMetrics serves /api/monitor/twittermetrics.
func (a *API) twitterMetrics(ctx context.Context, m *earshot.Monitor, p monitorRange) (twitterMetricsResponse, error) {
	list, err := a.Insight.MicroblogMetrics(ctx, m, p.days())
	if err != nil {
		return twitterMetricsResponse{}, err
	}
	return twitterMetricsResponse{DailyResults: jsonvalue.Map(list, func(d insight.MicroblogMetrics) daySpread {
		return daySpread{newDaySpan(d.Day), d.Hashtags, jsonvalue.Map(d.Retweets, func(r insight.Retweets) retweet {
			return retweet{r.URL, r.Original, r.Posts}
		})}
	})}, nil
}
