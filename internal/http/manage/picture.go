package manage

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"time"

	"earshot"
	"earshot/internal/http/rest"
	"earshot/internal/insight"
	"earshot/internal/jsonvalue"
	"earshot/internal/model/vision"
	"earshot/internal/picture"
	"earshot/internal/workspace/card"
	"earshot/internal/workspace/postview"
)

// Default and maximum number of pictures on a page.
const (
	defaultPictures = 60
	maxPictures     = 200
)

// A pictureOrder is an order of pictures.
type pictureOrder string

const (
	newestPictures pictureOrder = "newest"
	mostPosted     pictureOrder = "posts"
)

// UnmarshalText implements [encoding.TextUnmarshaler].
func (o *pictureOrder) UnmarshalText(text []byte) error {
	*o = pictureOrder(text)
	if *o != newestPictures && *o != mostPosted {
		return errors.New("newest or posts")
	}
	return nil
}

type picturesParams struct {
	longQuery
	Sort   pictureOrder `query:"sort"`
	Limit  *int         `query:"limit"`
	Offset int          `query:"offset"`
}

// A picturesResponse covers the days that have results. Start and End are empty if there are none.
type picturesResponse struct {
	Start   earshot.Date   `json:"start"`
	End     earshot.Date   `json:"end"`
	Fetched bool           `json:"fetched"` // the setting images.fetch
	Posts   int64          `json:"posts"`   // posts with an image
	Read    int64          `json:"read"`    // newest of them that the pictures are from
	Total   int            `json:"total"`   // groups of copies
	Items   []pictureGroup `json:"items"`
	Next    int            `json:"next"` // offset of the next page; 0: no more pages
}

// A pictureGroup is a picture and its copies, as the web app shows it.
type pictureGroup struct {
	Picture postview.PostPicture      `json:"picture"` // of the largest copy
	Posts   int64                     `json:"posts"`   // that have it
	Files   int                       `json:"files"`   // copies that differ in size or compression
	Last    time.Time                 `json:"last"`    // of the latest post
	Classes []pictureClass            `json:"classes"`
	First   *postview.HighlightedPost `json:"first"` // the earliest post
}

type pictureClass struct {
	ID    int64       `json:"id"`
	Name  string      `json:"name"`
	Type  vision.Type `json:"type"`
	Score float64     `json:"score"`
}

// listPictures serves GET /manage/v1/monitors/{id}/pictures.
func (a *API) listPictures(ctx context.Context, c *earshot.Caller, p picturesParams) (response picturesResponse, err error) {
	limit, err := parseLimit(p.Limit, defaultPictures, maxPictures)
	if err != nil {
		return response, err
	}
	if p.Offset < 0 || p.Offset > 100*maxPictures {
		return response, earshot.InvalidParameter("offset", fmt.Sprint(p.Offset), "a whole number from 0 to 20000")
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
		found, err := a.Insight.Pictures(ctx, m, days, refinement, a.Posts.Restricted, p.Sort == mostPosted)
		if err != nil {
			return err
		}
		response = picturesResponse{
			Start: days.Start, End: days.End, Fetched: a.Pictures.Get != nil,
			Posts: found.Posts, Read: found.Read, Total: len(found.Groups),
		}
		r := a.Posts.NewRenderer(postview.Options{Monitor: m, Categorization: categorization, Refinement: refinement.Where, Excerpts: true, Marks: card.SeesMarks(c)})
		for i := min(p.Offset, len(found.Groups)); i < min(p.Offset+limit, len(found.Groups)); i++ {
			g := &found.Groups[i]
			response.Items = append(response.Items, pictureGroup{
				Picture: postview.NewPicture(g.Picture), Posts: g.Posts, Files: g.Files, Last: g.Last.UTC(),
				Classes: newPictureClasses(g), First: r.Highlight(&g.First),
			})
		}
		if next := p.Offset + limit; next < len(found.Groups) {
			response.Next = next
		}
		return nil
	})
	return response, err
}

// newPictureClasses returns what a picture shows: what was found in it and what the first post says
// about it.
func newPictureClasses(g *insight.PictureGroup) []pictureClass {
	for _, image := range g.First.Images {
		if image.Picture != nil && (image.Picture.Hash == g.Picture.Hash || image.Picture.Similar == g.Picture.Similar) {
			return pictureClasses(image.Objects)
		}
	}
	return pictureClasses(g.Picture.Objects)
}

func pictureClasses(objects []earshot.ImageObject) []pictureClass {
	return jsonvalue.Map(objects, func(o earshot.ImageObject) pictureClass {
		return pictureClass{o.ClassID, o.ClassName, vision.TypeOf(o.ClassID), jsonvalue.Round(o.Score)}
	})
}

type picturePath struct {
	Hash string `path:"hash"`
}

// showPicture serves GET /manage/v1/pictures/{hash}. Whoever may see a monitor may see a thumbnail whose
// hash they know: the hash of a file cannot be guessed, and posts of the monitor have told it.
func (a *API) showPicture(ctx context.Context, c *earshot.Caller, p picturePath) (rest.Download, error) {
	missing := earshot.Errorf(earshot.NotFound, "Picture %s does not exist", earshot.Clip(p.Hash, 64))
	if len(a.Monitors.List(c, 0)) == 0 {
		return rest.Download{}, missing
	}
	thumbnail, err := a.Pictures.Thumbnail(ctx, p.Hash)
	if errors.Is(err, picture.ErrNoThumbnail) {
		return rest.Download{}, missing
	}
	if err != nil {
		return rest.Download{}, err
	}
	return rest.Download{
		Type: "image/jpeg", Policy: "default-src 'none'; sandbox", Tag: p.Hash, Fixed: true,
		Write: func(_ context.Context, w io.Writer) error {
			_, err := w.Write(thumbnail)
			return err
		},
	}, nil
}

type pictureUpload struct {
	Body *rest.BodyStream `body:"stream"`
}

// An uploadedPicture is the response to the upload of a picture.
type uploadedPicture struct {
	URL     string         `json:"url"` // for the images of posts
	Width   int            `json:"width"`
	Height  int            `json:"height"`
	Classes []pictureClass `json:"classes"`
}

// HTTPStatus implements the status of a response that creates something.
func (uploadedPicture) HTTPStatus() int { return http.StatusCreated }

// uploadPicture serves POST /manage/v1/pictures. It looks at the picture in the body. Posts that are
// imported later refer to it by its URL.
func (a *API) uploadPicture(ctx context.Context, _ *earshot.Caller, p pictureUpload) (uploadedPicture, error) {
	body, err := io.ReadAll(io.LimitReader(p.Body, picture.MaxBytes+1))
	if err != nil {
		return uploadedPicture{}, err
	}
	if len(body) > picture.MaxBytes {
		return uploadedPicture{}, earshot.Errorf(earshot.TooLarge, "The picture is too large: at most %d MB are allowed", picture.MaxBytes>>20)
	}
	url, found, err := a.Pictures.Add(ctx, body)
	if err != nil {
		return uploadedPicture{}, err
	}
	return uploadedPicture{URL: url, Width: found.Width, Height: found.Height, Classes: pictureClasses(found.Objects)}, nil
}
