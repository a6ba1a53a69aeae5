package manage

import (
	"context"
	"errors"
	"time"

	"earshot"
	"earshot/internal/analysis"
	"earshot/internal/geo"
	"earshot/internal/insight"
	"earshot/internal/model/interest"
	"earshot/internal/poststore"
	"earshot/internal/workspace/card"
	"earshot/internal/workspace/postview"
)

type analysisPath = idPath[earshot.ResultID]

// An analysisDetail is an analysis with what is needed to filter its posts, and to create a monitor
// for them.
type analysisDetail struct {
	analysisInfo
	Start      time.Time       `json:"start"`
	End        time.Time       `json:"end"` // exclusive
	Categories []category      `json:"categories"`
	Emotions   []category      `json:"emotions"`
	Interests  []interestName  `json:"interests"` // of the result
	Monitor    analysisMonitor `json:"monitor"`
}

type interestName struct {
	ID   earshot.InterestID `json:"id"`
	Name string             `json:"name"`
}

// An analysisMonitor contains the settings of a monitor with the conditions of an analysis, as
// POST /manage/v1/monitors takes them. It has no team if the analysis belongs to several teams.
type analysisMonitor struct {
	Name         string         `json:"name"`
	Team         earshot.TeamID `json:"team,omitempty"`
	Keywords     string         `json:"keywords"`
	Languages    choice         `json:"languages"`
	Geolocations choice         `json:"geolocations"`
	Gender       earshot.Gender `json:"gender" values:"M,F,"`
	Sources      []string       `json:"sources"`
	Timezone     string         `json:"timezone"`
	Start        earshot.Date   `json:"start"`
}

// showAnalysis serves GET /manage/v1/analyses/{id}.
func (a *API) showAnalysis(ctx context.Context, c *earshot.Caller, p analysisPath) (response analysisDetail, err error) {
	r, err := a.Analysis.Find(ctx, c, p.ID)
	if err != nil {
		return response, err
	}
	m := a.Analysis.Monitor(r)
	response = analysisDetail{
		analysisInfo: newAnalysis(r), Start: r.Request.Start, End: r.Request.End,
		Categories: newCategories(m.Categories), Emotions: newCategories(m.Emotions),
		Monitor: analysisMonitor{
			Name: m.Name, Team: m.Team, Keywords: m.Criteria.Keywords, Languages: newChoice(m.Criteria.Languages),
			Geolocations: newChoice(geo.PlainChoice(m.Criteria.Places)), Gender: m.Criteria.Gender, Sources: m.Criteria.Sources,
			Timezone: m.Timezone, Start: m.Start,
		},
	}
	if r.Metrics != nil {
		for _, count := range r.Metrics.Affinities {
			known, _ := interest.Lookup(count.Interest)
			response.Interests = append(response.Interests, interestName{count.Interest, known.Name})
		}
	}
	return response, nil
}

// findAnalysis returns an analysis, the monitor that its posts are rendered for, and a filter as a
// refinement.
func (a *API) findAnalysis(ctx context.Context, c *earshot.Caller, id earshot.ResultID, filter string) (r *analysis.Result, m *earshot.Monitor, refinement poststore.Selection, err error) {
	if r, err = a.Analysis.Find(ctx, c, id); err != nil {
		return nil, nil, refinement, err
	}
	m = a.Analysis.Monitor(r)
	refinement, err = a.Filters.Refinement(c, m, filter).Selection(insight.Categorization{})
	return r, m, refinement, err
}

type analysisVolumeParams struct {
	analysisPath
	Filter string `query:"filter"`
}

// An analysisVolume is the number of posts over time. The last step may be shorter than the others.
type analysisVolume struct {
	Total       int64          `json:"total"`
	StepSeconds int            `json:"stepSeconds"`
	Steps       []analysisStep `json:"steps"`
}

type analysisStep struct {
	Start time.Time `json:"start"` // in the time zone of the analysis
	Posts int64     `json:"posts"`
}

