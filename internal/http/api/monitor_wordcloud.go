package api

import (
	"context"
	"fmt"

	"earshot"
	"earshot/internal/http/rest"
	"earshot/internal/insight"
	"earshot/internal/query/filter"
)

type wordCloudParams struct {
	monitorRange
	Filter filter.Filter `query:"filter" doc:"pairs field:value separated by |, as for /api/monitor/posts"`
}

type wordCloudResponse struct {
	Data   insight.WordCloud `json:"data" doc:"the 300 most frequent words in a sample of up to 10,000 posts with their counts, in alphabetical order"`
	Status rest.Success      `json:"status"`
}

// wordCloud serves /api/monitor/wordcloud.
func (a *API) wordCloud(ctx context.Context, m *earshot.Monitor, p wordCloudParams) (response wordCloudResponse, err error) {
	err = a.Insight.WithCategorization(ctx, m, func(c insight.Categorization) error {
		refinement, err := a.Filters.Select(m, p.Filter, c)
		if err != nil {
			return err
		}
		response.Data, err = a.Insight.WordCloud(ctx, m, p.days(), refinement, fmt.Sprintf("%s %d", p.Filter.Key(), c.ModelID))
		return err
	})
	return response, err
}

type wordCloudWithBodyParams struct {
	wordCloudParams
	Body filterBody `body:"json,optional"`
}

// wordCloudWithBody serves POST /api/monitor/wordcloud, which exists only with the compat setting.
// The JSON body contains the fields of the filter.
func (a *API) wordCloudWithBody(ctx context.Context, m *earshot.Monitor, p wordCloudWithBodyParams) (wordCloudResponse, error) {
	if err := p.Body.addTo(&p.Filter); err != nil {
		return wordCloudResponse{}, err
	}
	return a.wordCloud(ctx, m, p.wordCloudParams)
}
