package api

import (
	"context"

	"earshot"
	"earshot/internal/http/rest"
	"earshot/internal/insight"
	"earshot/internal/jsonvalue"
)

type resultsParams struct {
	monitorRange
	HideExcluded bool `query:"hideExcluded" doc:"true: exclude hidden categories from the proportions"`
	Estimates    bool `query:"estimates" doc:"true: add estimated shares with intervals, of up to 400 days"`
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
	Proportion float64            `json:"proportion" doc:"volume divided by the number of posts that have a category or emotion, from 0 to 1"`
	Volume     int64              `json:"volume" doc:"number of posts whose most likely category or emotion it is"`
	Hidden     bool               `json:"hidden" doc:"whether the category is hidden"`
	Estimate   *float64           `json:"estimate,omitempty" doc:"estimated share of the posts, which corrects for the errors of the model; only with estimates=true"`
	Low        *float64           `json:"low,omitempty" doc:"lower end of the 95% confidence interval of estimate"`
	High       *float64           `json:"high,omitempty" doc:"upper end of the interval"`
}

// results serves /api/monitor/results.
func (a *API) results(ctx context.Context, m *earshot.Monitor, p resultsParams) (resultsResponse, error) {
	count := a.Insight.Results
	if p.Estimates {
		count = a.Insight.EstimatedResults
	}
	list, err := count(ctx, m, p.days(), p.HideExcluded)
	if err != nil {
		return resultsResponse{}, err
	}
	return resultsResponse{Results: jsonvalue.Map(list, func(r insight.Result) result {
		return result{
			daySpan:                   newDaySpan(r.Day),
			CreationDate:              localTime(r.Changed, m),
			NumberOfDocuments:         r.Posts,
			NumberOfRelevantDocuments: r.Relevant,
			Categories:                jsonvalue.Map(r.Categories, newShare),
			Emotions:                  jsonvalue.Map(r.Emotions, newShare),
		}
	})}, nil
}

func newShare(s insight.Share) share {
	shown := share{CategoryID: s.Category.ID, Category: s.Category.Name, Proportion: s.Proportion, Volume: s.Posts, Hidden: s.Category.Hidden}
	if e := s.Estimate; e != nil {
		shown.Estimate, shown.Low, shown.High = new(jsonvalue.Round(e.Share)), new(jsonvalue.Round(e.Low)), new(jsonvalue.Round(e.High))
	}
	return shown
}
