package api

import (
	"context"
	"fmt"
	"net/http"

	"earshot"
	"earshot/internal/analysis"
	"earshot/internal/http/rest"
	"earshot/internal/state/ledger"
)

type submitParams struct {
	Base string       `request:"base"`
	Body analysisBody `body:"json"`
}

type analysisBody struct {
	Analysis     []string        `json:"analysis" doc:"what to tell of the posts; affinity and reach are of microblog posts" values:"sentiment,volume,emotion,gender,age,ethnicity,location,source,affinity,reach" required:"true" example:"volume"`
	Keywords     string          `json:"keywords" doc:"boolean query" required:"true" example:"coffee"`
	Sources      []string        `json:"sources" doc:"TWITTER, GOOGLE_PLUS and so on, or CUSTOM: and the name of a content source; several of these must be of one team" required:"true" example:"TWITTER"`
	StartDate    string          `json:"startDate" doc:"beginning, like 2026-03-01T00:00:00, on the clock of timezone" required:"true" example:"2026-03-01T00:00:00"`
	EndDate      string          `json:"endDate" doc:"end, exclusive; at most 24 hours later" required:"true" example:"2026-03-02T00:00:00"`
	Timezone     string          `json:"timezone" doc:"name like UTC or America/New_York" required:"true" example:"UTC"`
	RequestUsage rest.Bool       `json:"requestUsage" doc:"true: the answer tells how much of the contract is used"`
	Languages    *analysisChoice `json:"languages" doc:"2-letter codes that posts have, or have not; the value all stands for every language"`
	Locations    *analysisChoice `json:"locations" doc:"geography ids where posts are from, or not; the value all stands for every country"`
	Gender       *analysisChoice `json:"gender" doc:"M, F or both: the gender that authors have, or have not"`
}

type analysisChoice struct {
	Type   string   `json:"type" doc:"include: posts have one of the values; exclude: they have none of them. A post of which it is not known has none" required:"true" example:"include"`
	Values []string `json:"values" doc:"the values; an empty list is no limit" required:"true"`
}

// analysisRequest is an analysis request as responses show it.
type analysisRequest struct {
	Analysis     []string        `json:"analysis" doc:"what to tell of the posts"`
	Keywords     string          `json:"keywords" doc:"boolean query"`
	Sources      []string        `json:"sources" doc:"where the posts were published"`
	StartDate    string          `json:"startDate" doc:"beginning"`
	EndDate      string          `json:"endDate" doc:"end, exclusive"`
	Timezone     string          `json:"timezone" doc:"time zone of both"`
	RequestUsage *bool           `json:"requestUsage,omitempty" doc:"whether the answer tells how much of the contract is used"`
	Languages    *analysisChoice `json:"languages,omitempty" doc:"languages"`
	Locations    *analysisChoice `json:"locations,omitempty" doc:"where the posts are from"`
	Gender       *analysisChoice `json:"gender,omitempty" doc:"gender of the authors"`
}

// submitAnalysis serves POST /api/results.
func (a *API) submitAnalysis(ctx context.Context, c *earshot.Caller, p submitParams) (submittedResponse, error) {
	form, err := p.Body.form()
	if err != nil {
		return submittedResponse{}, err
	}
	result, err := a.Analysis.Submit(ctx, c, form)
	if err != nil {
		return submittedResponse{}, err
	}
	response, err := a.newAnalysisResponse(ctx, result, p.Base)
	return submittedResponse{response}, err
}

// A submittedResponse is an analysisResponse whose HTTP status depends on whether the analysis is
// done.
type submittedResponse struct{ analysisResponse }

// HTTPStatus implements [rest.Statuser].
func (r submittedResponse) HTTPStatus() int {
	if r.state == ledger.Waiting {
		return http.StatusAccepted
	}
	return http.StatusOK
}

type resultParams struct {
	ResultID earshot.ResultID `path:"resultId" doc:"id of the result" example:"2147483660"`
	Base     string           `request:"base"`
}

// analysisResult serves GET /api/results/{resultId}.
func (a *API) analysisResult(ctx context.Context, c *earshot.Caller, p resultParams) (analysisResponse, error) {
	result, err := a.Analysis.Find(ctx, c, p.ResultID)
	if err != nil {
		return analysisResponse{}, err
	}
	return a.newAnalysisResponse(ctx, result, p.Base)
}

// form converts the body to the form that the analysis service validates. It includes the JSON that
// responses echo.
func (b *analysisBody) form() (analysis.Form, error) {
	shown := analysisRequest{
		Analysis: b.Analysis, Keywords: b.Keywords, Sources: b.Sources,
		StartDate: b.StartDate, EndDate: b.EndDate, Timezone: b.Timezone,
		Languages: b.Languages, Locations: b.Locations, Gender: b.Gender,
	}
	if b.RequestUsage.Presence == rest.Given {
		shown.RequestUsage = &b.RequestUsage.Value
	}
	echo, err := rest.AppendJSON(nil, shown)
	if err != nil {
		return analysis.Form{}, fmt.Errorf("show analysis request: %w", err)
	}
	return analysis.Form{
		Analysis: b.Analysis, Keywords: b.Keywords, Sources: b.Sources,
		StartDate: b.StartDate, EndDate: b.EndDate, Timezone: b.Timezone,
		Languages: (*analysis.Choice)(b.Languages), Locations: (*analysis.Choice)(b.Locations), Gender: (*analysis.Choice)(b.Gender),
		Echo: echo,
	}, nil
}
