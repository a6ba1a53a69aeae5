package enrich

import (
	"context"
	"errors"
	"image"
	"slices"
	"sync"
	"time"

	"earshot"
	"earshot/internal/fetch"
	"earshot/internal/onnx"
)

// A Looker fetches images and tells what they show.
type Looker struct {
	Fetch    func(ctx context.Context, url string) (image.Image, error)
	Classify func(image.Image) ([]onnx.Scored, error)
}

// Bounds of looking at the images of a batch: posts must not wait for slow servers. What
// is not looked at in time is not looked at.
const (
	lookTime   = 20 * time.Second
	lookImages = 4 // of one post
	lookAtOnce = 8
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
		if len(p.Images) == 0 || showsAny(p.Images) {
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
		shown, err := e.own.Images.look(ctx, p.Images[i].URL)
		if err != nil {
			if !errors.Is(err, fetch.ErrRefused) && ctx.Err() == nil && e.own.Log != nil {
				e.own.Log.Debug("image not looked at", "error", err)
			}
			continue
		}
		if len(shown) > 0 {
			p.Images[i].Objects = shown
			p.Inferred |= earshot.InferredImages
		}
	}
}

// look tells what an image shows. Labels of the model are read as alternative texts are;
// those that name none of our classes are left out.
func (l *Looker) look(ctx context.Context, url string) (shown []earshot.ImageObject, err error) {
	picture, err := l.Fetch(ctx, url)
	if err != nil {
		return nil, err
	}
	scored, err := l.Classify(picture)
	if err != nil {
		return nil, err
	}
	for _, s := range scored {
		objects, _ := builtIn().vision.Alt(s.Label)
		for i := range objects {
			objects[i].Score = float64(s.Score)
		}
		shown = addObjects(shown, objects)
	}
	return shown, nil
}
