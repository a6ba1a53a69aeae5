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
)

// A ImageClassifier fetches images and tells what they show.
type ImageClassifier struct {
	// Fetch fetches an image and hands it to use.
	Fetch    func(ctx context.Context, url string, use func(image.Image) error) error
	Classify func(image.Image) ([]onnx.Prediction, error)

	mu        sync.Mutex
	slowHosts map[string]time.Time // hosts that kept us waiting, and until when they are left alone
}

// Bounds of looking: posts must not wait for slow servers. What is not looked at in time
// is not looked at.
const (
	inferImagesTimeout  = 5 * time.Second // at the images of all posts of a call
	maxImagesPerPost    = 4               // of one post
	maxConcurrentImages = 8
	slowHostPause       = time.Minute // for which a slow host is left alone
	maxSlowHosts        = 1000        // that are remembered
)

// InferImages looks at the images of posts that do not state what these show. Without a model
// for that it does nothing.
func (e *Enricher) InferImages(ctx context.Context, posts []earshot.Post) {
	if e.custom.Images == nil {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, inferImagesTimeout)
	defer cancel()
	var wait sync.WaitGroup
	slots := make(chan struct{}, maxConcurrentImages)
	for i := range posts {
		p := &posts[i]
		if len(p.Images) == 0 || showsAny(p.Images) || ctx.Err() != nil {
			continue
		}
		p.Images = slices.Clone(p.Images)
		slots <- struct{}{}
		wait.Go(func() {
			defer func() { <-slots }()
			e.inferImages(ctx, p)
		})
	}
	wait.Wait()
}

// inferImages looks at the images of one post.
func (e *Enricher) inferImages(ctx context.Context, p *earshot.Post) {
	for i := range p.Images[:min(len(p.Images), maxImagesPerPost)] {
		seen := &p.Images[i]
		objects, brands, err := e.custom.Images.classify(ctx, seen.URL)
		if err != nil && !errors.Is(err, fetch.ErrRefused) && e.custom.Log != nil {
			e.custom.Log.Debug("image not looked at", "error", err)
		}
		if len(objects)+len(brands) > 0 {
			seen.Objects, seen.Brands = objects, brands
			p.Inferred |= earshot.InferredImages
		}
	}
}

// classify tells what an image shows. Images are strangers' work: should one make the decoder
// or the model panic, it is not looked at.
func (l *ImageClassifier) classify(ctx context.Context, address string) (objects []earshot.ImageObject, brands []earshot.ImageBrand, err error) {
	defer func() {
		if r := recover(); r != nil {
			objects, brands, err = nil, nil, fmt.Errorf("panic: %v", r)
		}
	}()
	host := hostOf(address)
	if l.isSlow(host) {
		return nil, nil, fmt.Errorf("%s was slow a moment ago", host)
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

// mapLabels reads the labels of a model as alternative texts are read. Those that name
// none of our classes are left out.
func mapLabels(predictions []onnx.Prediction) (objects []earshot.ImageObject, brands []earshot.ImageBrand) {
	for _, s := range predictions {
		score := math.Round(float64(s.Score)*100) / 100
		shown, logos := builtIn().vision.Alt(strings.ReplaceAll(s.Label, "_", " "))
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

// markSlow leaves a host alone for a while. When there are too many of them, all are
// forgotten: they are found out again.
func (l *ImageClassifier) markSlow(host string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.slowHosts == nil || len(l.slowHosts) >= maxSlowHosts {
		l.slowHosts = map[string]time.Time{}
	}
	l.slowHosts[host] = time.Now().Add(slowHostPause)
}
