package app

import (
	"context"
	"fmt"
	"image"
	"math"
	"net/netip"
	"path/filepath"
	"slices"
	"strconv"
	"time"

	"earshot"
	"earshot/internal/fetch"
	"earshot/internal/http/manage"
	"earshot/internal/model/enrich"
	"earshot/internal/model/onnx"
	"earshot/internal/model/vision"
	"earshot/internal/model/vision/net"
	"earshot/internal/picture"
)

// pictureTimeout is the maximum time to fetch a picture, including redirects.
const pictureTimeout = 10 * time.Second

// newPictures returns the service that looks at pictures. It runs only if pictures are fetched;
// otherwise it serves what is in the cache.
func (a *App) newPictures() (*picture.Service, error) {
	cache, err := picture.OpenCache(picture.CacheOptions{Dir: filepath.Join(a.config.Data, "pictures"), MaxBytes: int64(a.config.ImageCache) << 20, Now: a.options.Now})
	if err != nil {
		return nil, err
	}
	model, err := a.imageModel()
	if err != nil {
		return nil, err
	}
	o := picture.Options{
		Journal: a.Journal, Posts: a.posts, Cursor: a.catalog, Cache: cache, Model: model,
		Restricted: a.config.RestrictedSources, Busy: a.isIngestBehind, Now: time.Now, Log: a.log,
	}
	if a.config.Clustered() {
		o.Remote = a.askForPicture
	}
	if a.config.FetchImages {
		options := fetch.Options{MaxBytes: picture.MaxBytes, Timeout: pictureTimeout, UserAgent: userAgent(a.config.SourceContact, a.options.Version)}
		if a.config.AllowPrivateImages {
			options.Allow = func(netip.AddrPort) bool { return true }
		}
		o.Get = fetch.New(options).Get
		if demo := a.options.Demo; demo != nil && demo.Picture != nil {
			o.Get = demo.Picture
		}
	}
	return picture.New(o), nil
}

// isIngestBehind reports whether the pipeline has entries to process.
func (a *App) isIngestBehind() bool {
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	pending, err := a.pending(ctx)
	return err == nil && pending > 1
}

// runPictures looks at the pictures of posts, if they are fetched. Otherwise it forgets how far that
// went, so that turning it on again does not begin with old posts.
func (a *App) runPictures(ctx context.Context) {
	if a.config.FetchImages {
		a.Pictures.Run(ctx)
		return
	}
	_, ok, err := a.catalog.PictureCursor(ctx)
	if err == nil && ok {
		err = a.catalog.ResetPictureCursor(ctx)
	}
	if err != nil && ctx.Err() == nil {
		a.log.Warn("resetting the position of pictures failed", "error", err)
	}
}

// imageModel returns the operator's image model, or the built-in networks. They are loaded when they
// are first used, because most installations do not fetch pictures.
func (a *App) imageModel() (picture.Model, error) {
	if a.options.ImageModel != nil {
		return *a.options.ImageModel, nil
	}
	path := a.config.ImageModel
	switch {
	case path != "" && !a.config.FetchImages:
		a.log.Warn("models.images is not used because images.fetch is false")
	case path != "":
		m, err := onnx.OpenImage(path, onnx.ImageOptions{})
		if err != nil {
			return picture.Model{}, err
		}
		classify := func(img image.Image) ([]earshot.ImageObject, []earshot.ImageBrand, error) {
			predictions, err := m.Classify(img)
			if err != nil {
				return nil, nil, err
			}
			objects, brands := enrich.MapLabels(predictions)
			return objects, brands, nil
		}
		return picture.Model{Version: "custom " + m.Version(), Classify: classify, Hash: net.PerceptualHash}, nil
	}
	var networks *net.Networks
	classify := func(img image.Image) ([]earshot.ImageObject, []earshot.ImageBrand, error) {
		if networks == nil {
			n, err := net.New()
			if err != nil {
				return nil, nil, fmt.Errorf("load the image networks: %w", err)
			}
			networks = n
		}
		seen, err := networks.Classify(img)
		if err != nil {
			return nil, nil, err
		}
		return seenObjects(seen), nil, nil
	}
	return picture.Model{Version: strconv.Itoa(net.Version), Classify: classify, Hash: net.PerceptualHash}, nil
}

func seenObjects(seen []net.Seen) (objects []earshot.ImageObject) {
	for _, s := range seen {
		if s.Class.Type != vision.Logo {
			objects = append(objects, earshot.ImageObject{Score: math.Round(100*s.Score) / 100, ClassID: s.Class.ID, ClassName: s.Class.Name})
		}
	}
	return objects
}

// isUnseen reports whether the pictures of a new post are being looked at.
func (a *App) isUnseen(p *earshot.Post) bool {
	return slices.ContainsFunc(p.Images, func(i earshot.Image) bool { return i.Picture == nil && i.URL != "" }) &&
		!slices.Contains(a.config.RestrictedSources, p.Source)
}

// pictureStatus returns how far pictures have been looked at. last is the last position of the
// journal.
func (a *App) pictureStatus(last earshot.Position) manage.Pictures {
	st := a.Pictures.Stats()
	p := manage.Pictures{
		Fetched: a.config.FetchImages, Waiting: st.Waiting, OldestSeconds: int64(st.Oldest.Seconds()),
		Looked: st.Looked, Cached: st.Cached, Failed: st.Failed, Thumbnails: st.Thumbnails, Bytes: st.ThumbnailSize,
	}
	if a.config.FetchImages {
		p.Position, p.Lag = st.Position, max(int64(last)-int64(st.Position), 0)
	}
	return p
}
