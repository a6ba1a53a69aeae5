package api

import (
	"cmp"
	"context"

	"earshot"
	"earshot/internal/insight"
	"earshot/internal/jsonvalue"
)

// defaultTop is the default for top.
const defaultTop = 50

type realtimeVolumeParams struct {
	realtimeStart
	Types []string `query:"type" doc:"only posts from these sources, for example Twitter or GOOGLE_PLUS; may be repeated"`
}

// recentOfSources returns the query for posts from the given sources, or from all sources if there
// are none.
func (a *API) recentOfSources(m *earshot.Monitor, p realtimeVolumeParams) (insight.RecentQuery, error) {
	r, err := a.recent(p.realtimeStart)
	if err != nil {
		return r, err
	}
	r.Sources, err = a.findSources(m, p.Types)
	return r, err
}

type realtimeVolume struct {
	realtimeSpan
	Sources counts               `json:"sources" doc:"posts by source, largest first"`
	Volume  []realtimeVolumeStep `json:"volume" doc:"posts by hour, in chronological order"`
}

type realtimeVolumeStep struct {
	StartDate earshot.Timestamp `json:"startDate" doc:"start of the hour, or of the covered part of it"`
	EndDate   earshot.Timestamp `json:"endDate" doc:"end, exclusive"`
	Volume    int64             `json:"volume" doc:"number of posts"`
}

// realtimeVolume serves /api/realtime/monitor/volume.
func (a *API) realtimeVolume(ctx context.Context, m *earshot.Monitor, p realtimeVolumeParams) (response realtimeResponse[realtimeVolume], err error) {
	r, err := a.recentOfSources(m, p)
	if err != nil {
		return response, err
	}
	v, err := a.Insight.RecentVolume(ctx, m, r)
	if err != nil {
		return response, err
	}
	response.RealtimeData = realtimeVolume{newRealtimeSpan(m, r, v.Posts), v.Sources, jsonvalue.Map(v.Steps, func(s insight.VolumeStep) realtimeVolumeStep {
		return realtimeVolumeStep{s.StartDate, s.EndDate, s.Posts}
	})}
	return response, nil
}

type realtimeSentiments struct {
	realtimeSpan
	Categories []categoryVolume        `json:"categories" doc:"all categories of the monitor, in sort order"`
	Volume     []realtimeSentimentStep `json:"volume" doc:"the same by hour, in chronological order"`
}

type realtimeSentimentStep struct {
	realtimeVolumeStep
	Categories []categoryVolume `json:"categories" doc:"all categories of the monitor, in sort order"`
}

type categoryVolume struct {
	CategoryID earshot.CategoryID `json:"categoryId" doc:"id of the category"`
	Category   string             `json:"category" doc:"name"`
	Volume     int64              `json:"volume" doc:"number of posts in the category"`
}

// realtimeSentiments serves /api/realtime/monitor/volumebysentiment.
func (a *API) realtimeSentiments(ctx context.Context, m *earshot.Monitor, p realtimeVolumeParams) (response realtimeResponse[realtimeSentiments], err error) {
	r, err := a.recentOfSources(m, p)
	if err != nil {
		return response, err
	}
	f, err := a.Insight.RecentSentiments(ctx, m, r)
	if err != nil {
		return response, err
	}
	list := func(posts []int64) []categoryVolume {
		volumes := make([]categoryVolume, len(m.Categories))
		for i, c := range m.Categories {
			volumes[i] = categoryVolume{c.ID, c.Name, posts[i]}
		}
		return volumes
	}
	response.RealtimeData = realtimeSentiments{newRealtimeSpan(m, r, f.Posts), list(f.Counts), jsonvalue.Map(f.Steps, func(s insight.BreakdownStep) realtimeSentimentStep {
		return realtimeSentimentStep{realtimeVolumeStep{s.StartDate, s.EndDate, s.Posts}, list(s.Counts)}
	})}
	return response, nil
}

type realtimeEmotions struct {
	realtimeSpan
	Emotions []emotionVolume       `json:"emotions" doc:"all emotions, in sort order"`
	Volume   []realtimeEmotionStep `json:"volume" doc:"the same by hour, in chronological order"`
}

type realtimeEmotionStep struct {
	realtimeVolumeStep
	Emotions []emotionVolume `json:"emotions" doc:"all emotions, in sort order"`
}

type emotionVolume struct {
	EmotionID earshot.CategoryID `json:"emotionId" doc:"id of the emotion"`
	Emotion   string             `json:"emotion" doc:"name"`
	Volume    int64              `json:"volume" doc:"number of posts with the emotion"`
}

// realtimeEmotions serves /api/realtime/monitor/volumebyemotion.
func (a *API) realtimeEmotions(ctx context.Context, m *earshot.Monitor, p realtimeVolumeParams) (response realtimeResponse[realtimeEmotions], err error) {
	r, err := a.recentOfSources(m, p)
	if err != nil {
		return response, err
	}
	f, err := a.Insight.RecentEmotions(ctx, m, r)
	if err != nil {
		return response, err
	}
	list := func(posts []int64) []emotionVolume {
		volumes := make([]emotionVolume, len(m.Emotions))
		for i, c := range m.Emotions {
			volumes[i] = emotionVolume{c.ID, c.Name, posts[i]}
		}
		return volumes
	}
	response.RealtimeData = realtimeEmotions{newRealtimeSpan(m, r, f.Posts), list(f.Counts), jsonvalue.Map(f.Steps, func(s insight.BreakdownStep) realtimeEmotionStep {
		return realtimeEmotionStep{realtimeVolumeStep{s.StartDate, s.EndDate, s.Posts}, list(s.Counts)}
	})}
	return response, nil
}

type realtimeTagParams struct {
	realtimeStart
	Top topLimit `query:"top" doc:"maximum number of results, 1 to 1,000; default 50"`
}

type realtimeHashtags struct {
	realtimeSpan
	Hashtags counts `json:"hashtags" doc:"posts by hashtag, largest first"`
}

// realtimeHashtags serves /api/realtime/monitor/hashtags.
func (a *API) realtimeHashtags(ctx context.Context, m *earshot.Monitor, p realtimeTagParams) (response realtimeResponse[realtimeHashtags], err error) {
	r, err := a.recent(p.realtimeStart)
	if err != nil {
		return response, err
	}
	posts, tags, err := a.Insight.RecentHashtags(ctx, m, r, cmp.Or(int(p.Top), defaultTop))
	response.RealtimeData = realtimeHashtags{newRealtimeSpan(m, r, posts), tags}
	return response, err
}

type realtimeCashtags struct {
	realtimeSpan
	Cashtags counts `json:"cashtags" doc:"posts by cashtag, largest first"`
}

// realtimeCashtags serves /api/realtime/monitor/cashtags.
func (a *API) realtimeCashtags(ctx context.Context, m *earshot.Monitor, p realtimeTagParams) (response realtimeResponse[realtimeCashtags], err error) {
	r, err := a.recent(p.realtimeStart)
	if err != nil {
		return response, err
	}
	posts, tags, err := a.Insight.RecentCashtags(ctx, m, r, cmp.Or(int(p.Top), defaultTop))
	response.RealtimeData = realtimeCashtags{newRealtimeSpan(m, r, posts), tags}
	return response, err
}
