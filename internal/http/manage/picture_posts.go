package manage

import (
	"context"
	"fmt"
	"strconv"

	"earshot"
	"earshot/internal/insight"
	"earshot/internal/workspace/card"
	"earshot/internal/workspace/postview"
)

// Default and maximum number of posts on a page of the posts with a picture.
const (
	defaultPicturePosts = 50
	maxPicturePosts     = 200
)

type picturePostsParams struct {
	longQuery
	picturePath
	Limit  *int   `query:"limit"`
	Cursor string `query:"cursor"` // number of posts on earlier pages
}

// listPicturePosts serves GET /manage/v1/monitors/{id}/pictures/{hash}/posts. The list of a picture
// that no post has is empty.
func (a *API) listPicturePosts(ctx context.Context, c *earshot.Caller, p picturePostsParams) (response card.PostsResponse, err error) {
	limit, err := parseLimit(p.Limit, defaultPicturePosts, maxPicturePosts)
	if err != nil {
		return response, err
	}
	offset := 0
	if p.Cursor != "" {
		if offset, err = strconv.Atoi(p.Cursor); err != nil || offset < 0 || offset > insight.MaxPictured {
			return response, earshot.InvalidParameter("cursor", p.Cursor, fmt.Sprintf("a whole number from 0 to %d", insight.MaxPictured))
		}
	}
	m, days, err := p.find(a, c)
	if err != nil {
		return response, err
	}
	days = a.Insight.ResultDays(m, days)
	err = a.Insight.WithCategorization(ctx, m, func(categorization insight.Categorization) error {
		refinement, err := a.Filters.Refinement(c, m, p.Filter).Selection(categorization)
		if err != nil {
			return err
		}
		posts, err := a.Insight.PicturePosts(ctx, m, days, refinement, a.Posts.Restricted, p.Hash)
		if err != nil {
			return err
		}
		response = card.PostsResponse{Start: days.Start, End: days.End, Total: int64(len(posts))}
		r := a.Posts.NewRenderer(postview.Options{Monitor: m, Categorization: categorization, Refinement: refinement.Where, Excerpts: true, Marks: card.SeesMarks(c)})
		for i := min(offset, len(posts)); i < min(offset+limit, len(posts)); i++ {
			response.Items = append(response.Items, r.Highlight(&posts[i]))
		}
		if next := offset + limit; next < len(posts) {
			response.Cursor = strconv.Itoa(next)
		}
		return nil
	})
	return response, err
}
