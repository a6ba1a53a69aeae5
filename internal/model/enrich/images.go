package enrich

import (
	"context"
	"errors"
	"fmt"
	"image"
	"math"
	"net/url"
	"slices"
	"strings"
	"sync"
	"time"

	"earshot"
	"earshot/internal/fetch"
	"earshot/internal/model/onnx"
	"earshot/internal/parallel"
)

// An ImageClassifier fetches and classifies images.
type ImageClassifier struct {
	// Fetch fetches an image and passes it to use.
	Fetch    func(ctx context.Context, url string, use func(image.Image) error) error
	Classify func(image.Image) ([]onnx.Prediction, error)

	mu        sync.Mutex
	slowHosts map[string]time.Time // host -> when to retry after a timeout; guarded by mu
}

// Limits that keep posts from waiting for slow servers. Images that are not ready in time stay
// unclassified.
const (
	inferImagesTimeout  = 5 * time.Second // for the images of all posts in a call
	maxImagesPerPost    = 4               // more add little information about a post
	maxConcurrentImages = 8               // fetching is slow, but each decoded image takes memory
	slowHostPause       = time.Minute     // time before a slow host is tried again
	maxSlowHosts        = 1000            // hosts to remember
)

// InferImages classifies the images of posts that do not state what their images show. Without a
// custom image model, it does nothing.
func (e *Enricher) InferImages(ctx context.Context, posts []earshot.Post) {
	if e.custom.Images == nil {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, inferImagesTimeout)
	defer cancel()
	// A timeout leaves the remaining images unclassified, which is not an error.
	_ = parallel.For(ctx, len(posts), maxConcurrentImages, func(ctx context.Context, i int) error {
		p := &posts[i]
		if len(p.Images) == 0 || hasLabels(p.Images) {
			return nil
		}
		p.Images = slices.Clone(p.Images) // the slice may be shared with the caller
		for i := range p.Images[:min(len(p.Images), maxImagesPerPost)] {
			image := &p.Images[i]
			objects, brands, err := e.custom.Images.classify(ctx, image.URL)
			if err != nil && !errors.Is(err, fetch.ErrRefused) && e.custom.Log != nil {
				e.custom.Log.Debug("image not classified", "error", err)
			}
			if len(objects)+len(brands) > 0 {
				image.Objects, image.Brands = objects, brands
				p.Inferred |= earshot.InferredImages
			}
		}
		return nil
	})
}

// classify infers what an image shows. Images are untrusted input: if one makes the decoder or the
// model panic, it stays unclassified.
func (l *ImageClassifier) classify(ctx context.Context, address string) (objects []earshot.ImageObject, brands []earshot.ImageBrand, err error) {
	defer func() {
		if r := recover(); r != nil {
			objects, brands, err = nil, nil, fmt.Errorf("panic: %v", r)
		}
	}()
	host := hostOf(address)
	if l.isSlow(host) {
		return nil, nil, fmt.Errorf("%s timed out recently; skipped for now", host)
	}
	err = l.Fetch(ctx, address, func(picture image.Image) error {
		scored, err := l.Classify(picture)
		if err == nil {
			objects, brands = mapLabels(scored)
		}
		return err
	})
	if errors.Is(err, context.DeadlineExceeded) {
		l.markSlow(host)
	}
	return objects, brands, err
}

// mapLabels maps the labels of a model to Earshot's classes, in the same way as alt text. It skips
// labels without a class.
func mapLabels(predictions []onnx.Prediction) (objects []earshot.ImageObject, brands []earshot.ImageBrand) {
	for _, s := range predictions {
		score := math.Round(float64(s.Score)*100) / 100
		shown, logos := builtinModels().vision.Alt(strings.ReplaceAll(s.Label, "_", " "))
		for i := range shown {
			shown[i].Score = score
		}
		for i := range logos {
			logos[i].Score = score
		}
		objects, brands = addObjects(objects, shown), addBrands(brands, logos)
	}
	return objects, brands
}

func hostOf(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return ""
	}
	return u.Host
}

func (l *ImageClassifier) isSlow(host string) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return time.Now().Before(l.slowHosts[host])
}

// markSlow pauses a host. If there are too many slow hosts, it forgets all of them; they will be
// detected again.
func (l *ImageClassifier) markSlow(host string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.slowHosts == nil || len(l.slowHosts) >= maxSlowHosts {
		l.slowHosts = map[string]time.Time{}
	}
	l.slowHosts[host] = time.Now().Add(slowHostPause)
}

// fillImages infers what images show from their alt text, unless the post states it.
func (m *models) fillImages(p *earshot.Post) {
	if len(p.Images) == 0 || p.Inferred&earshot.InferredImages == 0 && hasLabels(p.Images) {
		return
	}
	images := slices.Clone(p.Images) // the slice may be shared with the caller
	for i := range images {
		if images[i].Alt != "" {
			objects, brands := m.vision.Alt(images[i].Alt)
			images[i].Objects = addObjects(images[i].Objects, objects)
			images[i].Brands = addBrands(images[i].Brands, brands)
		}
	}
	if hasLabels(images) {
		p.Images = images
		p.Inferred |= earshot.InferredImages
	}
}

// addObjects appends the objects that are missing from known.
func addObjects(known, more []earshot.ImageObject) []earshot.ImageObject {
	known = slices.Clip(known)
	for _, o := range more {
		if !slices.ContainsFunc(known, func(k earshot.ImageObject) bool { return k.ClassID == o.ClassID }) {
			known = append(known, o)
		}
	}
	return known
}

// addBrands appends the brands that are missing from known.
func addBrands(known, more []earshot.ImageBrand) []earshot.ImageBrand {
	known = slices.Clip(known)
	for _, b := range more {
		if !slices.ContainsFunc(known, func(k earshot.ImageBrand) bool { return k.ID == b.ID }) {
			known = append(known, b)
		}
	}
	return known
}

func hasLabels(images []earshot.Image) bool {
	for i := range images {
		if len(images[i].Brands)+len(images[i].Objects) > 0 {
			return true
		}
	}
	return false
}
