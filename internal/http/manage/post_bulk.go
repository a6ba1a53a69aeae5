package manage

import (
	"context"

	"earshot"
	"earshot/internal/insight"
	"earshot/internal/workspace/card"
	"earshot/internal/workspace/mark"
	"earshot/internal/workspace/postview"
)

type bulkParams struct {
	monitorPath
	Body struct {
		Posts      []string          `json:"posts"`
		Mark       *markChange       `json:"mark"`
		Correction *correctionChange `json:"correction"`
	} `body:"json"`
}

type bulkResponse struct {
	Posts []*postview.HighlightedPost `json:"posts"` // as they are now, in the order of the request
}

// editPosts serves PATCH /manage/v1/monitors/{id}/posts: it marks or corrects several posts. If one of
// them does not exist or cannot be changed, none is.
func (a *API) editPosts(ctx context.Context, c *earshot.Caller, p bulkParams) (bulkResponse, error) {
	response := bulkResponse{Posts: []*postview.HighlightedPost{}}
	if n := len(p.Body.Posts); n < 1 || n > earshot.MaxBulkPosts {
		return response, earshot.InvalidBody("posts must have 1 to %d keys", earshot.MaxBulkPosts)
	}
	if (p.Body.Mark == nil) == (p.Body.Correction == nil) {
		return response, earshot.InvalidBody("there must be either mark or correction")
	}
	m, err := a.Monitors.Find(c, p.ID)
	if err != nil {
		return response, err
	}
	posts, err := a.findPosts(ctx, m, p.Body.Posts)
	if err != nil {
		return response, err
	}
	if p.Body.Mark != nil {
		keys := make([]earshot.PostKey, len(posts))
		for i, post := range posts {
			keys[i] = post.Key()
		}
		err = a.Marks.EditAll(ctx, c, m.Team, keys, mark.Changes(*p.Body.Mark))
	} else {
		err = a.correctAll(ctx, c, m, posts, *p.Body.Correction)
	}
	if err != nil {
		return response, err
	}
	err = a.Insight.WithCategorization(ctx, m, func(categorization insight.Categorization) error {
		r := a.Posts.NewRenderer(postview.Options{Monitor: m, Categorization: categorization, Marks: card.SeesMarks(c)})
		posts, err := a.findPosts(ctx, m, p.Body.Posts) // with their new corrections
		for _, post := range posts {
			response.Posts = append(response.Posts, r.Highlight(post))
		}
		return err
	})
	return response, err
}

func (a *API) correctAll(ctx context.Context, c *earshot.Caller, m *earshot.Monitor, posts []*earshot.Post, change correctionChange) error {
	edit, err := change.change(m)
	if err != nil {
		return err
	}
	return a.Corrections.EditAll(ctx, c, m, posts, edit)
}

// findPosts returns the posts of m with the given keys, each once.
func (a *API) findPosts(ctx context.Context, m *earshot.Monitor, keys []string) ([]*earshot.Post, error) {
	posts := make([]*earshot.Post, 0, len(keys))
	seen := map[string]bool{}
	for _, key := range keys {
		if seen[key] {
			continue
		}
		seen[key] = true
		post, err := a.findPost(ctx, m, key)
		if err != nil {
			return nil, err
		}
		posts = append(posts, post)
	}
	return posts, nil
}
