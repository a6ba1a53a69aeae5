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

// A Looker fetches images and tells what they show.
type Looker struct {
	// Fetch fetches an image and hands it to use.
	Fetch    func(ctx context.Context, url string, use func(image.Image) error) error
	Classify func(image.Image) ([]onnx.Scored, error)

	mu   sync.Mutex
	slow map[string]time.Time // hosts that kept us waiting, and until when they are left alone
}

// Bounds of looking: posts must not wait for slow servers. What is not looked at in time
// is not looked at.
const (
	lookTime   = 5 * time.Second // at the images of all posts of a call
	lookImages = 4               // of one post
	lookAtOnce = 8
	slowTime   = time.Minute // for which a slow host is left alone
	slowHosts  = 1000        // that are remembered
)

// Look looks at the images of posts that do not state what these show. Without a model
// for that it does nothing.
func (e *Enricher) Look(ctx context.Context, posts []earshot.Post) {
	if e.own.Images == nil {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, lookTime)
	defer cancel()
	var wait sync.WaitGroup
	slots := make(chan struct{}, lookAtOnce)
	for i := range posts {
		p := &posts[i]
		if len(p.Images) == 0 || showsAny(p.Images) || ctx.Err() != nil {
			continue
		}
		p.Images = slices.Clone(p.Images)
		slots <- struct{}{}
		wait.Go(func() {
			defer func() { <-slots }()
			e.lookAt(ctx, p)
		})
	}
	wait.Wait()
}

// lookAt looks at the images of one post.
func (e *Enricher) lookAt(ctx context.Context, p *earshot.Post) {
	for i := range p.Images[:min(len(p.Images), lookImages)] {
		seen := &p.Images[i]
		objects, brands, err := e.own.Images.look(ctx, seen.URL)
		if err != nil && !errors.Is(err, fetch.ErrRefused) && e.own.Log != nil {
			e.own.Log.Debug("image not looked at", "error", err)
		}
		if len(objects)+len(brands) > 0 {
			seen.Objects, seen.Brands = objects, brands
			p.Inferred |= earshot.InferredImages
		}
	}
}

// look tells what an image shows. Images are strangers' work: should one make the decoder
// or the model panic, it is not looked at.
func (l *Looker) look(ctx context.Context, address string) (objects []earshot.ImageObject, brands []earshot.ImageBrand, err error) {
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
			objects, brands = readLabels(scored)
		}
		return err
	})
	if errors.Is(err, context.DeadlineExceeded) {
		l.noteSlow(host)
	}
	return objects, brands, err
}

// readLabels reads the labels of a model as alternative texts are read. Those that name
// none of our classes are left out.
func readLabels(scored []onnx.Scored) (objects []earshot.ImageObject, brands []earshot.ImageBrand) {
	for _, s := range scored {
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

func (l *Looker) isSlow(host string) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return time.Now().Before(l.slow[host])
}

// noteSlow leaves a host alone for a while. When there are too many of them, all are
// forgotten: they are found out again.
func (l *Looker) noteSlow(host string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.slow == nil || len(l.slow) >= slowHosts {
		l.slow = map[string]time.Time{}
	}
	l.slow[host] = time.Now().Add(slowTime)
}
