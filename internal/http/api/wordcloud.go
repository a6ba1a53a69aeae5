package api

import (
	"context"

	"earshot"
	"earshot/internal/http/rest"
	"earshot/internal/insight"
)

type wordCloudParams struct {
	monitorRange
	Filter postFilter `query:"filter" doc:"as for posts: pairs field:value separated by |"`
}

type wordCloudResponse struct {
	Data   insight.WordCloud `json:"data" doc:"the 300 most frequent words of a sample of up to 10,000 posts, each with how often it occurs there, in alphabetical order"`
	Status rest.Success      `json:"status"`
}

// wordCloud serves /api/monitor/wordcloud.
func (a *API) wordCloud(ctx context.Context, m *earshot.Monitor, p wordCloudParams) (answer wordCloudResponse, err error) {
	err = a.Insight.WithCategorization(ctx, m, func(sorted insight.Categorization) error {
		narrow, err := a.selection(m, p.Filter, sorted)
		if err != nil {
			return err
		}
		answer.Data, err = a.Insight.WordCloud(ctx, m, p.days(), narrow, p.Filter.text(sorted))
		return err
	})
	return answer, err
}

type wordCloudOfBodyParams struct {
	wordCloudParams
	Body filterBody `body:"json,optional"`
}

// wordCloudOfBody serves POST /api/monitor/wordcloud, where the setting compat allows it:
// the filter's fields come as keys of a JSON body.
func (a *API) wordCloudOfBody(ctx context.Context, m *earshot.Monitor, p wordCloudOfBodyParams) (wordCloudResponse, error) {
	if err := p.Body.addTo(&p.Filter); err != nil {
		return wordCloudResponse{}, err
	}
	return a.wordCloud(ctx, m, p.wordCloudParams)
}
