package api

import (
	"context"

	"earshot"
	"earshot/internal/http/rest"
	"earshot/internal/insight"
	"earshot/internal/jsonvalue"
)

type sourcesResponse struct {
	ContentSources []daySources `json:"contentSources" doc:"one entry per day with results"`
	Status         rest.Success `json:"status"`
}

type daySources struct {
	daySpan
	TopSites counts `json:"topSites" doc:"posts by domain: the 100 most frequent domains"`
	Sources  counts `json:"sources" doc:"posts by source"`
}

// sources serves /api/monitor/sources.
func (a *API) sources(ctx context.Context, m *earshot.Monitor, p monitorRange) (sourcesResponse, error) {
	list, err := a.Insight.Sources(ctx, m, p.days())
	if err != nil {
		return sourcesResponse{}, err
	}
	return sourcesResponse{ContentSources: jsonvalue.Map(list, func(d insight.Sources) daySources {
		return daySources{newDaySpan(d.Day), d.TopSites, d.Sources}
	})}, nil
}

type instagramHashtagsResponse struct {
	DailyResults []dayHashtags `json:"dailyResults" doc:"one entry per day with results"`
	Status       rest.Success  `json:"status"`
}

type dayHashtags struct {
	Date     earshot.Timestamp `json:"date" doc:"the day"`
	Hashtags counts            `json:"hashtags" doc:"posts by hashtag: the 50 most frequent hashtags and the monitor's target hashtags"`
}

// instagramHashtags serves /api/monitor/instagram/hashtags.
func (a *API) instagramHashtags(ctx context.Context, m *earshot.Monitor, p monitorRange) (instagramHashtagsResponse, error) {
	list, err := a.Insight.InstagramHashtags(ctx, m, p.days())
	if err != nil {
		return instagramHashtagsResponse{}, err
	}
	return instagramHashtagsResponse{DailyResults: jsonvalue.Map(list, func(d insight.Hashtags) dayHashtags {
		return dayHashtags{earshot.Midnight(d.Day), d.Hashtags}
	})}, nil
}
