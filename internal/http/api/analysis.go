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
	Analysis     []string        `json:"analysis" doc:"requested analyses; affinity and reach cover only microblog posts" values:"sentiment,volume,emotion,gender,age,ethnicity,location,source,affinity,reach" required:"true" example:"volume"`
	Keywords     string          `json:"keywords" doc:"boolean query" required:"true" example:"coffee"`
	Sources      []string        `json:"sources" doc:"TWITTER, GOOGLE_PLUS and so on, or CUSTOM: followed by the name of a content source; all content sources must belong to the same team" required:"true" example:"TWITTER"`
	StartDate    string          `json:"startDate" doc:"start in the given timezone, for example 2026-03-01T00:00:00" required:"true" example:"2026-03-01T00:00:00"`
	EndDate      string          `json:"endDate" doc:"end, exclusive; at most 24 hours after startDate" required:"true" example:"2026-03-02T00:00:00"`
	Timezone     string          `json:"timezone" doc:"time zone name, for example UTC or America/New_York" required:"true" example:"UTC"`
	RequestUsage rest.Bool       `json:"requestUsage" doc:"true: the response includes usage of the contract"`
	Languages    *analysisChoice `json:"languages" doc:"2-letter codes to include or exclude; the value all means every language"`
	Locations    *analysisChoice `json:"locations" doc:"geography ids to include or exclude; the value all means every country"`
	Gender       *analysisChoice `json:"gender" doc:"genders of authors to include or exclude: M, F or both"`
}

type analysisChoice struct {
	Type   string   `json:"type" doc:"include: only posts with one of the values; exclude: only posts with none of them. Posts whose value is unknown have none of them" required:"true" example:"include"`
	Values []string `json:"values" doc:"values; an empty list means no restriction" required:"true"`
}

// analysisRequest is an analysis request as responses show it.
type analysisRequest struct {
	Analysis     []string        `json:"analysis" doc:"requested analyses"`
	Keywords     string          `json:"keywords" doc:"boolean query"`
	Sources      []string        `json:"sources" doc:"sources of the posts"`
	StartDate    string          `json:"startDate" doc:"start"`
	EndDate      string          `json:"endDate" doc:"end, exclusive"`
	Timezone     string          `json:"timezone" doc:"time zone of startDate and endDate"`
	RequestUsage *bool           `json:"requestUsage,omitempty" doc:"whether the response includes usage of the contract"`
	Languages    *analysisChoice `json:"languages,omitempty" doc:"languages"`
	Locations    *analysisChoice `json:"locations,omitempty" doc:"places of the posts"`
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
