package pipeline

import (
	"context"
	"maps"
	"sync"
	"time"

	"earshot"
	"earshot/internal/journal"
)

// saveBaseline is how often the baseline is saved while posts come in. What came in
// after it was last saved is not in it when the service dies: it is about shares of
// millions of posts, and none is ever in it twice.
const saveBaseline = 10 * time.Second

// baseline keeps how common interests are.
type baseline struct {
	mu    sync.Mutex
	now   earshot.Baseline
	saved time.Time
	dirty bool
}

// Baseline returns how common interests are among all microblog posts up to now.
func (p *Pipeline) Baseline() earshot.Baseline {
	p.baseline.mu.Lock()
	defer p.baseline.mu.Unlock()
	b := p.baseline.now
	b.Interests = maps.Clone(b.Interests)
	return b
}

// loadBaseline reads what was saved.
func (p *Pipeline) loadBaseline(ctx context.Context) (err error) {
	p.baseline.mu.Lock()
	defer p.baseline.mu.Unlock()
	p.baseline.now, err = p.Catalog.Baseline(ctx)
	p.baseline.saved = time.Now()
	return err
}

// note counts the posts of a batch that was stored, unless they were counted before.
func (b *baseline) note(batch *journal.Batch) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if batch.Position <= b.now.Position {
		return
	}
	day := earshot.DateOf(batch.Time.UTC())
	for i := range batch.Posts {
		if batch.Posts[i].Source.IsMicroblog() && batch.Posts[i].ContentSource == 0 {
			b.now.Add(day, &batch.Posts[i])
			b.dirty = true
		}
	}
	b.now.Position = batch.Position
}

// due reports whether it is time to save.
func (b *baseline) due() bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.dirty && time.Since(b.saved) >= saveBaseline
}

// keepBaseline saves the baseline. That it cannot be saved holds up no posts.
func (p *Pipeline) keepBaseline(ctx context.Context) {
	p.baseline.mu.Lock()
	p.baseline.saved = time.Now()
	dirty := p.baseline.dirty
	p.baseline.dirty = false
	p.baseline.mu.Unlock()
	if !dirty {
		return
	}
	if err := p.Catalog.SetBaseline(ctx, p.Baseline()); err != nil {
		p.Log.Error("baseline of interests not saved", "error", err)
		p.baseline.mu.Lock()
		p.baseline.dirty = true
		p.baseline.mu.Unlock()
	}
}
