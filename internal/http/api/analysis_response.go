package api

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"strconv"

	"earshot"
	"earshot/internal/analysis"
	"earshot/internal/http/rest"
	"earshot/internal/state/ledger"
)

// An analysisResponse is the JSON of one of the types below. The state determines which members it
// has and their order.
type analysisResponse struct {
	state ledger.State
	json  []byte
}

// AppendJSON implements [rest.Appender].
func (r analysisResponse) AppendJSON(b []byte) []byte { return append(b, r.json...) }

// JSONShape implements [rest.JSONShaper].
func (analysisResponse) JSONShape() any { return anyAnalysis{} }

// anyAnalysis has the members of all states, for the documentation.
type anyAnalysis struct {
	ResultID         earshot.ResultID `json:"resultId" doc:"id of the result, which is available for 30 days"`
	Status           ledger.State     `json:"status" doc:"DONE: the result is available; WAITING: not yet; SKIPPED: the analysis failed too often" values:"DONE,WAITING,SKIPPED"`
	Analysis         *analysisObject  `json:"analysis,omitempty" doc:"DONE: the requested analyses"`
	ContractInfo     *contractInfo    `json:"contractInfo,omitempty" doc:"DONE, with requestUsage: usage of the contract"`
	RetrieveAt       string           `json:"retrieveAt,omitempty" doc:"WAITING: when to request the result again, for example 2026-03-01T08:31:00+0000"`
	RetrieveAtMillis int64            `json:"retrieveAtMillis,omitempty" doc:"WAITING: the same time in milliseconds since 1970"`
	ResultsURI       string           `json:"resultsUri,omitempty" doc:"WAITING: URL of the result"`
	Message          string           `json:"message,omitempty" doc:"SKIPPED: the reason"`
	Request          analysisRequest  `json:"request" doc:"the request"`
}

type doneAnalysis struct {
	ResultID     earshot.ResultID `json:"resultId"`
	Status       ledger.State     `json:"status"`
	Analysis     analysisObject   `json:"analysis"`
	ContractInfo *contractInfo    `json:"contractInfo,omitempty"`
	Request      requestEcho      `json:"request"`
}

type waitingAnalysis struct {
	Status           ledger.State     `json:"status"`
	ResultID         earshot.ResultID `json:"resultId"`
	RetrieveAt       string           `json:"retrieveAt"`
	RetrieveAtMillis int64            `json:"retrieveAtMillis"`
	ResultsURI       string           `json:"resultsUri"`
	Request          requestEcho      `json:"request"`
}

type skippedAnalysis struct {
	ResultID earshot.ResultID `json:"resultId"`
	Status   ledger.State     `json:"status"`
	Message  string           `json:"message"`
	Request  requestEcho      `json:"request"`
}

type contractInfo struct {
	QueriesUsed       int64             `json:"queriesUsed" doc:"number of queries used in the period"`
	QueriesContracted int64             `json:"queriesContracted" doc:"maximum number of queries per period in the contract; 2147483647 if unlimited"`
	PeriodStart       earshot.Timestamp `json:"periodStart" doc:"start of the contract year, in UTC"`
	PeriodEnd         earshot.Timestamp `json:"periodEnd" doc:"end of the contract year, exclusive, in UTC"`
}

// A requestEcho is the JSON of an analysisRequest.
type requestEcho []byte

// AppendJSON implements [rest.Appender].
func (e requestEcho) AppendJSON(b []byte) []byte { return append(b, e...) }

// requestsUsage reports whether the response must include usage of the contract.
func (e requestEcho) requestsUsage() bool {
	var r analysisRequest
	return json.Unmarshal(e, &r) == nil && r.RequestUsage != nil && *r.RequestUsage
}

// retrieveLayout is the time format of retrieveAt. Unlike other timestamps, it has an offset.
const retrieveLayout = "2006-01-02T15:04:05-0700"

// newAnalysisResponse renders an analysis in its current state. base is the URL at which the client
// reached the server.
func (a *API) newAnalysisResponse(ctx context.Context, r *analysis.Result, base string) (analysisResponse, error) {
	response := analysisResponse{state: r.State}
	shown, err := a.renderAnalysis(ctx, r, base)
	if err == nil {
		response.json, err = rest.AppendJSON(nil, shown)
	}
	return response, err
}

func (a *API) renderAnalysis(ctx context.Context, r *analysis.Result, base string) (any, error) {
	switch r.State {
	case ledger.Done:
		usage, err := a.contractInfo(ctx, r)
		return doneAnalysis{r.ID, r.State, newAnalysisObject(r.Analysis), usage, r.Request.Echo}, err
	case ledger.Skipped:
		message := fmt.Sprintf("The analysis failed %d times and was abandoned; submit a new request", r.Attempt)
		return skippedAnalysis{r.ID, r.State, message, r.Request.Echo}, nil
	}
	return waitingAnalysis{
		Status:           r.State,
		ResultID:         r.ID,
		RetrieveAt:       r.RetrieveAt.UTC().Format(retrieveLayout),
		RetrieveAtMillis: r.RetrieveAt.UnixMilli(),
		ResultsURI:       base + "/api/results/" + strconv.FormatInt(int64(r.ID), 10),
		Request:          r.Request.Echo,
	}, nil
}

// contractInfo returns usage of the contract, or nil if the request does not ask for it.
func (a *API) contractInfo(ctx context.Context, r *analysis.Result) (*contractInfo, error) {
	if !requestEcho(r.Request.Echo).requestsUsage() {
		return nil, nil
	}
	u, err := a.Analysis.Usage(ctx)
	return &contractInfo{u.Used, cmp.Or(u.Contracted, earshot.Unlimited), earshot.Midnight(u.Period.Start), earshot.Midnight(u.Period.End)}, err
}
