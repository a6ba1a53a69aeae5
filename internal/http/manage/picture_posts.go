package manage

import (
	"context"
	"fmt"
	"strconv"

	"earshot"
	"earshot/internal/insight"
	"earshot/internal/workspace/card"
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
	return a.Cards.PicturePosts(ctx, c, p.query(), p.Hash, limit, offset)
}
