package manage

import (
	"context"
	"slices"

	"earshot"
	"earshot/internal/insight"
	"earshot/internal/jsonvalue"
	"earshot/internal/model/training"
	"earshot/internal/workspace/postview"
)

const (
	defaultSuggestions = 20
	maxSuggestions     = 100
	suggestionSample   = 1500 // number of posts from which suggestions are chosen
)

type suggestionsParams struct {
	monitorPath
	Limit *int   `query:"limit"`
	Seed  uint64 `query:"seed"` // another seed selects other posts
}

type suggestionsResponse struct {
	Items []suggestion `json:"items"`
	Model bool         `json:"model"` // whether there is a model that can be unsure
}

type suggestion struct {
	Key    string                   `json:"key"`
	Post   postview.HighlightedPost `json:"post"`
	Scores []suggestedScore         `json:"scores"`
	Reason string                   `json:"reason" values:"unsure,random"`
}

type suggestedScore struct {
	CategoryID earshot.CategoryID `json:"categoryId"`
	Score      float64            `json:"score"`
}

// listSuggestions serves GET /manage/v1/monitors/{id}/training/suggestions.
func (a *API) listSuggestions(ctx context.Context, c *earshot.Caller, p suggestionsParams) (response suggestionsResponse, err error) {
	limit, err := parseLimit(p.Limit, defaultSuggestions, maxSuggestions)
	if err != nil {
		return response, err
	}
	m, err := a.opinion(c, p.ID)
	if err != nil {
		return response, err
	}
	err = a.Insight.WithCategorization(ctx, m, func(c insight.Categorization) error {
		posts, err := a.Insight.Sample(ctx, m, suggestionSample, p.Seed)
		if err != nil {
			return err
		}
		// People cannot judge a post without its text.
		posts = slices.DeleteFunc(posts, func(post earshot.Post) bool { return a.Posts.Redact(&post) })
		list, err := a.Training.Suggest(ctx, m, c.Model, posts, limit, p.Seed)
		response = suggestionsResponse{Model: !c.IsZero()}
		renderer := a.Posts.NewRenderer(postview.Options{Monitor: m, Categorization: c})
		for i := range list {
			response.Items = append(response.Items, newSuggestion(&list[i], c, renderer))
		}
		return err
	})
	return response, err
}

func newSuggestion(s *training.Suggestion, c insight.Categorization, r *postview.Renderer) suggestion {
	shown := suggestion{Key: s.Post.Key().Text(), Post: *r.Highlight(&s.Post), Reason: "random"}
	if s.Uncertain {
		shown.Reason = "unsure"
	}
	for i, share := range s.Scores {
		shown.Scores = append(shown.Scores, suggestedScore{c.Model.Categories[i], jsonvalue.Round4(float64(share))})
	}
	return shown
}

// A storedPost identifies a post of the monitor.
type storedPost struct {
	Key string `json:"key"`
}

// storedDocuments returns posts of m as training documents, and the IDs that they will have as
// training posts.
func (a *API) storedDocuments(ctx context.Context, m *earshot.Monitor, posts []storedPost) (docs []training.Document, ids []string, err error) {
	if len(posts) > training.MaxDocuments {
		return nil, nil, training.TooMany(len(posts))
	}
	for i, named := range posts {
		p, err := a.findPost(ctx, m, named.Key)
		if err != nil {
			return nil, nil, err
		}
		d, err := training.NewDocument(p)
		if err != nil {
			return nil, nil, earshot.InvalidBody("posts[%d]: %s", i, err)
		}
		docs, ids = append(docs, d), append(ids, training.TrainingID(p))
	}
	return docs, ids, nil
}
