package card

import (
	"context"
	"strconv"
	"time"

	"earshot"
	"earshot/internal/insight"
	"earshot/internal/jsonvalue"
	"earshot/internal/model/vision"
	"earshot/internal/poststore"
	"earshot/internal/workspace/postview"
)

// A PicturesResponse covers the days that have results. Start and End are empty if there are none.
type PicturesResponse struct {
	Start   earshot.Date   `json:"start"`
	End     earshot.Date   `json:"end"`
	Fetched bool           `json:"fetched"` // the setting images.fetch
	Posts   int64          `json:"posts"`   // posts with an image
	Read    int64          `json:"read"`    // newest of them that the pictures are from
	Total   int            `json:"total"`   // groups of copies
	Items   []PictureGroup `json:"items"`
	Next    int            `json:"next"` // offset of the next page; 0: no more pages
}

// A PictureGroup is a picture and its copies, as the web app shows it.
type PictureGroup struct {
	Picture postview.PostPicture      `json:"picture"` // of the largest copy
	Posts   int64                     `json:"posts"`   // that have it
	Files   int                       `json:"files"`   // copies that differ in size or compression
	Last    time.Time                 `json:"last"`    // of the latest post
	Classes []PictureClass            `json:"classes"`
	First   *postview.HighlightedPost `json:"first"` // the earliest post
}

// A PictureClass is something that a picture shows.
type PictureClass struct {
	ID    int64       `json:"id"`
	Name  string      `json:"name"`
	Type  vision.Type `json:"type"`
	Score float64     `json:"score"`
}

// A PicturesRequest selects a page of the pictures of a monitor or filter.
type PicturesRequest struct {
	Query
	MostPosted    bool // instead of the newest first
	Limit, Offset int
	Fetched       bool // for the response
}

// Pictures returns the pictures of a monitor or filter to a caller.
func (s *Service) Pictures(ctx context.Context, c *earshot.Caller, q PicturesRequest) (response PicturesResponse, err error) {
	err = s.refined(ctx, c, q.Query, true, func(m *earshot.Monitor, days earshot.Days, refinement poststore.Selection, r *postview.Renderer) error {
		found, err := s.Insight.Pictures(ctx, m, days, refinement, s.Views.Restricted, q.MostPosted)
		if err != nil {
			return err
		}
		response = PicturesResponse{
			Start: days.Start, End: days.End, Fetched: q.Fetched,
			Posts: found.Posts, Read: found.Read, Total: len(found.Groups),
		}
		for i := min(q.Offset, len(found.Groups)); i < min(q.Offset+q.Limit, len(found.Groups)); i++ {
			g := &found.Groups[i]
			response.Items = append(response.Items, PictureGroup{
				Picture: postview.NewPicture(g.Picture), Posts: g.Posts, Files: g.Files, Last: g.Last.UTC(),
				Classes: newPictureClasses(g), First: r.Highlight(&g.First),
			})
		}
		if next := q.Offset + q.Limit; next < len(found.Groups) {
			response.Next = next
		}
		return nil
	})
	return response, err
}

// newPictureClasses returns what a picture shows: what was found in it and what the first post says
// about it.
func newPictureClasses(g *insight.PictureGroup) []PictureClass {
	for _, image := range g.First.Images {
		if image.Picture != nil && (image.Picture.Hash == g.Picture.Hash || image.Picture.Similar == g.Picture.Similar) {
			return NewPictureClasses(image.Objects)
		}
	}
	return NewPictureClasses(g.Picture.Objects)
}

// NewPictureClasses describes what was found in a picture.
func NewPictureClasses(objects []earshot.ImageObject) []PictureClass {
	return jsonvalue.Map(objects, func(o earshot.ImageObject) PictureClass {
		return PictureClass{o.ClassID, o.ClassName, vision.TypeOf(o.ClassID), jsonvalue.Round(o.Score)}
	})
}

// PicturePosts returns the posts of a monitor or filter with a picture to a caller, or an empty list.
// offset is the number of posts on earlier pages.
func (s *Service) PicturePosts(ctx context.Context, c *earshot.Caller, q Query, hash string, limit, offset int) (response PostsResponse, err error) {
	err = s.refined(ctx, c, q, true, func(m *earshot.Monitor, days earshot.Days, refinement poststore.Selection, r *postview.Renderer) error {
		posts, err := s.Insight.PicturePosts(ctx, m, days, refinement, s.Views.Restricted, hash)
		if err != nil {
			return err
		}
		response = PostsResponse{Start: days.Start, End: days.End, Total: int64(len(posts))}
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