// showAnalysisVolume serves GET /manage/v1/analyses/{id}/volume.
func (a *API) showAnalysisVolume(ctx context.Context, c *earshot.Caller, p analysisVolumeParams) (response analysisVolume, err error) {
	r, m, refinement, err := a.findAnalysis(ctx, c, p.ID, p.Filter)
	if err != nil {
		return response, err
	}
	steps, length, err := a.Analysis.Volume(ctx, r, refinement)
	if err != nil {
		return response, err
	}
	response = analysisVolume{StepSeconds: int(length.Seconds()), Steps: make([]analysisStep, len(steps))}
	for i, s := range steps {
		response.Steps[i] = analysisStep{s.Start.In(m.Location()), s.Posts}
		response.Total += s.Posts
	}
	return response, nil
}

type analysisPostsParams struct {
	analysisPath
	Filter string    `query:"filter"`
	From   instant   `query:"from"`
	To     instant   `query:"to"` // exclusive
	Limit  *int      `query:"limit"`
	Full   bool      `query:"full"`
	Sort   postOrder `query:"sort"`
	Cursor string    `query:"cursor"`
}

// An instant is a time with an offset, such as 2026-03-10T14:00:00Z.
type instant struct{ time.Time }

// UnmarshalText implements [encoding.TextUnmarshaler].
func (t *instant) UnmarshalText(text []byte) error {
	if err := t.Time.UnmarshalText(text); err != nil {
		return errors.New("a time like 2026-03-10T14:00:00Z")
	}
	return nil
}

type analysisPostsResponse struct {
	Total  int64                       `json:"total"`
	Items  []*postview.HighlightedPost `json:"items"`
	Cursor string                      `json:"cursor,omitempty"` // of the next page
}

// listAnalysisPosts serves GET /manage/v1/analyses/{id}/posts.
func (a *API) listAnalysisPosts(ctx context.Context, c *earshot.Caller, p analysisPostsParams) (response analysisPostsResponse, err error) {
	limit, err := parseLimit(p.Limit, defaultPosts, maxPosts)
	if err != nil {
		return response, err
	}
	if !p.To.IsZero() && !p.From.Before(p.To.Time) {
		return response, earshot.InvalidParameter("to", p.To.Format(time.RFC3339), "a time after from")
	}
	r, m, refinement, err := a.findAnalysis(ctx, c, p.ID, p.Filter)
	if err != nil {
		return response, err
	}
	refinement.From, refinement.To = p.From.Time, p.To.Time
	ranking := poststore.Ranking{Order: p.Sort.order, Limit: limit + 1}
	if ranking.After, err = card.ParseCursor(p.Cursor, func(key earshot.PostKey, score int64) (poststore.RankPosition, error) {
		return a.Analysis.RankPosition(ctx, r, key, score)
	}); err != nil {
		return response, err
	}
	found, err := a.Analysis.Posts(ctx, r, refinement, ranking)
	if err != nil {
		return response, err
	}
	response = analysisPostsResponse{Total: found.Total}
	renderer := a.Posts.NewRenderer(postview.Options{Monitor: m, Refinement: refinement.Where, Excerpts: !p.Full})
	for i := range found.Posts[:min(limit, len(found.Posts))] {
		response.Items = append(response.Items, renderer.Highlight(&found.Posts[i].Post))
	}
	if len(found.Posts) > limit {
		response.Cursor = card.NewCursor(&found.Posts[limit-1])
	}
	return response, nil
}

type analysisPostPath struct {
	analysisPath
	Key string `path:"key"`
}

// showAnalysisPost serves GET /manage/v1/analyses/{id}/posts/{key}.
func (a *API) showAnalysisPost(ctx context.Context, c *earshot.Caller, p analysisPostPath) (*postview.HighlightedPost, error) {
	r, m, _, err := a.findAnalysis(ctx, c, p.ID, "")
	if err != nil {
		return nil, err
	}
	key, err := parsePostKey(p.Key)
	if err != nil {
		return nil, err
	}
	post, err := a.Analysis.Post(ctx, r, key)
	if err != nil {
		return nil, err
	}
	return a.Posts.NewRenderer(postview.Options{Monitor: m}).Highlight(post), nil
}
