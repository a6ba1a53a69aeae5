package manage

import (
	"context"

	"earshot"
	"earshot/internal/http/rest"
	"earshot/internal/insight"
)

type exclusionParams struct {
	monitorPath
	Body struct {
		Posts []string `json:"posts"`
		Terms []string `json:"terms"` // none: suggest some
	} `body:"json"`
}

// ResponseMemory implements [rest.Weighted]: comparing texts takes a while.
func (p exclusionParams) ResponseMemory() int64 { return rest.LongResponse }

type exclusionResponse struct {
	Start earshot.Date            `json:"start"`
	End   earshot.Date            `json:"end"`   // exclusive
	Posts int64                   `json:"posts"` // the other posts of these days
	Terms []insight.ExclusionTerm `json:"terms"`
	Query string                  `json:"query"` // without posts that have one of the given terms; "" if there are none
	insight.Removal
}

const maxExcludedTerms = 100

// excludeTerms serves POST /manage/v1/monitors/{id}/exclusions: it suggests terms that exclude posts,
// or says what terms remove. It changes nothing.
func (a *API) excludeTerms(ctx context.Context, c *earshot.Caller, p exclusionParams) (exclusionResponse, error) {
	response := exclusionResponse{Terms: []insight.ExclusionTerm{}}
	if n := len(p.Body.Posts); n < 1 || n > earshot.MaxBulkPosts {
		return response, earshot.InvalidBody("posts must have 1 to %d keys", earshot.MaxBulkPosts)
	}
	if len(p.Body.Terms) > maxExcludedTerms {
		return response, earshot.InvalidBody("terms must have at most %d entries", maxExcludedTerms)
	}
	m, err := a.Monitors.Find(c, p.ID)
	if err != nil {
		return response, err
	}
	posts, err := a.findPosts(ctx, m, p.Body.Posts)
	if err != nil {
		return response, err
	}
	var found insight.Exclusions
	if len(p.Body.Terms) > 0 {
		found, err = a.Insight.Exclude(ctx, m, posts, p.Body.Terms)
	} else {
		found, err = a.Insight.SuggestExclusions(ctx, m, posts)
	}
	response.Start, response.End, response.Posts = found.Days.Start, found.Days.End, found.Posts
	response.Terms = append(response.Terms, found.Terms...)
	response.Query, response.Removal = found.Query, found.Removal
	return response, err
}
