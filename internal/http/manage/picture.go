package manage

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"

	"earshot"
	"earshot/internal/http/rest"
	"earshot/internal/picture"
	"earshot/internal/workspace/card"
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

// listPictures serves GET /manage/v1/monitors/{id}/pictures.
func (a *API) listPictures(ctx context.Context, c *earshot.Caller, p picturesParams) (response card.PicturesResponse, err error) {
	limit, err := parseLimit(p.Limit, defaultPictures, maxPictures)
	if err != nil {
		return response, err
	}
	if p.Offset < 0 || p.Offset > 100*maxPictures {
		return response, earshot.InvalidParameter("offset", fmt.Sprint(p.Offset), "a whole number from 0 to 20000")
	}
	return a.Cards.Pictures(ctx, c, card.PicturesRequest{
		Query: p.query(), MostPosted: p.Sort == mostPosted, Limit: limit, Offset: p.Offset, Fetched: a.Pictures.Get != nil,
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
	URL     string              `json:"url"` // for the images of posts
	Width   int                 `json:"width"`
	Height  int                 `json:"height"`
	Classes []card.PictureClass `json:"classes"`
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
	return uploadedPicture{URL: url, Width: found.Width, Height: found.Height, Classes: card.NewPictureClasses(found.Objects)}, nil
}
