package pipeline

import (
	"context"
	"errors"
	"maps"
	"sync"
	"time"

	"earshot"
	"earshot/internal/model/interest"
	"earshot/internal/state/journal"
	"earshot/internal/state/lease"
)

// saveInterval is the interval between saves of the baseline. A crash loses what was counted since
// the last save. Nothing is counted twice. The baseline covers millions of posts, so losing a few
// seconds is acceptable in exchange for fewer writes.
const saveInterval = 10 * time.Second

// saveTimeout is the timeout of the final save during shutdown.
const saveTimeout = 2 * time.Second

// baseline counts how common interests are.
type baseline struct {
	mu      sync.Mutex
	current interest.Baseline // guarded by mu
}

// Baseline returns how common each interest is among all microblog posts ingested so far.
func (p *Pipeline) Baseline() interest.Baseline {
	p.baseline.mu.Lock()
	defer p.baseline.mu.Unlock()
	b := p.baseline.current
	b.Interests = maps.Clone(b.Interests)
	return b
}

// loadBaseline reads the saved baseline.
func (p *Pipeline) loadBaseline(ctx context.Context) (err error) {
	p.baseline.mu.Lock()
	defer p.baseline.mu.Unlock()
	p.baseline.current, err = p.Catalog.Baseline(ctx)
	return err
}

// add counts the posts of a stored batch unless the batch has already been counted.
func (b *baseline) add(batch *journal.Batch) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if batch.Position <= b.current.Position {
		return
	}
	day := earshot.DateOf(batch.Time.UTC())
	for i := range batch.Posts {
		if batch.Posts[i].Source.IsMicroblog() && batch.Posts[i].ContentSource == 0 {
			b.current.Add(day, &batch.Posts[i])
			b.current.Position = batch.Position
		}
	}
}

// SaveBaseline saves the baseline every saveInterval and once more when ctx is done. In a cluster, the
// node with this role does it. A failure to save does not delay ingest.
func (p *Pipeline) SaveBaseline(ctx context.Context) {
	saved, known := earshot.Position(0), false
	save := func(ctx context.Context) {
		if !known { // another node may have saved a later one
			last, err := p.Catalog.Baseline(ctx)
			if err != nil {
				p.Log.Error("could not read interest baseline", "error", err)
				return
			}
			saved, known = last.Position, true
		}
		current := p.Baseline()
		if current.Position <= saved {
			return
		}
		if err := p.Catalog.SetBaseline(ctx, current); err != nil {
			p.Log.Error("could not save interest baseline", "error", err)
			return
		}
		saved = current.Position
	}
	tick := time.NewTicker(saveInterval)
	defer tick.Stop()
	for {
		select {
		case <-tick.C:
			save(ctx)
		case <-ctx.Done():
			if errors.Is(context.Cause(ctx), lease.ErrLost) {
				return
			}
			last, cancel := context.WithTimeout(context.WithoutCancel(ctx), saveTimeout)
			defer cancel()
			save(last)
			return
		}
	}
}
