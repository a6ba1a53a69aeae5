package api

import (
	"context"

	"earshot"
	"earshot/internal/http/rest"
	"earshot/internal/insight"
)

type resultsParams struct {
	monitorRange
	HideExcluded bool `query:"hideExcluded" doc:"true: exclude hidden categories from the proportions"`
}

type resultsResponse struct {
	Results []result     `json:"results" doc:"one entry per day with results"`
	Status  rest.Success `json:"status"`
}

type result struct {
	daySpan
	CreationDate              earshot.Timestamp `json:"creationDate" doc:"when the day's metrics last changed"`
	NumberOfDocuments         int64             `json:"numberOfDocuments" doc:"number of posts on the day"`
	NumberOfRelevantDocuments int64             `json:"numberOfRelevantDocuments" doc:"number of posts that are not in a hidden category"`
	Categories                []share           `json:"categories" doc:"all categories of the monitor, in sort order"`
	Emotions                  []share           `json:"emotions" doc:"all emotions, in sort order"`
}

type share struct {
	CategoryID earshot.CategoryID `json:"categoryId" doc:"id of the category or emotion"`
	Category   string             `json:"category" doc:"name"`
	Proportion float64            `json:"proportion" doc:"estimated share of the posts that have a category or emotion, from 0 to 1"`
	Volume     int64              `json:"volume" doc:"number of posts; of a sentiment or emotion, those whose most likely one it is"`
	Hidden     bool               `json:"hidden" doc:"whether the category is hidden"`
}

// results serves /api/monitor/results.
func (a *API) results(ctx context.Context, m *earshot.Monitor, p resultsParams) (resultsResponse, error) {
	list, err := a.Insight.Results(ctx, m, p.days(), p.HideExcluded)
	if err != nil {
		return resultsResponse{}, err
	}
	return resultsResponse{Results: rest.Map(list, func(r insight.Result) result {
		return result{
			daySpan:                   newDaySpan(r.Day),
			CreationDate:              localTime(r.Changed, m),
			NumberOfDocuments:         r.Posts,
			NumberOfRelevantDocuments: r.Relevant,
			Categories:                rest.Map(r.Categories, newShare),
			Emotions:                  rest.Map(r.Emotions, newShare),
		}
	})}, nil
}

func newShare(s insight.Share) share {
	return share{CategoryID: s.Category.ID, Category: s.Category.Name, Proportion: s.Proportion, Volume: s.Posts, Hidden: s.Category.Hidden}
}
