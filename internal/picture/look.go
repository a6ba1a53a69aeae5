package picture

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"image"
	"image/jpeg"
	"time"

	"golang.org/x/image/draw"

	"earshot"
	"earshot/internal/fetch"
)

const (
	thumbnailSide    = 320 // maximum width and height in pixels; what the built-in networks look at
	thumbnailQuality = 80

	// While ingest is behind, a picture waits for it, but not longer than minBusyWait, or busyFactor
	// times as long as the last picture took, up to maxBusyWait. So pictures take at most 5% of a core
	// from ingest, and keep coming during a long import.
	minBusyWait = 2 * time.Second
	maxBusyWait = 5 * time.Second
	busyFactor  = 19
	busyStep    = 100 * time.Millisecond
)

// errModel means that the model failed, which is not the picture's fault.
var errModel = errors.New("the image model failed")

// look finds out what the file of a picture shows. Results of the current model come from the cache.
func (s *Service) look(ctx context.Context, body []byte) (*earshot.Picture, error) {
	hash := HashOf(body)
	if known, ok := s.Cache.Result(hash); ok && known.Model == s.Model.Version && s.Cache.HasThumbnail(hash) {
		s.counts.cached.Add(1)
		return known, nil
	}
	if err := s.acquireDecoder(ctx); err != nil {
		return nil, err
	}
	defer s.releaseDecoder()
	img, err := fetch.DecodeImage(body, MaxPixels)
	if err != nil {
		return nil, err
	}
	p := &earshot.Picture{Hash: hash, Width: img.Bounds().Dx(), Height: img.Bounds().Dy()}
	held := orientationOf(body)
	if held.turns() {
		p.Width, p.Height = p.Height, p.Width
	}
	img = held.upright(img)
	if err := s.classify(p, img); err != nil {
		return nil, err
	}
	small, err := makeThumbnail(img)
	if err != nil {
		return nil, err
	}
	// The journal gets the result even if the cache cannot store it, for example on a full disk.
	if err := errors.Join(s.Cache.SetThumbnail(hash, small), s.Cache.SetResult(p)); err != nil {
		s.Log.Debug("picture not cached", "error", err)
	}
	return p, nil
}

// lookAgain runs the current model on the thumbnail of a picture. It fails with ErrNoThumbnail if
// the thumbnail has been removed.
func (s *Service) lookAgain(ctx context.Context, old *earshot.Picture) (*earshot.Picture, error) {
	if known, ok := s.Cache.Result(old.Hash); ok && known.Model == s.Model.Version {
		return known, nil
	}
	small, err := s.Cache.Thumbnail(old.Hash)
	if err != nil {
		return nil, err
	}
	if err := s.acquireDecoder(ctx); err != nil {
		return nil, err
	}
	defer s.releaseDecoder()
	img, err := fetch.DecodeImage(small, MaxPixels)
	if err != nil {
		return nil, err
	}
	p := &earshot.Picture{Hash: old.Hash, Width: old.Width, Height: old.Height}
	if err := s.classify(p, img); err != nil {
		return nil, err
	}
	if err := s.Cache.SetResult(p); err != nil {
		s.Log.Debug("picture not cached", "error", err)
	}
	return p, nil
}

// acquireDecoder waits for the right to decode a picture, and while ingest is behind.
func (s *Service) acquireDecoder(ctx context.Context) error {
	select {
	case s.decoding <- struct{}{}:
	case <-ctx.Done():
		return ctx.Err()
	}
	limit := min(max(minBusyWait, busyFactor*s.lastLook), maxBusyWait)
	for waited := time.Duration(0); s.Busy != nil && waited < limit && s.Busy(); waited += busyStep {
		select {
		case <-time.After(busyStep):
		case <-ctx.Done():
			<-s.decoding
			return ctx.Err()
		}
	}
	s.lookBegan = time.Now()
	return nil
}

// releaseDecoder ends what acquireDecoder began.
func (s *Service) releaseDecoder() {
	s.lastLook = time.Since(s.lookBegan)
	<-s.decoding
}

// classify sets what an image shows. The caller must have acquired the decoder.
func (s *Service) classify(p *earshot.Picture, img image.Image) (err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("%w: panic: %v", errModel, r)
		}
	}()
	p.Model = s.Model.Version
	if s.Model.Hash != nil {
		p.Similar = s.Model.Hash(img)
	}
	if s.Model.Classify != nil {
		if p.Objects, p.Brands, err = s.Model.Classify(img); err != nil {
			return fmt.Errorf("%w: %w", errModel, err)
		}
	}
	s.counts.looked.Add(1)
	return nil
}

// makeThumbnail returns a small JPEG of an image. It has nothing of the original but its pixels:
// no comments, locations, or color profiles.
func makeThumbnail(img image.Image) ([]byte, error) {
	var b bytes.Buffer
	if err := jpeg.Encode(&b, scale(img, thumbnailSide), &jpeg.Options{Quality: thumbnailQuality}); err != nil {
		return nil, fmt.Errorf("encode thumbnail: %w", err)
	}
	return b.Bytes(), nil
}

// scale returns an image on white, scaled down to fit into a square. A large image is first sampled
// at twice the final size, which is fast, and then averaged, which looks good.
func scale(img image.Image, side int) *image.RGBA {
	size := img.Bounds().Size()
	fit := func(side int) image.Rectangle {
		longest := max(size.X, size.Y)
		if longest <= side {
			return image.Rect(0, 0, size.X, size.Y)
		}
		return image.Rect(0, 0, max(size.X*side/longest, 1), max(size.Y*side/longest, 1))
	}
	if max(size.X, size.Y) > 4*side {
		half := image.NewRGBA(fit(2 * side))
		draw.Draw(half, half.Bounds(), image.White, image.Point{}, draw.Src)
		draw.ApproxBiLinear.Scale(half, half.Bounds(), img, img.Bounds(), draw.Over, nil)
		img = half
	}
	small := image.NewRGBA(fit(side))
	draw.Draw(small, small.Bounds(), image.White, image.Point{}, draw.Src)
	draw.BiLinear.Scale(small, small.Bounds(), img, img.Bounds(), draw.Over, nil)
	return small
}
