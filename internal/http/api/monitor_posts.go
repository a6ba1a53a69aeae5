package api

import (
	"context"
	"io"
	"strconv"

	"earshot"
	"earshot/internal/http/rest"
	"earshot/internal/insight"
	"earshot/internal/query/filter"
	"earshot/internal/workspace/postview"
)

// Maximum number of posts per response.
const (
	maxPosts         = 500
	maxExtendedPosts = 10_000
)

type postsParams struct {
	monitorRange
	Filter       filter.Filter `query:"filter" doc:"pairs field:value separated by |, with the fields site, keywords, geolocation, category, language, source, gender and author"`
	ExtendLimit  bool          `query:"extendLimit" doc:"true: return up to 10,000 posts instead of 500"`
	FullContents bool          `query:"fullContents" doc:"true: return full contents instead of excerpts"`
	Geotagged    bool          `query:"geotagged" doc:"true: only posts with a geolocation"`
}

type postsResponse struct {
	Posts               []postview.Post `json:"posts" doc:"posts, newest first"`
	TotalPostsAvailable int64           `json:"totalPostsAvailable" doc:"total number of posts in the range that match the filter"`
	Status              rest.Success    `json:"status"`
}

// posts serves /api/monitor/posts.
func (a *API) posts(ctx context.Context, m *earshot.Monitor, p postsParams) (response rest.Streamed[postsResponse], err error) {
	limit := maxPosts
	if p.ExtendLimit {
		limit = maxExtendedPosts
	}
	err = a.Insight.WithCategorization(ctx, m, func(c insight.Categorization) error {
		refinement, err := a.Filters.Select(m, p.Filter, c)
		if err != nil {
			return err
		}
		refinement.Geotagged = p.Geotagged
		posts, total, err := a.Insight.Posts(ctx, m, p.days(), refinement, limit)
		if err != nil {
			return err
		}
		r := a.Posts.NewRenderer(postview.Options{Monitor: m, Categorization: c, Refinement: refinement.Where, Excerpts: !p.FullContents})
		response.Write = func(w io.Writer) error { return writePosts(w, r, posts, total) }
		return nil
	})
	return response, err
}

type postsWithBodyParams struct {
	postsParams
	Body filterBody `body:"json,optional"`
}

// postsWithBody serves POST /api/monitor/posts, which exists only with the compat setting. The JSON
// body contains the fields of the filter.
func (a *API) postsWithBody(ctx context.Context, m *earshot.Monitor, p postsWithBodyParams) (response rest.Streamed[postsResponse], err error) {
	if err := p.Body.addTo(&p.Filter); err != nil {
		return response, err
	}
	return a.posts(ctx, m, p.postsParams)
}

// writePosts writes a postsResponse, one post at a time.
func writePosts(w io.Writer, r *postview.Renderer, posts []earshot.Post, total int64) error {
	b := []byte(`{"posts":[`)
	var rendered postview.Post
	for i := range posts {
		if i > 0 {
			b = append(b, ',')
		}
		r.Render(&rendered, &posts[i])
		var err error
		if b, err = rest.AppendJSON(b, &rendered); err != nil {
			return err
		}
		if _, err := w.Write(b); err != nil {
			return err
		}
		b = b[:0]
	}
	b = append(b, `],"totalPostsAvailable":`...)
	b = strconv.AppendInt(b, total, 10)
	b = append(b, `,"status":"success"}`...)
	_, err := w.Write(b)
	return err
}
