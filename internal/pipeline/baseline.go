package pipeline

import (
	"context"
	"maps"
	"sync"
	"time"

	"earshot"
	"earshot/internal/model/interest"
	"earshot/internal/state/journal"
)

// saveBaseline is how often the baseline is saved while posts come in. What came in
// after it was last saved is not in it when the service dies: it is about shares of
// millions of posts, and none is ever in it twice.
const saveBaseline = 10 * time.Second

// baseline keeps how common interests are.
type baseline struct {
	mu    sync.Mutex
	now   interest.Baseline
	saved earshot.Position // of the baseline that was saved last
}

// Baseline returns how common interests are among all microblog posts up to now.
func (p *Pipeline) Baseline() interest.Baseline {
	p.baseline.mu.Lock()
	defer p.baseline.mu.Unlock()
	return p.baseline.copy()
}

// loadBaseline reads what was saved.
func (p *Pipeline) loadBaseline(ctx context.Context) (err error) {
	p.baseline.mu.Lock()
	defer p.baseline.mu.Unlock()
	p.baseline.now, err = p.Catalog.Baseline(ctx)
	p.baseline.saved = p.baseline.now.Position
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
			b.now.Position = batch.Position
		}
	}
}

// keepBaseline saves the baseline now and then until ctx ends, and once more then.
func (p *Pipeline) keepBaseline(ctx context.Context) {
	often := time.NewTicker(saveBaseline)
	defer often.Stop()
	for {
		select {
		case <-often.C:
			p.writeBaseline(ctx)
		case <-ctx.Done():
			ending, cancel := context.WithTimeout(context.WithoutCancel(ctx), lastWords)
			defer cancel()
			p.writeBaseline(ending)
			return
		}
	}
}

// lastWords is how long saving may take when the service stops.
const lastWords = 2 * time.Second

// writeBaseline saves the baseline if it has changed. That it cannot be saved holds up no
// posts.
func (p *Pipeline) writeBaseline(ctx context.Context) {
	b := &p.baseline
	b.mu.Lock()
	now, saved := b.copy(), b.saved
	b.mu.Unlock()
	if now.Position == saved {
		return
	}
	if err := p.Catalog.SetBaseline(ctx, now); err != nil {
		p.Log.Error("baseline of interests not saved", "error", err)
		return
	}
	b.mu.Lock()
	b.saved = now.Position
	b.mu.Unlock()
}

// copy returns the baseline as it is. The lock is held.
func (b *baseline) copy() interest.Baseline {
	c := b.now
	c.Interests = maps.Clone(c.Interests)
	return c
}
