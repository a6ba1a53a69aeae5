package app

import (
	"context"
	"net/netip"
	"path/filepath"
	"time"

	"earshot/internal/fetch"
	"earshot/internal/picture"
)

// pictureTimeout is the maximum time to fetch a picture, including redirects.
const pictureTimeout = 10 * time.Second

// newPictures returns the service that analyzes pictures. It runs only if pictures are fetched;
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
		o.Remote = a.cluster.AskForPicture
	}
	if a.config.FetchImages {
		options := fetch.Options{MaxBytes: picture.MaxBytes, Timeout: pictureTimeout, UserAgent: fetch.UserAgent(a.options.Version, a.config.SourceContact)}
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

// imageModel returns the operator's image model, or the built-in networks.
func (a *App) imageModel() (picture.Model, error) {
	path := a.config.ImageModel
	switch {
	case a.options.ImageModel != nil:
		return *a.options.ImageModel, nil
	case path != "" && !a.config.FetchImages:
		a.log.Warn("models.images is not used because images.fetch is false")
	case path != "":
		return picture.OpenModel(path)
	}
	return picture.BuiltInModel(), nil
}
